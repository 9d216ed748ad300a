package etcd

import (
	"errors"
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// library is the client side: one etcd client with one session and one mutex.
type library struct {
	system *System
	index  int

	endpoint int // member that the client is connected to, modulo their number
	session  session
	keeping  bool // the keepalive loops run

	unanswered      bool       // a keepalive has been sent that has no reply
	unansweredSince clock.Mono // the first such was sent
	stream          int        // to which member, by its running number

	hold     history.HoldID
	lease    int64 // session under which the lock was acquired
	revision int64 // Mutex.myRev
}

// leave goes on from a member that does not answer to the next one, if that has not
// been done yet: requests, watches and keepalives share the connection.
func (l *library) leave(member int) {
	if l.endpoint == member {
		l.endpoint++
	}
}

// call sends a request once and waits for its reply.
func (l *library) call(p *host.Process, b network.Body) (network.Message, error) {
	return l.callFor(p, b, l.system.env.Params.Duration("timeout"))
}

func (l *library) callFor(p *host.Process, b network.Body, wait time.Duration) (network.Message, error) {
	b.Hold = l.hold
	to := l.endpoint
	reply, err := p.Call(l.system.cluster.Addr(to), b, wait)
	if err != nil {
		l.leave(to)
	}
	return reply, err
}

// read sends a read, which the client library repeats until it is answered
// (client/v3/retry.go, repeatable).
func (l *library) read(p *host.Process, b network.Body) network.Message {
	for {
		if reply, err := l.call(p, b); err == nil {
			return reply
		}
	}
}

// Acquire implements [models.Locker]: Lock, and what an application does when it
// fails. Its new session needs a grant, which the client library repeats until it is
// answered (client/v3/retry.go, LeaseGrant is repeatable).
func (l *library) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	l.hold = hold
	for {
		if !l.session.open && l.newSession(p) != nil {
			continue
		}
		if l.lock(p) == nil {
			l.lease = l.session.lease
			return models.Grant{Token: l.revision}, nil
		}
		l.system.reporter.Abandon(l.session.lease, hold)
		l.closeSession(p)
	}
}

// lock is Mutex.Lock (client/v3/concurrency/mutex.go).
func (l *library) lock(p *host.Process) error {
	p.Step("acquire.send")
	lease := l.session.lease
	reply, err := l.call(p, network.Body{Op: OpTxn, Key: lease})
	if err != nil {
		return err
	}
	l.revision = reply.Token
	if ahead := reply.OK && reply.Key != reply.Token; ahead {
		l.waitDeletes(p)
		if l.looksForItsKey() {
			reply = l.read(p, network.Body{Op: OpGet, Key: lease})
		}
	}
	p.Step("acquire.reply")
	if !reply.OK {
		return errSessionExpired
	}
	return nil
}

// waitDeletes waits until no older key is left, one at a time, the youngest first
// (client/v3/concurrency/key.go). It does not heed the end of the session.
func (l *library) waitDeletes(p *host.Process) {
	for {
		ahead := l.read(p, network.Body{Op: OpPrevious, Token: l.revision})
		if !ahead.OK {
			return
		}
		p.Step("wait")
		l.waitDelete(p, ahead.Key, ahead.Revision)
	}
}

// waitDelete watches a key from a revision on until it is deleted. A watch whose
// connection is dead, or was reset, is resumed on the next member (client/v3/watch.go); a
// quiet connection is asked whether it is alive, which here is the watch asked for again.
func (l *library) waitDelete(p *host.Process, lease, revision int64) {
	b := network.Body{Op: OpWatch, Key: lease, Revision: revision, Hold: l.hold}
	for {
		to := l.endpoint
		call := p.Send(l.system.cluster.Addr(to), b)
		reply, err := p.Reply(call, p.Now().Add(l.system.env.Params.Duration("timeout")))
		if err != nil {
			l.leave(to)
			continue
		}
		if reply.Op == OpWatchCreated {
			reply, err = p.Reply(call, p.Now().Add(dialKeepAlive))
		}
		if err == nil && reply.Op == OpWatchEvent {
			return
		}
		if errors.Is(err, host.ErrReset) {
			l.leave(to)
		}
	}
}

// Valid implements [models.Locker]: the session's Done channel is not closed.
func (l *library) Valid(*host.Process) bool {
	return l.session.open && l.session.lease == l.lease
}

// Release implements [models.Locker]: Unlock deletes the key, whether or not it is
// there. It is not tried twice; see the package comment.
func (l *library) Release(p *host.Process) error {
	l.system.reporter.Leave(l.lease, l.hold)
	p.Step("release.send")
	_, err := l.call(p, network.Body{Op: OpDelete, Key: l.lease})
	p.Step("release.reply")
	if err != nil {
		l.closeSession(p)
	}
	return err
}
