// Package redlock is Redlock, the lock on a majority of independent Redis servers.
//
// The algorithm is that of the Redis documentation, "Distributed Locks with Redis",
// section "The Redlock Algorithm": read the clock; send SET NX PX with the same
// random value to all servers in parallel, waiting for each no longer than a timeout
// that is small against the TTL; the lock is acquired if a majority said OK and less
// than the validity has passed; otherwise, and on release, delete the key on every
// server, reached or not, and try again after a random delay.
//
// The validity is the TTL less the elapsed time less a drift allowance. The page
// gives the allowance no number; 1 % of the TTL plus 2 ms is that of the reference
// implementation (antirez/redlock-rb, redlock.rb), which the page links to. Elapsed
// time is measured on the client's monotonic clock, as S. Sanfilippo asks for in "Is
// Redlock safe?" (2016) and as redsync does. The page's example of a per-server
// timeout is 5 to 50 ms for a TTL of 10 s; it gives no retry delay, and redsync's 50
// to 250 ms is used.
//
// # Clients
//
// The parameter client chooses a library instead of the page. Each is the same algorithm
// with other answers to what the page leaves open, and sometimes to what it does not; they
// stand in clients.go, one beside the other. What changes a verdict is a parameter of its
// own, so that one library can be given another's answer: elapsed-check, clock, order,
// replies and others.
//
// redsync is on go-redis. The context of its attempts ends after 5 % of the TTL, but go-redis
// looks at that only before it sends, and not while it waits for a reply, unless its option
// ContextTimeoutEnabled is set (redis/go-redis, redis.go, baseClient.context). redsync waits
// for all servers, so that one that is silent costs 5 s, the ReadTimeout. Within the context,
// and without one in Unlock and Extend, a request without a reply is sent up to three times
// more (MaxRetries); a SET NX that is sent again meets its own key, and counts as refused.
//
// RedissonRedLock is a protocol of its own (multilock.go): it takes re-entrant locks one after
// the other within a budget of time. ttl is the time after which they expire without their
// watchdogs, or with watchdog: off the lease that they are given when a majority is locked.
//
// # Servers
//
// A server that comes back has forgotten what its persistence did not keep. restart-delay
// is the page's remedy, a server that keeps silent for longer than the longest TTL
// ("Performance, Crash Recovery and fsync").
//
// # Tokens
//
// There is no fencing token: the value is random. Some programs count in the client's
// memory and take that for one; token: client-counter is that. Each client counts for
// itself, so that the numbers of two clients say nothing about who came later.
//
// # Left out
//
// Redisson's notice of an unlock to those who wait (publish and subscribe); connections that
// are refused, to which libraries react faster than to silence; a new connection after a
// timeout or a cancelled request, on which a delete can overtake the request before it, and
// which may take as long as dialling does; ioredis, which sends again what was on its way when
// a connection broke.
package redlock

import (
	"slices"
	"time"

	"fencepost/models"
	"fencepost/models/redis"
)

// Lock is Redlock.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:    "redlock",
		Summary: "Redlock on five independent Redis servers, as on redis.io",
		Sources: []string{
			"Redis documentation, Distributed Locks with Redis, The Redlock Algorithm",
			"antirez/redlock-rb, lib/redlock.rb (drift allowance; client antirez)",
			"go-redsync/redsync v4, redsync.go (retry delay), mutex.go, redis/goredis/v9; redis/go-redis v9, redis.go",
			"mike-marcacci/node-redlock v4.2.0, redlock.js; v5.0.0-beta.2, src/index.ts",
			"leandromoreira/redlock-rb, lib/redlock/client.rb",
			"redisson/redisson, RedissonMultiLock.java, RedissonRedLock.java, RedissonLock.java, renewal/RenewalTask.java",
		},
		Promise:      "only if the client accepted; from the start of its attempt, for the TTL less the drift allowance",
		Granted:      "the client accepts: a majority said OK and, if it looks, validity is left",
		Token:        "with token: client-counter, how often the client has acquired, counted in its own memory",
		TokenWith:    models.TokenAsked,
		Removal:      "DEL of the key on one server by another client, or its eviction there; on every server, if none is named",
		ServiceClock: "wall",
		Notice:       "none; the library knows its deadline, but Redisson's does not; using() aborts a signal",
		Role:         "redis",
		Servers:      5,
		Params:       params(),
		Validate:     validate,
		Durable:      redis.Durable,
		Renews:       func(p models.Params) bool { b := behaviourOf(p); return b.watchdog || b.using },
		Disk:         redis.WaitsForDisk,
		Steps: slices.Concat(models.StepsOfAcquire, []models.Step{
			{Name: stepServer, Doc: "one after the other: a server's reply, or the end of the wait for it, has been seen, and the next is not asked yet"},
			{Name: redis.StepResend, Doc: "redsync on go-redis, and redisson: a request was not answered and is about to be sent again"},
			{Name: stepValid, Doc: "redsync with valid: query: the program asks whether it still has the lock, and no server has been asked"},
			{Name: stepLease, Doc: "redisson with watchdog: off: a majority is locked, and its lease is about to be set"},
		}, models.StepsOfRenewal),
		Takeover: takeover,
	}
}

// takeover is what the last key has to live, the longest wait before the next attempt, and
// the time of an attempt that fails and is given back.
func takeover(p models.Params) time.Duration {
	b, servers := behaviourOf(p), p.Int("servers")
	if b.client == redisson {
		return b.takeoverOfMultiLock(servers)
	}
	longest := b.ttl + redis.Granularity + b.retry.Longest() + 2*b.longestRound(servers)
	if b.undo == undoAfterLast { // its own leftovers are in its way until its last attempt
		longest += min(b.ttl, time.Duration(b.retry.Attempts)*b.retry.Longest())
	}
	return longest
}

// longestRound is how long an attempt waits for servers of which some do not answer.
func (b *behaviour) longestRound(servers int) time.Duration {
	if b.timeout == tcpGivesUp {
		return 0 // nobody waits that long for a server that can be reached
	}
	each := b.timeout
	switch {
	case b.contextEnds:
		each = b.context
	case b.resends > 0:
		each += min(b.context, time.Duration(b.resends)*(b.timeout+b.backoff.Longest()))
	}
	if b.order == sequential {
		each *= time.Duration(servers)
	}
	return each
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &system{env: e, behaviour: behaviourOf(e.Params), counts: e.Params.Choice("token") > 0}
	delay := e.Params.Duration("restart-delay")
	for _, h := range e.Servers("redis", e.Params.Int("servers")) {
		server := redis.NewServer(e, h, s)
		s.servers = append(s.servers, server)
		if delay > 0 {
			d := &delayedServer{Server: server, host: h, delay: delay, wall: e.Params.Choice("restart-delay-clock") > 0}
			h.Server, s.delayed = d, append(s.delayed, d)
		}
	}
	s.quorum = len(s.servers)/2 + 1
	if s.asksAllAtOnce() && s.undo == undoAfterEach && delay == 0 && !redis.WaitsForDisk(e.Params) {
		s.foresight = redis.NewForesight(e, redis.Attempt{Timeout: s.timeout, Undoes: true, OneValue: s.value == perCall}, s.servers...)
	}
	for range e.Clients {
		s.addClient()
	}
	return s
}
