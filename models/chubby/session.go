package chubby

import (
	"fmt"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// errExpired is what calls return when the session has expired.
var errExpired = fmt.Errorf("session expired: %w", models.ErrNotHeld)

// Why a session has expired.
const (
	unknown = "session expired: the master has ended it"
	tooLate = "session expired: the grace period is over"
)

// retryPause is the pause before a client asks again who the master is, after it was told of
// one that is none.
const retryPause = 500 * time.Millisecond

// clientSession is a session as the client knows it. The zero value is no session.
type clientSession struct {
	id       int64
	alive    bool
	lease    clock.Mono // until when the session is sure to be alive
	jeopardy bool       // the application has been told that it is in jeopardy
	failOver int64      // epoch of the last fail-over event
}

// sure reports whether the session is alive without a doubt.
func (s *clientSession) sure(now clock.Mono) bool { return s.alive && now < s.lease }

// extend extends the local lease to what a reply says, which was sent at an instant or later.
// The master's clock may be faster by a bound, in millionths.
func (s *clientSession) extend(sent clock.Mono, ttl time.Duration, bound int64) {
	s.lease = max(s.lease, sent.Add(slowest(ttl, bound)))
}

// slowest is how much a clock advances at least, if it is slower by a bound in millionths than
// one that advances by d.
func slowest(d time.Duration, bound int64) time.Duration {
	const million = 1_000_000
	parts := million + bound
	return time.Duration(int64(d)/parts*million + int64(d)%parts*million/parts)
}

// newSession creates a session, for which it may have to find the master.
func (l *library) newSession(p *host.Process) {
	l.system.cluster.AwaitFirst(p, retryPause)
	for l.master == 0 {
		l.locate(p)
	}
	for {
		p.Step("session.create")
		sent := p.Now()
		reply, err := p.Call(l.masterAddr(), network.Body{Op: OpCreate, Revision: l.epoch, Hold: l.hold}, l.timeout())
		switch {
		case err != nil:
			l.locate(p)
		case reply.Op == OpCreated:
			l.session = clientSession{id: reply.Key, alive: true}
			l.session.extend(sent, reply.TTL, l.clockBound())
			l.startKeeping(p)
			return
		default:
			l.redirected(p, reply)
		}
	}
}

// startKeeping has the session kept alive by a thread of the library's own.
func (l *library) startKeeping(p *host.Process) {
	if l.keeper == nil {
		l.keeper = p.Go("keepalive", l.keepAlive)
	} else {
		l.keeper.Signal()
	}
}

// keepAlive sends one KeepAlive after the other for as long as there is a session (2.8).
func (l *library) keepAlive(p *host.Process) {
	for {
		if l.judge(p); l.session.alive {
			l.exchange(p)
		} else {
			p.SleepUnlessSignalled(time.Duration(sim.Forever / 2))
		}
	}
}

// exchange sends a KeepAlive and waits for its reply. As long as the session is sure, that may
// take until the end of the lease; in jeopardy it should come at once.
func (l *library) exchange(p *host.Process) {
	s := &l.session
	p.Step("keepalive.send")
	sent := p.Now()
	deadline, over := s.lease, !s.sure(sent)
	if over {
		deadline = sent.Add(l.patience(sent))
	}
	call := p.Send(l.masterAddr(), network.Body{Op: OpKeepAlive, Key: s.id, Revision: l.epoch, Token: s.failOver, OK: over, Hold: l.hold})
	p.Step("keepalive.sent")
	reply, err := p.Reply(call, deadline)
	switch {
	case err != nil && (over || p.Now() < s.lease): // no answer, or the connection was reset
		l.locate(p)
	case err != nil: // the same replica is asked once more, without patience
	case reply.Op == OpKeepAliveReply:
		p.Step("keepalive.reply")
		l.kept(p, sent, reply)
	default:
		l.redirected(p, reply)
	}
}

// kept takes the reply to a KeepAlive that was sent at an instant. The master had it for as
// long as it says, so the reply was not sent before the KeepAlive plus that time (2.8).
func (l *library) kept(p *host.Process, sent clock.Mono, reply network.Message) {
	s := &l.session
	if !reply.OK {
		l.expire(p, unknown)
		return
	}
	held := slowest(time.Duration(reply.Value), l.clockBound())
	s.extend(sent.Add(held), reply.TTL, l.clockBound())
	if reply.Token != 0 {
		s.failOver = reply.Token
	}
	if s.jeopardy && s.sure(p.Now()) {
		s.jeopardy = false
		p.Step("safe")
		l.note(p, "session safe")
		l.wakeCaller()
	}
}

// judge notices that the local lease, or the grace period after it, is over.
func (l *library) judge(p *host.Process) {
	s, now := &l.session, p.Now()
	if !s.alive || now < s.lease {
		return
	}
	if !s.jeopardy {
		s.jeopardy = true
		p.Step("jeopardy")
		l.note(p, "session in jeopardy")
	}
	if now >= l.graceEnd() {
		l.expire(p, tooLate)
	}
}

// patience is how long to wait for a reply that is due: not beyond the grace period.
func (l *library) patience(now clock.Mono) time.Duration {
	if !l.session.alive {
		return l.timeout()
	}
	return min(l.timeout(), l.graceEnd().Sub(now))
}

// graceEnd is when a session in jeopardy counts as expired.
func (l *library) graceEnd() clock.Mono { return l.session.lease.Add(l.duration("grace")) }

// expire ends the session for the client: every later call on it fails.
func (l *library) expire(p *host.Process, text string) {
	if !l.session.alive {
		return
	}
	l.session.alive = false
	p.Step("expired")
	l.note(p, text)
	l.wakeCaller()
}

// redirected follows a reply that a replica gives that is not the session's master.
func (l *library) redirected(p *host.Process, reply network.Message) {
	if reply.Op == OpEpoch {
		l.epoch = max(l.epoch, reply.Revision)
		return
	}
	p.Sleep(retryPause)
	l.locate(p)
}

// locate asks a replica who the master is, each time another one (2.1).
func (l *library) locate(p *host.Process) {
	p.Step("locate")
	l.replica++
	reply, err := p.Call(l.system.cluster.Addr(l.replica), network.Body{Op: OpLocate, Hold: l.hold}, l.patience(p.Now()))
	switch {
	case err == nil && reply.OK:
		l.master = int(reply.Value)
	case err == nil: // it knows of none
		p.Sleep(retryPause)
	}
}
