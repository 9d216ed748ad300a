package zookeeper

import (
	"errors"

	"fencepost/sim/host"
	"fencepost/sim/network"
)

// errNoNode is NoNode for the client's own child: its session has ended meanwhile.
var errNoNode = errors.New("no node")

// attempt queues up and waits for its turn (LockInternals.java, attemptLock; LeaderLatch.java,
// reset). It returns the handle whose session has the lock.
func (l *library) attempt(p *host.Process) (*handle, error) {
	if err := l.create(p); err != nil {
		return nil, err
	}
	p.Step("created")
	for {
		h, err := l.turn(p)
		if h != nil || err != nil {
			return h, err
		}
	}
}

// turn looks whether it is this client's turn, and if not waits for an event
// (internalLockLoop, getsTheLock; checkLeadership). A disconnection is one too.
func (l *library) turn(p *host.Process) (*handle, error) {
	l.notified = false
	listed, err := l.retrying(p, network.Body{Op: OpChildren, Key: l.mine.guid})
	switch {
	case err != nil:
		return nil, err
	case !listed.OK:
		return nil, errNoNode
	case listed.Key == 0:
		p.Step("acquire.reply")
		return l.first(p)
	}
	p.Step("wait")
	ahead, err := l.retrying(p, network.Body{Op: OpWatch, Key: listed.Key})
	if err != nil || !ahead.OK {
		return nil, err
	}
	for !l.notified {
		p.SleepUnlessSignalled(host.Forever)
	}
	return nil, nil
}

// first is what a client does that finds its node in the first place. InterProcessMutex has
// the lock. LeaderLatch looks whether the node is its session's: one of an earlier session
// is about to go. Before CURATOR-696 it did not look.
func (l *library) first(p *host.Process) (*handle, error) {
	h := l.zk
	if l.recipe != leaderLatch || l.latchByPath() {
		return h, nil
	}
	stat, err := l.retrying(p, network.Body{Op: OpExists, Key: l.mine.guid})
	if err != nil {
		return nil, err
	}
	if h = l.zk; !stat.OK || stat.Key != h.session || h.state != connected {
		return nil, errNoNode
	}
	return h, nil
}

// create makes the node, with a new GUID in its name. After a connection loss nobody knows
// whether it was made, so the client looks for a child with its GUID first
// (CreateBuilderImpl.java, pathInForeground, findProtectedNodeInForeground).
func (l *library) create(p *host.Process) error {
	l.mine = child{guid: l.newGUID()}
	for attempt := 0; ; attempt++ {
		made, err := l.tryCreate(p, attempt > 0)
		if made || err == errSessionExpired && !l.curated() {
			return err
		}
		p.Sleep(l.delay(attempt))
	}
}

// tryCreate is one attempt. The parent is made when it turns out to be missing.
func (l *library) tryCreate(p *host.Process, again bool) (made bool, err error) {
	if again {
		if found, err := l.adopt(p); found || err != nil {
			return found, err
		}
	}
	for {
		reply, err := l.request(p, network.Body{Op: OpCreate, Key: l.mine.guid})
		if err != nil {
			return false, err
		}
		if reply.OK {
			l.mine.sequence, l.mine.czxid = reply.Key, reply.Token
			return true, nil
		}
		if _, err := l.request(p, network.Body{Op: OpMakeParent}); err != nil {
			return false, err
		}
	}
}

// adopt looks for a child that an earlier attempt has made. One of an earlier session is
// about to go, so it is deleted and not adopted (ProtectedMode.java, validateFoundNode);
// before Curator looked at the session it was.
func (l *library) adopt(p *host.Process) (found bool, err error) {
	listed, err := l.request(p, network.Body{Op: OpChildren, Key: l.mine.guid})
	if err != nil || !listed.OK {
		return false, err
	}
	stat, err := l.request(p, network.Body{Op: OpExists, Key: l.mine.guid})
	if err != nil || !stat.OK {
		return false, err
	}
	if stat.Key != l.zk.session && l.system.env.Params.Choice("protection") != anySession {
		l.delete(p, l.mine.guid)
		l.mine.guid = l.newGUID()
		return false, nil
	}
	l.mine.sequence, l.mine.czxid = listed.Token, stat.Token
	return true, nil
}

// newGUID draws the GUID of a node.
func (l *library) newGUID() int64 { return int64(l.random.Uint64() >> 1) }
