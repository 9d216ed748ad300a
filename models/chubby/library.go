package chubby

import (
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// library is the client side: one session, and a handle on the lock's file.
type library struct {
	system *System

	replica int // that was asked last for the master, modulo their number
	master  int // replica that is believed to be the master, from 1; 0 is none yet
	epoch   int64
	session clientSession
	keeper  *host.Process // sends the KeepAlives
	caller  *host.Process // of the application, that waits for the session to be settled

	hold       history.HoldID
	held       int64 // session under which the lock was acquired
	generation int64
}

func (l *library) duration(name string) time.Duration { return l.system.env.Params.Duration(name) }
func (l *library) timeout() time.Duration             { return l.duration("timeout") }
func (l *library) clockBound() int64                  { return l.system.env.Params.Millionths("clock-bound") }

func (l *library) masterAddr() network.Addr { return l.system.cluster.Addr(l.master - 1) }

func (l *library) note(p *host.Process, text string) { l.system.env.Note(p.Host(), l.hold, text) }

// call makes a call that needs a session. It blocks while the session is in jeopardy, and is
// repeated until it is answered or the session has expired: KeepAlives find the master.
func (l *library) call(p *host.Process, b network.Body) (network.Message, error) {
	b.Hold = l.hold
	for {
		l.Settle(p)
		if !l.session.alive || l.session.id != b.Key {
			return network.Message{}, errExpired
		}
		b.Revision = l.epoch
		reply, err := p.Call(l.masterAddr(), b, l.timeout())
		switch {
		case err != nil:
		case reply.Op == OpEpoch || reply.Op == OpNotMaster:
			p.Sleep(retryPause)
		default:
			return reply, nil
		}
	}
}

// Acquire implements [models.Locker]. An application whose session has expired makes a new one
// and opens the file again.
func (l *library) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	l.hold = hold
	for {
		if !l.session.alive {
			l.newSession(p)
		}
		session := l.session.id
		p.Step("acquire.send")
		reply, err := l.call(p, network.Body{Op: OpAcquire, Key: session, TTL: l.duration("lock-delay")})
		p.Step("acquire.reply")
		if err == nil && reply.OK {
			l.held, l.generation = session, reply.Token
			return models.Grant{Token: l.generation}, nil
		}
		l.system.reporter.Abandon(session, hold)
		l.expire(p, unknown)
	}
}

// Valid implements [models.Locker]: the session under which the lock was acquired is alive
// without a doubt.
func (l *library) Valid(p *host.Process) bool {
	return l.session.id == l.held && l.session.sure(p.Now())
}

// InDoubt implements [models.Suspender]: the session is in jeopardy.
func (l *library) InDoubt(p *host.Process) bool {
	return l.session.alive && !l.session.sure(p.Now())
}

// Settle implements [models.Suspender].
func (l *library) Settle(p *host.Process) {
	for l.InDoubt(p) {
		l.caller = p
		p.SleepUnlessSignalled(l.duration("grace") + time.Second)
	}
	l.caller = nil
}

// wakeCaller ends the wait of a call that was blocked.
func (l *library) wakeCaller() {
	if l.caller != nil {
		l.caller.Signal()
	}
}

// Release implements [models.Locker]. As long as the session is alive it succeeds: if there was
// nothing to release any more, an earlier copy of the call has done it.
func (l *library) Release(p *host.Process) error {
	l.system.reporter.Leave(l.held, l.hold)
	p.Step("release.send")
	reply, err := l.call(p, network.Body{Op: OpRelease, Key: l.held, Token: l.generation})
	p.Step("release.reply")
	if err == nil && !reply.OK {
		l.expire(p, unknown)
		err = errExpired
	}
	return err
}
