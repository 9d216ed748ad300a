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
// There is no fencing token: the value is random.
package redlock

import (
	"slices"
	"time"

	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/history"
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
			"antirez/redlock-rb, redlock.rb (drift allowance)",
			"go-redsync/redsync, redsync.go (retry delay)",
		},
		Promise:      "only if the client accepted; from the start of its attempt, for the TTL less the drift allowance",
		Granted:      "the client accepts: a majority said OK and validity is left",
		ServiceClock: "wall",
		Notice:       "none; the library knows its deadline",
		Role:         "redis",
		Servers:      5,
		Params: append([]models.Param{
			models.TTL(10*time.Second, 10*time.Millisecond, "time to live of the keys; the documentation's example of an auto-release time is 10 s"),
			{Name: "servers", Unit: models.Count, Default: 5, Min: 1, Max: 99, Doc: "independent servers; a majority is needed"},
			{Name: "drift", Unit: models.Millionths, Default: 10_000, Max: 1_000_000, Doc: "share of the TTL that is allowed for clock drift"},
			{Name: "drift-fixed", Unit: models.Duration, Default: int64(2 * time.Millisecond), Doc: "fixed part of the allowance"},
			{Name: "timeout", Unit: models.Duration, Default: int64(50 * time.Millisecond), Min: 1, Doc: "how long an attempt waits for each server"},
			redis.PersistenceParam,
		}, models.RetryParams(redis.Retry)...),
		Durable: redis.Durable,
		Disk:    redis.WaitsForDisk,
		Steps:   slices.Concat(models.StepsOfAcquire, models.StepsOfRenewal),
		Takeover: func(p models.Params) time.Duration {
			// A failed attempt takes its timeout, a release the same again.
			return p.Duration("ttl") + redis.Granularity + models.RetryOf(p).Longest() + 2*p.Duration("timeout")
		},
	}
}

// drift is the allowance for clock drift.
func drift(p models.Params) time.Duration {
	ttl, share := int64(p.Duration("ttl")), p.Millionths("drift")
	return time.Duration(ttl/1_000_000*share+ttl%1_000_000*share/1_000_000) + p.Duration("drift-fixed")
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &system{
		env:     e,
		ttl:     e.Params.Duration("ttl"),
		drift:   drift(e.Params),
		timeout: e.Params.Duration("timeout"),
		retry:   models.RetryOf(e.Params),
	}
	for _, h := range e.Servers("redis", e.Params.Int("servers")) {
		s.servers = append(s.servers, redis.NewServer(e, h, s))
	}
	s.quorum = len(s.servers)/2 + 1
	for range e.Clients {
		s.clients = append(s.clients, &library{system: s})
	}
	return s
}

// system is the servers and the clients' libraries.
type system struct {
	env     *models.Env
	servers []*redis.Server
	quorum  int
	clients []*library

	// The parameters, looked up once.
	ttl, drift, timeout time.Duration
	retry               models.Retry

	support []support // by hold
}

// support is what stands behind a hold: the servers that have the key of its current
// attempt. A key that an earlier attempt left behind does not count.
type support struct {
	value    int64
	servers  int
	accepted bool
}

func (s *system) Reset() {
	for _, server := range s.servers {
		server.Reset()
	}
	for i, c := range s.clients {
		*c = library{system: s, random: s.env.Stream("redlock.client", i)}
	}
	s.support = s.support[:0]
}

func (s *system) Locker(client int) models.Locker {
	l := s.clients[client]
	*l = library{system: s, random: l.random}
	return l
}

// of returns the support of a hold.
func (s *system) of(hold history.HoldID) *support {
	for len(s.support) <= int(hold) {
		s.support = append(s.support, support{})
	}
	return &s.support[hold]
}

// begin opens an attempt with a value.
func (s *system) begin(hold history.HoldID, value int64) { *s.of(hold) = support{value: value} }

// KeySet implements [redis.Watcher].
func (s *system) KeySet(k redis.Key) {
	if behind := s.of(k.Hold); behind.value == k.Value {
		behind.servers++
	}
}

// KeyExtended implements [redis.Watcher]. What a server promises anew counts for nothing
// until the client has a majority; see prolong.
func (s *system) KeyExtended(redis.Key) {}

// prolong records that the client has its majority anew.
func (s *system) prolong(hold history.HoldID, start sim.Time) {
	until := s.env.PromiseEnd(start, s.ttl-s.drift, 0)
	s.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: hold, Until: until})
}

// KeyGone implements [redis.Watcher]. The service as a whole has ended a hold when a
// majority no longer stands behind it.
func (s *system) KeyGone(k redis.Key, why string) {
	behind := s.of(k.Hold)
	if behind.value != k.Value {
		return
	}
	behind.servers--
	if behind.accepted && behind.servers == s.quorum-1 {
		s.end(k.Hold, why)
	}
}

func (s *system) end(hold history.HoldID, why string) {
	s.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: hold, Text: why})
}

// accept records the grant: it exists only because the client accepted it, and it may
// have lost its majority before that.
func (s *system) accept(hold history.HoldID, start sim.Time) {
	behind := s.of(hold)
	behind.accepted = true
	until := s.env.PromiseEnd(start, s.ttl-s.drift, 0)
	s.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: hold, Until: until})
	if behind.servers < s.quorum {
		s.end(hold, "expired")
	}
}
