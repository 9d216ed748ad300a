package consul

import (
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Times of the library (api/lock.go, DefaultLockWaitTime, DefaultLockRetryTime,
// DefaultMonitorRetryTime).
const (
	lockWait     = 15 * time.Second
	lockRetry    = 5 * time.Second
	monitorRetry = 2 * time.Second
)

// monitorWait is how long a blocking read waits that does not say how long
// (agent/consul/config.go, DefaultQueryTime).
const monitorWait = 300 * time.Second

// library is the client side: one api.Lock and the agent under it.
type library struct {
	connection
	index    int
	session  *ownSession
	held     *channel // nil if Lock has not returned with success
	renewers threads
	monitors threads
}

// channel is what Lock returns: it is closed when the lock is lost.
type channel struct{ closed bool }

// Acquire implements [models.Locker]: Lock, and what an application does when it returns
// an error. It tries again; for the pause before that the model takes the library's own.
func (l *library) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	l.hold = hold
	for {
		grant, err := l.lock(p)
		if err == nil {
			return grant, nil
		}
		l.system.env.Note(p.Host(), hold, "Lock failed: "+err.Error())
		p.Sleep(lockRetry)
	}
}

// lock is Lock.Lock, with a session of its own for each call. If it fails, it gives the
// session up.
func (l *library) lock(p *host.Process) (models.Grant, error) {
	s, err := l.createSession(p)
	if err != nil {
		return models.Grant{}, err
	}
	l.session = s
	reply, err := l.tryLock(p)
	if err != nil {
		l.system.reporter.Abandon(s.id, l.hold)
		s.close()
		return models.Grant{}, err
	}
	l.held = &channel{}
	held := l.held
	l.monitors.start(p, func(q *host.Process) { l.monitorLock(q, s.id, held) })
	return models.Grant{Token: l.token(reply)}, nil
}

// tryLock waits until the key is free and takes it. A refusal of a key that is free is a
// lock-delay, which cannot be waited for otherwise than by sleeping.
func (l *library) tryLock(p *host.Process) (network.Message, error) {
	index := int64(0)
	for {
		pair, err := l.get(p, index, lockWait, false)
		switch {
		case err != nil:
			return pair, err
		case pair.Key != 0:
			index = pair.Revision
			p.Step("wait")
			continue
		}
		p.Step("acquire.send")
		reply, err := l.rpc(p, network.Body{Op: OpAcquire, Key: l.session.id})
		p.Step("acquire.reply")
		if err != nil || reply.OK {
			return reply, err
		}
		if pair, err = l.get(p, 0, lockWait, false); err != nil {
			return pair, err
		}
		index = 0
		if pair.Key != 0 {
			index = pair.Revision
			continue
		}
		p.Step("refused")
		p.Sleep(lockRetry)
	}
}

// get reads the key. With an index it blocks until the key has changed since.
func (l *library) get(p *host.Process, index int64, wait time.Duration, consistent bool) (network.Message, error) {
	return l.rpc(p, network.Body{Op: OpGet, Key: index, TTL: wait, OK: consistent})
}

// token is the application's fencing token, of the entry that it has locked.
func (l *library) token(entry network.Message) int64 {
	if l.system.env.Params.Choice("token") == tokenModifyIndex {
		return entry.Revision
	}
	return entry.Token
}

// monitorLock closes the channel when a consistent blocking read shows another holder, or
// fails once more often than there are retries (api/lock.go, monitorLock).
func (l *library) monitorLock(p *host.Process, session int64, held *channel) {
	index, retries := int64(0), l.retries()
	for {
		pair, err := l.get(p, index, monitorWait, true)
		switch {
		case err != nil && retries > 0:
			retries--
			index = 0
			p.Sleep(monitorRetry)
		case err != nil:
			l.lose(p, held, "monitor failed: "+err.Error())
			return
		case pair.Key != session:
			l.lose(p, held, "the session does not hold the key")
			return
		default:
			index, retries = pair.Revision, l.retries()
		}
	}
}

func (l *library) retries() int { return l.system.env.Params.Int("monitor-retries") }

// lose closes the channel. Nobody listens any more to that of a lock that was given back.
func (l *library) lose(p *host.Process, held *channel, why string) {
	if l.held != held {
		return
	}
	p.Step("lost")
	held.closed = true
	l.system.env.Note(p.Host(), l.hold, "loss channel closed: "+why)
}

// Valid implements [models.Locker]: the channel is open and, if the application counts the
// TTL itself, it has not passed since a renewal was answered.
func (l *library) Valid(p *host.Process) bool { return l.valid(p.Now()) }

func (l *library) valid(now clock.Mono) bool {
	if l.held == nil || l.held.closed {
		return false
	}
	return l.system.env.Params.Choice("deadline") == deadlineNone || now.Sub(l.session.renewed) < l.ttl()
}

// Release implements [models.Locker]: Unlock releases the key, whoever holds it now, and
// has the session destroyed after that.
func (l *library) Release(p *host.Process) error {
	if l.held == nil {
		return models.ErrNotHeld // api.ErrLockNotHeld
	}
	s := l.session
	l.held = nil
	l.system.reporter.Leave(s.id, l.hold)
	p.Step("release.send")
	_, err := l.rpc(p, network.Body{Op: OpRelease, Key: s.id})
	p.Step("release.reply")
	s.close()
	return err
}
