package redis

import (
	"errors"
	"fmt"
	"math"
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Service is what clients talk to: one server, or whichever server is the master.
type Service interface {
	// Call sends a command of a client's and waits for the reply. A command that the server
	// refused to run is an [ErrRefused].
	Call(p *host.Process, client int, b network.Body, timeout time.Duration) (network.Message, error)
	// Send sends a command and does not wait.
	Send(p *host.Process, client int, b network.Body)
	// Confirm reports whether a lock that a server has just granted is good enough.
	Confirm(p *host.Process, client int, hold history.HoldID) bool
	// Promises reports whether the lock is known to be set under a value. It is for the
	// record; no client asks it.
	Promises(value int64) bool
}

var (
	// ErrRefused is the error of a command that was surely not run.
	ErrRefused = errors.New("refused by the server")
	// errNotConfirmed is that of a lock that was granted and is not good enough.
	errNotConfirmed = errors.New("not confirmed by the service")
)

// Clients are the libraries of all clients. They are the [Watcher] of the servers: what a
// server tells is recorded for the hold on whose behalf it was done.
type Clients struct {
	env     *models.Env
	service Service
	all     []*library
}

// NewClients makes the clients of a service. The parameters are those of [ClientParams].
func NewClients(e *models.Env, s Service) *Clients {
	c := &Clients{env: e, service: s}
	for i := range e.Clients {
		c.all = append(c.all, &library{clients: c, index: i})
	}
	return c
}

// Reset begins a trial.
func (c *Clients) Reset() {
	for i, l := range c.all {
		*l = library{clients: c, index: i, random: c.env.Stream("redis.client", i)}
	}
}

// Locker returns the library of a client as a process has it that has just started.
func (c *Clients) Locker(client int) models.Locker {
	l := c.all[client]
	*l = library{clients: c, index: client, random: l.random, retries: commandRetries(c.env.Params)}
	switch c.env.Params.Choice(clientParam.Name) {
	case redislockClient:
		return &redislock{l}
	case redissonClient:
		return newRedisson(l)
	}
	return &bare{l}
}

// KeySet implements [Watcher].
func (c *Clients) KeySet(k Key) {
	until := PromiseEnd(c.env, k.Since, k.TTL)
	c.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: k.Hold, Token: k.Token, Until: until})
	if c.late(k) {
		c.release(k.Hold)
	}
}

// KeyExtended implements [Watcher].
func (c *Clients) KeyExtended(k Key) {
	until := PromiseEnd(c.env, k.Since, k.TTL)
	c.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: k.Hold, Until: until})
}

// KeyGone implements [Watcher]. A hold that its thread enters anew, without ever having been
// told of it, is given back by that.
func (c *Clients) KeyGone(k Key, why string) {
	if why == Reentered {
		c.release(k.Hold)
	}
	c.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: k.Hold, Text: why})
}

// late reports whether the key that has just been set is one that no client waits for
// any more: the command came after its client had asked the key back. A client that has
// crashed asked nothing back.
func (c *Clients) late(k Key) bool {
	l := c.all[c.env.Recorder.Hold(k.Hold).Client]
	if l.hold == k.Hold {
		return l.taken || l.value != k.Value
	}
	return l.hold > k.Hold
}

// release records that the client of a hold has begun to give it back.
func (c *Clients) release(hold history.HoldID) {
	c.env.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold})
}

// library is what the libraries of one client have in common.
type library struct {
	clients *Clients
	index   int
	random  rng.Stream
	retries int // how often a command is sent again

	value int64 // under which the key is set
	hold  history.HoldID
	taken bool // the key of that value has been asked back
}

// begin opens an attempt to set the key under a value.
func (l *library) begin(hold history.HoldID, value int64) {
	l.hold, l.value, l.taken = hold, value, false
}

// call sends a command once and waits for the reply.
func (l *library) call(p *host.Process, b network.Body) (network.Message, error) {
	b.Hold = l.hold
	return l.clients.service.Call(p, l.index, b, l.duration("timeout"))
}

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
		if err == nil || attempt == l.retries || !pause(p, backoff(attempt+1, &l.random), deadline) {
			if err != nil && indefinite != nil {
				err = indefinite
			}
			return reply, err
		}
		p.Step(stepResend)
	}
}

// backoff is go-redis's delay before it sends a command for the n-th time again, at least
// 8 ms and at most 512 ms (redis/go-redis, internal/internal.go, RetryBackoff; options.go).
func backoff(n int, s *rng.Stream) time.Duration {
	const least, most = 8 * time.Millisecond, 512 * time.Millisecond
	spread := least << min(n, 10)
	return min(most, s.Between(least, least+spread-1))
}

// noDeadline is that of a call that goes on until it is done.
const noDeadline = clock.Mono(math.MaxInt64)

// pause waits, and reports whether there was time for that before a deadline.
func pause(p *host.Process, d time.Duration, deadline clock.Mono) bool {
	if now := p.Now(); deadline-now <= clock.Mono(d) {
		p.Sleep(max(deadline.Sub(now), 0))
		return false
	}
	p.Sleep(d)
	return true
}

// confirm reports whether a reply says that the lock is held, for all that the client asks
// of the service.
func (l *library) confirm(p *host.Process) bool {
	return l.clients.service.Confirm(p, l.index, l.hold)
}

// givenBack marks the key as one that is not wanted any more. If the service has promised
// it, what it promised ends here: the record has a release.
func (l *library) givenBack() {
	l.taken = true
	if l.clients.service.Promises(l.value) {
		l.clients.release(l.hold)
	}
}

func (l *library) duration(param string) time.Duration { return l.clients.env.Params.Duration(param) }

func (l *library) ttl() time.Duration { return l.duration("ttl") }

func (l *library) retry() models.Retry { return models.RetryOf(l.clients.env.Params) }

func (l *library) note(p *host.Process, text string) {
	l.clients.env.Recorder.Add(history.Record{Kind: history.Note, Hold: l.hold, Local: time.Duration(p.Now()), Text: text})
}

// Valid implements [models.Locker]. None of the libraries keeps a deadline, or is told that
// its lock is lost: they have nothing to say against.
func (l *library) Valid(*host.Process) bool { return true }

// NewValue draws the value under which a key is set. It stands for the 20 random
// bytes of the documentation: unique, and without an order.
func NewValue(s *rng.Stream) int64 { return int64(s.Uint64() >> 1) }

// notAcquired is what Acquire returns when a library ends with an error of its own.
func notAcquired(err error) error { return fmt.Errorf("%w: %w", models.ErrNotAcquired, err) }

// answered is the error that a reply to a conditional command stands for.
func answered(reply network.Message, err error) error {
	if err == nil && !reply.OK {
		return models.ErrNotHeld
	}
	return err
}
