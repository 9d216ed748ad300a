package redlock

import (
	"time"

	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/rng"
)

// system is the servers and the clients' libraries.
type system struct {
	behaviour
	env     *models.Env
	servers []*redis.Server
	delayed []*delayedServer // the same, with restart-delay
	quorum  int
	counts  bool // acquiring gives a number
	// foresight is of attempts of clients that ask all servers at once and wait for all replies, at
	// servers without files.
	foresight *redis.Foresight

	members []member
	lockers []models.Locker // the same, as their programs see them

	support []support // by hold
}

// member is the library of one client.
type member interface {
	models.Locker
	// reset is a new trial, forget a new process of the same client.
	reset(s rng.Stream)
	forget()
}

// bare hides that a library can renew.
type bare struct{ models.Locker }

// addClient makes the library of one more client.
func (s *system) addClient() {
	var m member = &library{system: s}
	if s.client == redisson {
		m = &multiLock{system: s}
	}
	var seen models.Locker = m
	switch {
	case s.extension.none:
		seen = bare{m}
	case s.using:
		m = &using{library: library{system: s}}
		seen = bare{m}
	}
	s.members, s.lockers = append(s.members, m), append(s.lockers, seen)
}

func (s *system) Reset() {
	for _, server := range s.servers {
		server.Reset()
	}
	for _, d := range s.delayed {
		d.opens = 0
	}
	for i, m := range s.members {
		m.reset(s.env.Stream("redlock.client", i))
	}
	s.support = s.support[:0]
}

func (s *system) Locker(client int) models.Locker {
	s.members[client].forget()
	return s.lockers[client]
}

// Remove implements [models.Remover].
func (s *system) Remove(server, order int) {
	for i := range s.servers {
		if server == models.AnyServer || server == i {
			s.servers[i].Order(order)
		}
	}
}

// support is what stands behind a hold: the servers that have its key. With a new value for
// each attempt, a key that an earlier one left behind does not count.
type support struct {
	value    int64
	servers  int
	accepted bool
}

// of returns the support of a hold.
func (s *system) of(hold history.HoldID) *support {
	for len(s.support) <= int(hold) {
		s.support = append(s.support, support{})
	}
	return &s.support[hold]
}

// begin says under which value a hold's keys are set from now on.
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
	s.of(hold).accepted = false
	s.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: hold, Text: why})
}

// accept records the grant: it exists only because the client accepted it, and it may
// have lost its majority before that.
func (s *system) accept(hold history.HoldID, start sim.Time, length time.Duration, token int64) {
	behind := s.of(hold)
	behind.accepted = true
	s.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: hold, Until: s.promise(start, length), Token: token})
	if behind.servers < s.quorum {
		s.end(hold, "expired")
	}
}

// prolong records that the client has its majority anew. If it had lost it in between, and
// has set keys again that were gone, it has been let in again.
func (s *system) prolong(hold history.HoldID, start sim.Time, length time.Duration, token int64) {
	if !s.of(hold).accepted {
		s.accept(hold, start, length, token)
		return
	}
	s.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: hold, Until: s.promise(start, length)})
}

// promise is when a promise ends that starts at an instant. Redis's granularity counts
// where no allowance covers it.
func (s *system) promise(start sim.Time, ttl time.Duration) sim.Time {
	return s.env.PromiseEnd(start, ttl-s.drift, max(0, redis.Granularity-s.drift))
}
