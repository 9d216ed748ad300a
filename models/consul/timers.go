package consul

import (
	"slices"
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// multiplier is structs.SessionTTLMultiplier: the leader's timer of a session is twice the
// TTL. The documentation promises that a session does not expire before its TTL.
const multiplier = 2

// A destruction that fails is tried again: so often, after a pause that doubles
// (agent/consul/session_ttl.go, invalidateSession).
const (
	maxInvalidateAttempts = 6
	invalidateRetryBase   = 10 * time.Second
)

// sessionTimer is the leader's timer of a session. It is in memory alone.
type sessionTimer struct {
	session int64
	due     clock.Mono
}

// invalidation is the destruction of an expired session that goes on trying.
type invalidation struct {
	session int64
	attempt int
	due     clock.Mono
}

// arm sets the timer of a session anew (resetSessionTimer).
func (s *server) arm(id int64) {
	wait := multiplier * s.system.env.Params.Duration("ttl")
	due := s.member.Now().Add(wait)
	s.member.After(wait, timerSession)
	for i := range s.timers {
		if s.timers[i].session == id {
			s.timers[i].due = due
			return
		}
	}
	s.timers = append(s.timers, sessionTimer{id, due})
}

// disarm clears the timer of a session that its client has destroyed (session_endpoint.go,
// Apply, clearSessionTimer). The end of a session by its check leaves the timer to run out, and
// so does an expiry that a renewal has crossed.
func (s *server) disarm(id int64) {
	s.timers = slices.DeleteFunc(s.timers, func(t sessionTimer) bool { return t.session == id })
}

// renew renews a session, which does not go through raft: it sets the leader's timer
// (agent/consul/session_endpoint.go, Renew). A session that has expired is there until the
// log says that it is not, and is renewed like others.
func (s *server) renew(m network.Message) {
	if s.store.find(m.Key) == nil {
		s.member.Reply(&m, network.Body{Op: OpRenewReply, Key: m.Key})
		return
	}
	s.arm(m.Key)
	s.system.reporter.Touch(m.Key)
	s.member.Reply(&m, network.Body{Op: OpRenewReply, OK: true, Key: m.Key, TTL: s.system.env.Params.Duration("ttl")})
}

// expire invalidates the sessions whose timers are due.
func (s *server) expire() {
	now := s.member.Now()
	var due []int64
	rest := s.timers[:0]
	for _, t := range s.timers {
		if t.due <= now {
			due = append(due, t.session)
		} else {
			rest = append(rest, t)
		}
	}
	s.timers = rest
	for _, id := range due {
		s.invalidate(invalidation{session: id})
	}
}

// invalidate proposes the end of a session. A server that does not lead cannot, and tries
// again later, whoever leads then and whatever has become of the session.
func (s *server) invalidate(i invalidation) {
	if !s.member.IsLeader() {
		s.retryLater(i)
		return
	}
	s.submit(command{kind: expireSession, subject: i.session}, pending{invalidate: i})
}

func (s *server) retryLater(i invalidation) {
	pause := invalidateRetryBase << i.attempt
	if i.attempt++; i.attempt == maxInvalidateAttempts {
		return
	}
	i.due = s.member.Now().Add(pause)
	s.retries = append(s.retries, i)
	s.member.After(pause, timerInvalidate)
}

// retryInvalidations tries again what is due.
func (s *server) retryInvalidations() {
	now := s.member.Now()
	all := s.retries
	s.retries = nil
	for _, i := range all {
		if i.due <= now {
			s.invalidate(i)
		} else {
			s.retries = append(s.retries, i)
		}
	}
}
