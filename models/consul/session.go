package consul

import (
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// renewRetry is the pause after a renewal that has failed (api/session.go, RenewPeriodic).
const renewRetry = time.Second

// ownSession is a session as the client that made it has it, with the process that renews it.
type ownSession struct {
	id      int64
	process *host.Process
	closed  bool
	renewed clock.Mono // when its creation or the last renewal was answered
}

// createSession makes a session and begins to renew it (api/lock.go, Lock).
func (l *library) createSession(p *host.Process) (*ownSession, error) {
	p.Step("session.create")
	reply, err := l.rpc(p, network.Body{Op: OpCreate, Key: int64(l.index), TTL: l.ttl()})
	if err != nil {
		return nil, err
	}
	s := &ownSession{id: reply.Key, renewed: p.Now()}
	s.process = l.renewers.start(p, func(q *host.Process) { l.renewPeriodic(q, s) })
	return s, nil
}

// renewPeriodic renews a session every half of its TTL, until it is closed, which destroys
// it. It gives up without a word when a renewal says that there is no such session, or
// when none was answered for more than a TTL (api/session.go, RenewPeriodic).
func (l *library) renewPeriodic(p *host.Process, s *ownSession) {
	wait, last := l.ttl()/2, p.Now()
	for p.Now().Sub(last) <= l.ttl() {
		if !s.closed {
			p.SleepUnlessSignalled(wait)
		}
		if s.closed {
			_, _ = l.rpc(p, network.Body{Op: OpDestroy, Key: s.id})
			return
		}
		p.Step("renew.send")
		reply, err := l.rpc(p, network.Body{Op: OpRenew, Key: s.id})
		p.Step("renew.reply")
		if err != nil {
			wait = renewRetry
			continue
		}
		if !reply.OK {
			l.system.env.Note(p.Host(), l.hold, "renewal answered: no such session")
			return
		}
		wait, last = l.ttl()/2, p.Now()
		s.renewed = last
	}
	l.system.env.Note(p.Host(), l.hold, "renewals given up: none answered for a TTL")
}

// close ends a session: its process destroys it, if that still runs.
func (s *ownSession) close() {
	s.closed = true
	s.process.Signal()
}

func (l *library) ttl() time.Duration { return l.system.env.Params.Duration("ttl") }
