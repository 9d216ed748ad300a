package redis

import (
	"cmp"
	"errors"
	"math"
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// How libraries send a command again that was not answered. The first may have been run.

// commandRetriesParam has go-redis's convention (redis/go-redis, Options.MaxRetries): 0 is
// what the library does by itself.
var commandRetriesParam = models.Param{Name: "command-retries", Unit: models.Count, Default: 0, Min: -1, Max: 100,
	Doc: "how often a command without a reply is sent again; 0 is the client's own default (bare 0, redislock 3, redisson 4 for renewals), -1 is never"}

// CommandRetries is how often a command is sent again by a library with a default of its own.
func CommandRetries(p models.Params, own int) int {
	switch n := p.Int(commandRetriesParam.Name); {
	case n < 0:
		return 0
	case n > 0:
		return n
	}
	return own
}

const (
	// GoRedisRetries is MaxRetries (redis/go-redis, options.go).
	GoRedisRetries = 3
	// RedissonRetries is retryAttempts (redisson/redisson config/BaseConfig.java).
	RedissonRetries = 4
)

// command sends a command and, if it is not answered, sends it again. go-redis does so with
// a SET and with a script as with any other command, although the first may have been run:
// it retries timeouts and closed connections, and a server that says that it is read-only or
// lacks replicas (redis/go-redis, redis.go, baseClient._process; error.go, shouldRetry). The
// deadline is that of the call that the program has made. The error is an [ErrRefused] only if
// no sending of the command may have been run.
func (l *library) command(p *host.Process, b network.Body, deadline clock.Mono) (network.Message, error) {
	var indefinite error
	for attempt := 0; ; attempt++ {
		reply, err := l.call(p, b)
		if err != nil && !errors.Is(err, ErrRefused) {
			indefinite = err
		}
		if err == nil || errors.Is(err, ErrNotAgain) || attempt == l.clients.retries || !Pause(p, l.clients.backoff.Delay(attempt+1, &l.random), deadline) {
			if err != nil && indefinite != nil {
				err = indefinite
			}
			return reply, err
		}
		p.Step(StepResend)
	}
}

// BackoffParam is for those who set go-redis's MinRetryBackoff and MaxRetryBackoff to one value.
var BackoffParam = models.Param{Name: "command-backoff", Unit: models.Duration,
	Doc: "how long the client waits before it sends a command again; 0 is go-redis's own: 10ms to 1s, drawn; redisson has delays of its own"}

// Backoff is go-redis's delay before it sends a command for the n-th time again, at least
// 10 ms and at most 1 s since v9.22, 8 ms and 512 ms before (redis/go-redis, internal/internal.go, RetryBackoff;
// options.go), or a constant.
type Backoff struct{ constant time.Duration }

// BackoffOf returns what parameters say.
func BackoffOf(p models.Params) Backoff { return Backoff{p.Duration(BackoffParam.Name)} }

// Delay draws the delay before the n-th time.
func (b Backoff) Delay(n int, s *rng.Stream) time.Duration {
	if b.constant > 0 {
		return b.constant
	}
	const least = 10 * time.Millisecond
	spread := least << min(n, 10)
	return min(longestBackoff, s.Between(least, least+spread-1))
}

// Longest is the longest of them.
func (b Backoff) Longest() time.Duration { return cmp.Or(b.constant, longestBackoff) }

const longestBackoff = time.Second

// NoDeadline is that of a call that goes on until it is done.
const NoDeadline = clock.Mono(math.MaxInt64)

// Pause waits, and reports whether there was time for that before a deadline.
func Pause(p *host.Process, d time.Duration, deadline clock.Mono) bool {
	if now := p.Now(); deadline-now <= clock.Mono(d) {
		p.Sleep(max(deadline.Sub(now), 0))
		return false
	}
	p.Sleep(d)
	return true
}

// RedissonResends makes a call and, without a reply, makes it again (redisson/redisson
// command/RedisExecutor.java). lock() and unlock() are not called in this way.
func RedissonResends(p *host.Process, retries int, s *rng.Stream, call func() (network.Message, error)) (network.Message, error) {
	for attempt := 0; ; attempt++ {
		reply, err := call()
		if err == nil || attempt == retries {
			return reply, err
		}
		p.Sleep(equalJitter(attempt, s))
		p.Step(StepResend)
	}
}

// equalJitter is the default delay before a command is sent again, between half of 1 s and
// of 2 s and all of it (config/BaseConfig.java, retryDelay; config/EqualJitterDelay.java).
func equalJitter(attempt int, s *rng.Stream) time.Duration {
	delay := min(time.Second<<min(attempt, 1), 2*time.Second)
	return s.Between(delay/2, delay)
}
