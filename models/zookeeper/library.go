package zookeeper

import (
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// library is the client side: one client with one lock.
type library struct {
	system *System
	random rng.Stream
	recipe int

	server    int // of the last connection tried, by its running number
	zk        *handle
	suspended suspension
	manager   *host.Process // Curator's ConnectionStateManager

	hold     history.HoldID
	user     *host.Process // who acquires or releases
	notified bool          // since the watch was set
	mine     child
	held     *handle // under which the lock was acquired
	latch    latch
}

// child is the client's node.
type child struct {
	guid     int64
	czxid    int64
	sequence int64 // the suffix and 1
}

// Acquire implements [models.Locker].
func (l *library) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	l.hold, l.user, l.held = hold, p, nil
	p.Step("acquire.send")
	if l.zk == nil || l.zk.state == closed {
		l.zk = l.newHandle(p)
	}
	if l.manager == nil && l.curated() {
		l.manager = p.Go("connection state", l.manage)
	}
	for attempt := 0; ; attempt++ {
		held, err := l.attempt(p)
		if err == nil {
			l.held = held
			l.latch.begin(l, p)
			if l.system.reporter.token == bySequence {
				return models.Grant{Token: l.mine.sequence}, nil
			}
			return models.Grant{Token: l.mine.czxid}, nil
		}
		if models.RetryOf(l.system.env.Params).Over(attempt) {
			return models.Grant{}, models.ErrNotAcquired
		}
		p.Sleep(l.delay(attempt))
		if l.zk.state == closed {
			l.zk = l.newHandle(p)
		}
	}
}

// Valid implements [models.Locker]: what the program's connection listener has heard.
// SUSPENDED is withdrawn by RECONNECTED, LOST is not. InterProcessMutex itself never says
// that the lock is lost.
func (l *library) Valid(*host.Process) bool {
	if l.recipe == leaderLatch {
		return l.latch.leads
	}
	alive := l.zk == l.held && l.zk.state != closed
	switch l.system.env.Params.Choice("stop-on") {
	case onSuspended:
		return alive && l.zk.state == connected
	case onLost, onExpired:
		return alive
	default:
		return true
	}
}

// Release implements [models.Locker]: the node is deleted. Curator tries for as long as it
// takes, in another session if it must (delete().guaranteed()), and does not mind if the
// node is gone. On the bare client a session that is over has taken the node with it.
func (l *library) Release(p *host.Process) error {
	if l.held == nil {
		return models.ErrNotHeld // it has never acquired: IllegalMonitorStateException
	}
	l.user = p
	l.latch.end()
	l.system.reporter.LeaveAll(l.hold)
	p.Step("release.send")
	var err error
	if l.curated() {
		l.delete(p, l.mine.guid)
	} else {
		err = l.unlock(p)
	}
	p.Step("release.reply")
	return err
}

// unlock deletes the node on the bare client, in the session that owns it.
func (l *library) unlock(p *host.Process) error {
	for l.zk == l.held && l.zk.state != closed {
		reply, err := l.request(p, network.Body{Op: OpDelete, Key: l.mine.guid})
		if err == nil && reply.OK {
			return nil
		}
		if err == nil {
			break
		}
	}
	return models.ErrNotHeld
}

// delete deletes a node, whosever it is.
func (l *library) delete(p *host.Process, guid int64) {
	for {
		if _, err := l.retrying(p, network.Body{Op: OpDelete, Key: guid}); err == nil {
			return
		}
	}
}

// retrying sends a request until it is answered (Curator's RetryLoop.java, callWithRetry).
// Only on the bare client the end of the session is an error: there the program has to make
// a new one.
func (l *library) retrying(p *host.Process, b network.Body) (network.Message, error) {
	for attempt := 0; ; attempt++ {
		reply, err := l.request(p, b)
		if err == nil || err == errSessionExpired && !l.curated() {
			return reply, err
		}
		p.Sleep(l.delay(attempt))
	}
}

// request sends a request once, when there is a connection, and waits for its reply.
func (l *library) request(p *host.Process, b network.Body) (network.Message, error) {
	for l.zk.state == connecting {
		p.SleepUnlessSignalled(host.Forever)
	}
	if l.zk.state == closed {
		return network.Message{}, errSessionExpired
	}
	pk := l.zk.send(p, b)
	for !pk.done {
		p.SleepUnlessSignalled(host.Forever)
	}
	return pk.reply, pk.err
}

// delay is the wait after an attempt.
func (l *library) delay(attempt int) time.Duration {
	return backoff(models.RetryOf(l.system.env.Params), attempt, &l.random)
}

// note puts a remark into the record.
func (l *library) note(text string) { l.system.reporter.note(l.hold, text) }
