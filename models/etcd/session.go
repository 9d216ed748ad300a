package etcd

import (
	"errors"
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Intervals of the client's lease keeper (client/v3/lease.go).
const (
	// retryConnWait is the pause of the loop that sends keepalives.
	retryConnWait = 500 * time.Millisecond
	// reapInterval is the pause of the loop that ends sessions (deadlineLoop).
	reapInterval = time.Second
	// firstDeadline is a session's deadline before its first reply (defaultTTL).
	firstDeadline = 5 * time.Second
)

// errSessionExpired is concurrency.ErrSessionExpired.
var errSessionExpired = errors.New("mutex: session is expired")

// session is a lease that the client keeps alive. The zero value is no session.
type session struct {
	lease    int64
	open     bool       // Done is not closed
	deadline clock.Mono // when the client gives it up
	next     clock.Mono // when the next keepalive is due
}

// newSession grants a lease and begins to keep it alive (concurrency.NewSession).
func (l *library) newSession(p *host.Process) error {
	p.Step("session.grant")
	params := l.system.env.Params
	reply, err := l.call(p, network.Body{Op: OpGrant, TTL: time.Duration(ttlSeconds(params)) * time.Second})
	if err != nil {
		return err
	}
	now := p.Now()
	l.session = session{lease: reply.Key, open: true, deadline: now.Add(firstDeadline), next: now}
	l.unanswered = false
	if !l.keeping {
		l.keeping = true
		p.Go("keepalive", l.keepAlive)
		p.Go("reaper", l.reap)
	}
	return nil
}

// keepAlive is sendKeepAliveLoop and recvKeepAliveLoop of client/v3/lease.go on one
// process: it looks every 500 ms whether a keepalive is due, and takes replies as they
// come. It looks also when nothing can be due, because a pause shifts the grid on which
// it looks.
func (l *library) keepAlive(p *host.Process) {
	for {
		l.sendIfDue(p)
		pause := p.Now().Add(retryConnWait)
		for {
			m, ok := p.Recv(pause)
			if !ok {
				break
			}
			l.receiveKeepAlive(p, m)
		}
	}
}

// sendIfDue sends a keepalive. The source asks whether now is after the instant; real
// time always is when the first keepalive is looked for, virtual time may stand still.
func (l *library) sendIfDue(p *host.Process) {
	if !l.session.open || p.Now() < l.session.next {
		return
	}
	p.Step("keepalive.send")
	l.leaveDeadStream(p.Now())
	if !l.unanswered || l.stream != l.endpoint {
		l.unanswered, l.unansweredSince, l.stream = true, p.Now(), l.endpoint
	}
	p.Send(l.system.cluster.Addr(l.stream), network.Body{Op: OpKeepAlive, Key: l.session.lease, Token: int64(l.stream), Hold: l.hold})
	p.Step("keepalive.sent")
}

// leaveDeadStream goes on to the next member when keepalives have not been answered
// for so long that the connection counts as dead.
func (l *library) leaveDeadStream(now clock.Mono) {
	if l.unanswered && now >= l.unansweredSince.Add(l.system.env.Params.Duration("timeout")) {
		l.leave(l.stream)
	}
}

// receiveKeepAlive is recvKeepAlive of client/v3/lease.go: both the deadline and the
// next keepalive count from the reception, so a reply that has lain in a buffer
// lengthens the client's belief. It is stamped before anything else happens.
func (l *library) receiveKeepAlive(p *host.Process, m network.Message) {
	if m.Op != OpKeepAliveReply || m.Key != l.session.lease || !l.session.open {
		return
	}
	if m.Token != int64(l.stream) { // of a stream that was left
		return
	}
	l.unanswered = false
	now := p.Now()
	switch {
	case !m.OK: // the stream is broken: the loop tries the next member in 500 ms
		l.leave(l.stream)
		return
	case m.TTL <= 0:
		l.lose(p, "session lost: the lease is gone")
	default:
		l.session.next = now.Add(m.TTL / 3)
		l.session.deadline = now.Add(m.TTL)
	}
	p.Step("keepalive.reply")
}

// reap ends the session when its deadline has passed (deadlineLoop).
func (l *library) reap(p *host.Process) {
	for {
		p.Sleep(reapInterval)
		if l.session.open && l.session.deadline < p.Now() {
			l.lose(p, "session lost: no reply for a TTL")
		}
	}
}

// closeSession is Session.Close (client/v3/concurrency/session.go): the session is kept
// alive no longer, and its lease is revoked. That is tried until a member answers
// (client/v3/retry.go, LeaseRevoke is repeatable) or a TTL has passed.
func (l *library) closeSession(p *host.Process) {
	l.session.open = false
	l.system.env.Note(p.Host(), l.hold, "session closed")
	params := l.system.env.Params
	end := p.Now().Add(time.Duration(ttlSeconds(params)) * time.Second)
	for now := p.Now(); now < end; now = p.Now() {
		wait := min(params.Duration("timeout"), end.Sub(now))
		if _, err := l.callFor(p, network.Body{Op: OpRevoke, Key: l.session.lease}, wait); err == nil {
			return
		}
	}
}

// lose closes the session's Done channel.
func (l *library) lose(p *host.Process, text string) {
	l.session.open = false
	l.system.env.Note(p.Host(), l.hold, text)
}
