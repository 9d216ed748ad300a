// Package redis is a lock that is a key with a time to live on one Redis server.
//
// The protocol is that of the Redis documentation, "Distributed Locks with Redis",
// section "Correct Implementation with a Single Instance": SET key value NX PX ttl
// with a value that nobody else uses, and a script that deletes the key only if it
// still has that value. The server ends the lease by its wall clock. The client
// keeps no deadline of its own and hears nothing when the key expires.
//
// A waiting client tries again after a random delay. The documentation gives no
// numbers; [Retry] has those of redsync (go-redsync/redsync, redsync.go). The
// reply timeout is go-redis's default of 3 s (redis/go-redis, Options.ReadTimeout).
//
// A server keeps nothing on its disk by default, as Redis does, so that a crash of any kind
// makes it forget the key (the documentation warns of it in "Performance, Crash Recovery
// and fsync"). The parameter persistence gives it an append-only file. The parameters
// acquire and release are shortcuts that clients take.
package redis

import (
	"slices"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Lock is the single-server lock.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:    "redis",
		Summary: "one Redis server, SET NX PX and a compare-and-delete script",
		Sources: []string{
			"Redis documentation, Distributed Locks with Redis, Correct Implementation with a Single Instance",
			"redis/redis src/t_string.c, src/db.c, src/server.c, src/aof.c",
		},
		Promise:      "from the instant the server applies the SET, for the TTL less 1 ms",
		Granted:      "the server applies the SET",
		ServiceClock: "wall",
		Notice:       "none",
		Role:         "redis",
		Servers:      1,
		Durable:      Durable,
		Disk:         WaitsForDisk,
		Params: append([]models.Param{
			models.TTL(30*time.Second, time.Millisecond, "time to live of the key; the documentation's example is 30000 ms"),
			{Name: "timeout", Unit: models.Duration, Default: int64(3 * time.Second), Min: 1, Doc: "how long the client waits for a reply"},
			PersistenceParam,
			acquireParam, releaseParam,
		}, models.RetryParams(Retry)...),
		Steps: slices.Concat(models.StepsOfAcquire, []models.Step{
			{Name: stepExpire, Doc: "with acquire: setnx-pexpire, the key is set and has no time to live yet"},
		}, models.StepsOfRenewal),
		Takeover: func(p models.Params) time.Duration {
			return p.Duration("ttl") + Granularity + models.RetryOf(p).Longest()
		},
	}
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &system{env: e}
	s.server = NewServer(e, e.Servers("redis", 1)[0], s)
	for range e.Clients {
		s.clients = append(s.clients, &library{system: s})
	}
	return s
}

type system struct {
	env     *models.Env
	server  *Server
	clients []*library
}

func (s *system) Reset() {
	s.server.Reset()
	for i, c := range s.clients {
		*c = library{system: s, random: s.env.Stream("redis.client", i)}
	}
}

func (s *system) Locker(client int) models.Locker {
	l := s.clients[client]
	*l = library{system: s, random: l.random}
	return l
}

// KeySet implements [Watcher].
func (s *system) KeySet(k Key) {
	until := PromiseEnd(s.env, k.Since, k.TTL)
	s.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: k.Hold, Until: until})
	if s.late(k) {
		s.release(k.Hold)
	}
}

// KeyExtended implements [Watcher].
func (s *system) KeyExtended(k Key) {
	until := PromiseEnd(s.env, k.Since, k.TTL)
	s.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: k.Hold, Until: until})
}

// late reports whether the key that has just been set is one that no client waits for
// any more: the SET came after its client had asked the key back. A client that has
// crashed asked nothing back.
func (s *system) late(k Key) bool {
	c := s.clients[s.env.Recorder.Hold(k.Hold).Client]
	if c.hold == k.Hold {
		return c.taken || c.value != k.Value
	}
	return c.hold > k.Hold
}

// release records that the client of a hold has begun to give it back.
func (s *system) release(hold history.HoldID) {
	s.env.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold})
}

// KeyGone implements [Watcher].
func (s *system) KeyGone(k Key, why string) {
	s.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: k.Hold, Text: why})
}

// library is the client side.
type library struct {
	system *system
	random rng.Stream
	value  int64 // the random value under which the key was set
	hold   history.HoldID
	taken  bool // the key of that value has been asked back
}

func (l *library) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	l.hold = hold
	retry := models.RetryOf(l.system.env.Params)
	for attempt := 0; ; attempt++ {
		l.value, l.taken = NewValue(&l.random), false
		p.Step("acquire.send")
		reply, err := l.set(p, hold)
		p.Step("acquire.reply")
		if err == nil && reply.OK {
			return models.Grant{}, nil
		}
		if err != nil && !l.releasesByDel() {
			l.takeBack(p)
		}
		if retry.Over(attempt) {
			return models.Grant{}, models.ErrNotAcquired
		}
		p.Sleep(retry.Delay(attempt, &l.random))
	}
}

// set sends what sets the key, and returns the last reply.
func (l *library) set(p *host.Process, hold history.HoldID) (network.Message, error) {
	if l.system.env.Params.Choice(acquireParam.Name) == acquireBySet {
		return l.call(p, network.Body{Op: OpSet, Value: l.value, TTL: l.ttl(), Hold: hold})
	}
	reply, err := l.call(p, network.Body{Op: OpSetNX, Value: l.value, Hold: hold})
	if err != nil || !reply.OK {
		return reply, err
	}
	p.Step(stepExpire)
	return l.call(p, network.Body{Op: OpExpire, Value: l.value, TTL: l.ttl(), Hold: hold})
}

// call sends a request to the server and waits for the reply.
func (l *library) call(p *host.Process, b network.Body) (network.Message, error) {
	return p.Call(l.system.server.Addr(), b, l.system.env.Params.Duration("timeout"))
}

func (l *library) ttl() time.Duration { return l.system.env.Params.Duration("ttl") }

// takeBack deletes the key of a SET that was not answered and may have been applied.
// If it was applied, what the server promised with it ends here: the record has a
// release.
func (l *library) takeBack(p *host.Process) {
	l.taken = true
	if l.system.server.Promises(l.value) {
		l.system.release(l.hold)
	}
	_ = l.delete(p)
}

// Retry is redsync's delay of 50 to 250 ms, without its limit of 32 attempts.
var Retry = models.Retry{Base: 50 * time.Millisecond, Max: 50 * time.Millisecond, Jitter: 200 * time.Millisecond}

// NewValue draws the value under which a key is set. It stands for the 20 random
// bytes of the documentation: unique, and without an order.
func NewValue(s *rng.Stream) int64 { return int64(s.Uint64() >> 1) }

// Valid: the library keeps no deadline, so it has nothing to say against.
func (l *library) Valid(*host.Process) bool { return true }

// Renew implements [models.Renewer].
func (l *library) Renew(p *host.Process) error {
	p.Step("renew.send")
	reply, err := l.call(p, network.Body{Op: OpExtend, Value: l.value, TTL: l.ttl(), Hold: l.hold})
	p.Step("renew.reply")
	if err == nil && !reply.OK {
		return models.ErrNotHeld
	}
	return err
}

func (l *library) Release(p *host.Process) error {
	p.Step("release.send")
	err := l.delete(p)
	p.Step("release.reply")
	return err
}

// delete runs the script that deletes the key if it has this client's value, or DEL.
func (l *library) delete(p *host.Process) error {
	op := OpDelete
	if l.releasesByDel() {
		op = OpDel
	}
	reply, err := l.call(p, network.Body{Op: op, Value: l.value, Hold: l.hold})
	if err == nil && !reply.OK {
		err = models.ErrNotHeld
	}
	return err
}
