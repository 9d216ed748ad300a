package hazelcast

import (
	"fmt"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// errOwnershipLost is LockOwnershipLostException.
var errOwnershipLost = fmt.Errorf("its session is closed: %w", models.ErrNotHeld)

// proxy is the client side: a FencedLock proxy with the session of its client
// (AbstractFencedLockProxy.java).
type proxy struct {
	system *fenced
	random rng.Stream
	target int // member that is believed to lead, modulo their number

	session         clientSession
	beating         bool // the heartbeats' process runs
	beatTarget      int
	unanswered      bool // so is a heartbeat
	unansweredSince clock.Mono

	hold   history.HoldID
	locked int64 // session under which the lock is held, 0 if it is not
}

// newRequest draws the identity of a request, which is a random UUID.
func (l *proxy) newRequest() int64 { return int64(l.random.Uint64() >> 1) }

// next goes on to the next member from one that did not answer, if that has not been done.
func (l *proxy) next(from int) {
	if l.target == from {
		l.target++
	}
}

// follow goes to the leader that a member names. While it names none, another is asked after
// a pause.
func (l *proxy) follow(p *host.Process, m network.Message) {
	if m.Value != 0 {
		l.target = int(m.Value) - 1
		return
	}
	from := l.target
	p.Sleep(retryPause)
	l.next(from)
}

// invoke has a request committed. It is repeated until it is answered.
func (l *proxy) invoke(p *host.Process, b network.Body) network.Message {
	b.Hold = l.hold
	for {
		to := l.target
		reply, err := p.Call(l.system.cluster.Addr(to), b, l.duration("timeout"))
		switch {
		case err != nil:
			l.next(to)
		case reply.Op == OpNotLeader:
			l.follow(p, reply)
		default:
			return reply
		}
	}
}

// Acquire implements [models.Locker]: lockAndGetFence. All its attempts are one request.
func (l *proxy) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	l.hold = hold
	id := l.newRequest()
	for {
		session := l.acquireSession(p)
		p.Step("acquire.send")
		reply := l.invoke(p, network.Body{Op: OpLock, Key: session, Value: id})
		p.Step("acquire.reply")
		if reply.OK {
			l.locked = session
			return models.Grant{Token: reply.Token}, nil
		}
		l.invalidate(session)
	}
}

// Valid implements [models.Locker]: the session under which the lock was acquired has not been
// found to be over.
func (l *proxy) Valid(*host.Process) bool { return l.locked != 0 && l.locked == l.session.id }

// Release implements [models.Locker]: unlock.
func (l *proxy) Release(p *host.Process) error {
	session := l.locked
	l.system.reporter.Leave(session, l.hold)
	p.Step("release.send")
	defer p.Step("release.reply")
	if !l.Valid(p) {
		l.locked, l.session.inUse = 0, false
		return errOwnershipLost
	}
	reply := l.invoke(p, network.Body{Op: OpUnlock, Key: session, Value: l.newRequest()})
	l.locked, l.session.inUse = 0, false
	switch {
	case reply.Key == 0:
		l.invalidate(session)
		return errOwnershipLost
	case !reply.OK:
		return models.ErrNotHeld
	}
	return nil
}
