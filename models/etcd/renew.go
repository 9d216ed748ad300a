package etcd

import (
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// forwardPause is the pause after an attempt to forward a renewal that was refused
// (server/etcdserver/v3_server.go, LeaseRenew).
const forwardPause = 50 * time.Millisecond

// leaderWait is the pause between two looks for a leader, while there is none
// (server/etcdserver/v3_server.go, waitLeader).
const leaderWait = electionTimeout

// forwardTimeout is how long a member tries to forward a renewal, and how long one
// attempt waits for a leader that does not answer: the request's whole time
// (server/etcdserver/v3_server.go, LeaseRenew; server/lease/leasehttp/http.go,
// RenewHTTP). Connections between members have no timeout of their own once they are
// up (server/etcdserver/api/rafthttp/util.go, NewRoundTripper;
// client/pkg/transport/timeout_transport.go).
const forwardTimeout = requestTimeout

// renewal is a request to renew a lease.
type renewal struct {
	client  network.Message // who asked: a client, or a member that forwards
	peer    bool            // it is a member
	until   clock.Mono      // when this member gives up to forward it; 0 is not begun
	attempt uint32          // number of the forwarded request; 0 is none
	retry   clock.Mono      // when to try again
}

// renew serves a client's keepalive (server/etcdserver/v3_server.go, LeaseRenew). It
// does not go through raft: the leader renews from memory, everybody else forwards.
func (s *server) renew(r renewal) {
	switch {
	case !s.member.IsLeader():
		s.forward(r)
	case s.variant.trusting, s.member.TickedWithin(activeWithin):
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
	case le.remaining > 0 && s.lessor.checkpoints:
		s.clear(r)
	default:
		le.refresh(now, 0)
		s.reporter.Touch(le.id)
		s.reporter.deposed(s, le.id, "renews the lease")
		s.renewed(r, le.ttl)
	}
}

// unblock tells those who tried to renew an expired lease that it is gone.
func (s *server) unblock(id int64) {
	var gone []renewal
	gone, s.lessor.blocked = split(s.lessor.blocked, id)
	for _, r := range gone {
		s.renewed(r, 0)
	}
}

// split takes the renewals of one lease out of several.
func split(all []renewal, id int64) (of, rest []renewal) {
	rest = all[:0]
	for _, r := range all {
		if r.client.Key == id {
			of = append(of, r)
		} else {
			rest = append(rest, r)
		}
	}
	return of, rest
}

// renewed answers a renewal; no TTL means that there is no such lease.
func (s *server) renewed(r renewal, ttl time.Duration) {
	s.reply(r, network.Body{OK: true, TTL: ttl})
}

// fail answers a renewal with an error.
func (s *server) fail(r renewal) { s.reply(r, network.Body{}) }

func (s *server) reply(r renewal, b network.Body) {
	b.Op, b.Key, b.Token = OpKeepAliveReply, r.client.Key, r.client.Token
	if r.peer {
		b.Op = OpRenewReply
	}
	s.member.Reply(&r.client, b)
	if !r.peer {
		s.served(r.client, b.OK)
	}
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
	if r.until == 0 {
		r.until = s.member.Now().Add(forwardTimeout)
	}
	r.attempt = 0
	switch lead := s.member.Lead(); lead {
	case nil:
		s.waitForward(r, leaderWait)
	case s.member: // it leads and is not the primary yet: it refuses itself
		s.waitForward(r, forwardPause)
	default:
		s.attempts++
		r.attempt = s.attempts
		s.member.Send(lead, r.attempt, network.Body{Op: OpRenew, Key: r.client.Key, Hold: r.client.Hold})
		s.waitForward(r, forwardTimeout)
	}
}

// waitForward keeps a renewal until its reply is in, d has passed or its time is over.
func (s *server) waitForward(r renewal, d time.Duration) {
	now := s.member.Now()
	r.retry = min(now.Add(d), r.until)
	s.forwards = append(s.forwards, r)
	s.member.After(r.retry.Sub(now), timerForward)
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
