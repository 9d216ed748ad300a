package etcd

import (
	"time"

	"fencepost/models/raftkv"
	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// forwardPause is the pause between two attempts to forward a renewal
// (server/etcdserver/v3_server.go, LeaseRenew).
const forwardPause = 50 * time.Millisecond

// forwardTimeout is how long an attempt waits for a leader that does not answer: the
// dial timeout between members, a second and an election timeout
// (server/config/config.go, peerDialTimeout).
const forwardTimeout = time.Second + raftkv.ElectionTimeout

// renewal is a request to renew a lease.
type renewal struct {
	client  network.Message // who asked: a client, or a member that forwards
	peer    bool            // it is a member
	until   clock.Mono      // when this member gives up
	attempt uint32          // number of the forwarded request; 0 is none
	retry   clock.Mono      // when to try again
}

// keepAlive serves a client's keepalive (server/etcdserver/v3_server.go, LeaseRenew).
// It does not go through raft: the leader renews from memory, everybody else forwards.
func (s *server) keepAlive(r renewal) {
	switch {
	case !s.member.IsLeader():
		s.forward(r)
	case s.member.TickedWithin(activeWithin):
		s.renewHere(r)
	default:
		s.read(read{renew: &r})
	}
}

// renewChecked goes on when the leadership check has come back. A member that leads no
// more fails the stream, so that the client goes on to another member.
func (s *server) renewChecked(r renewal) {
	if s.member.IsLeader() {
		s.renewHere(r)
	} else {
		s.fail(r)
	}
}

// renewHere renews a lease at this member's lessor (server/lease/lessor.go, Renew). A
// renewal that was forwarded comes here directly, without a leadership check
// (server/lease/leasehttp/http.go, ServeHTTP).
func (s *server) renewHere(r renewal) {
	if !s.lessor.primary {
		s.notPrimary(r)
		return
	}
	le, now := s.lessor.find(r.client.Key), s.member.Now()
	switch {
	case le == nil:
		s.renewed(r, 0)
	case le.expiry <= now:
		s.lessor.blocked = append(s.lessor.blocked, r) // until it is revoked
	default:
		le.refresh(now, 0)
		s.reporter.renewed(le.id)
		s.renewed(r, le.ttl)
	}
}

// unblock tells those who tried to renew an expired lease that it is gone.
func (s *server) unblock(id int64) {
	rest := s.lessor.blocked[:0]
	for _, r := range s.lessor.blocked {
		if r.client.Key == id {
			s.renewed(r, 0)
		} else {
			rest = append(rest, r)
		}
	}
	s.lessor.blocked = rest
}

// renewed answers a renewal; no TTL means that there is no such lease.
func (s *server) renewed(r renewal, ttl time.Duration) {
	op := OpKeepAliveReply
	if r.peer {
		op = OpRenewReply
	}
	s.member.Host().Reply(r.client, network.Body{Op: op, OK: true, Key: r.client.Key, TTL: ttl})
}

// fail answers a renewal with an error.
func (s *server) fail(r renewal) {
	op := OpKeepAliveReply
	if r.peer {
		op = OpRenewReply
	}
	s.member.Host().Reply(r.client, network.Body{Op: op, Key: r.client.Key})
}

// notPrimary handles a renewal that this member's lessor may not do: a client's is
// forwarded, a member's is refused.
func (s *server) notPrimary(r renewal) {
	if r.peer {
		s.fail(r)
	} else {
		s.forward(r)
	}
}

// forward sends a renewal to the leader, or waits for there to be one.
func (s *server) forward(r renewal) {
	lead, now := s.member.Lead(), s.member.Now()
	if lead == nil || lead == s.member {
		r.attempt = 0
		s.waitForward(r, forwardPause)
		return
	}
	s.attempts++
	r.attempt = s.attempts
	r.retry = now.Add(forwardTimeout)
	s.member.Host().Send(lead.Host().Addr(), r.attempt, network.Body{Op: OpRenew, Key: r.client.Key, Hold: r.client.Hold})
	s.waitForward(r, forwardTimeout)
}

// waitForward keeps a renewal until its reply is in or d has passed.
func (s *server) waitForward(r renewal, d time.Duration) {
	r.retry = s.member.Now().Add(d)
	s.forwards = append(s.forwards, r)
	s.member.After(d, timerForward)
}

// forwarded takes the leader's reply to a forwarded renewal.
func (s *server) forwarded(m network.Message) {
	for i, r := range s.forwards {
		if r.attempt != m.Call {
			continue
		}
		s.forwards = append(s.forwards[:i], s.forwards[i+1:]...)
		if m.OK {
			s.renewed(r, m.TTL)
		} else {
			r.attempt = 0
			s.waitForward(r, forwardPause)
		}
		return
	}
}

// retryForwards tries again what is due, and gives up what has taken too long.
func (s *server) retryForwards() {
	now := s.member.Now()
	for i := 0; i < len(s.forwards); i++ {
		r := s.forwards[i]
		if now < r.retry {
			continue
		}
		s.forwards = append(s.forwards[:i], s.forwards[i+1:]...)
		i--
		switch {
		case now >= r.until:
			s.fail(r)
		case s.lessor.primary:
			s.renewHere(r)
		default:
			s.forward(r)
		}
	}
}
