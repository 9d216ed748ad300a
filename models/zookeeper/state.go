package zookeeper

import (
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/host"
)

// suspension is what Curator's ConnectionStateManager knows: since when, by the wall clock,
// the connection has been SUSPENDED.
type suspension struct {
	on    bool
	since clock.Wall
}

// curated says that the client is Curator's.
func (l *library) curated() bool { return l.recipe != plain }

// reconnected is SyncConnected: CONNECTED or RECONNECTED.
func (l *library) reconnected(h *handle) {
	if l.zk != h {
		return
	}
	if l.suspended.on {
		l.suspended.on = false
		l.note("reconnected")
	}
	l.changed()
}

// disconnected is Disconnected, which is SUSPENDED.
func (l *library) disconnected(p *host.Process) {
	l.suspended = suspension{on: true, since: p.Wall()}
	l.note("suspended")
	l.changed()
}

// expired is Expired, which is LOST. Curator makes a new ZooKeeper object at once
// (imps/CuratorFrameworkImpl.java; client, ConnectionState.java, handleExpiredSession).
func (l *library) expired(p *host.Process, why string) {
	l.suspended.on = false
	l.note("lost: the client " + why)
	if l.curated() {
		l.zk = l.newHandle(p)
	}
	l.changed()
}

// changed tells those who wait that the state of the connection has changed. Watchers hear
// of it too.
func (l *library) changed() {
	l.latch.stateChanged(l)
	if l.manager != nil {
		l.manager.Signal()
	}
	l.event()
}

// event wakes whoever waits for a watch or a state.
func (l *library) event() {
	l.notified = true
	if l.user != nil {
		l.user.Signal()
	}
}

// manage is ConnectionStateManager.processEvents: it sleeps until SUSPENDED would have
// lasted for the session's timeout, or a share of it, and then looks at the wall clock. If it says
// so, Curator ends the session itself (injectSessionExpiration).
func (l *library) manage(p *host.Process) {
	never := l.system.env.Params.Millionths("expiration-percent") == 0
	for {
		timeout := l.suspensionTimeout()
		elapsed := timeout / 2
		if l.suspended.on {
			elapsed = p.Wall().Sub(l.suspended.since)
		}
		if p.SleepUnlessSignalled(timeout-elapsed) || !l.suspended.on {
			continue
		}
		switch {
		case never:
			p.SleepUnlessSignalled(host.Forever) // until the state changes
		case p.Wall().Sub(l.suspended.since) >= l.suspensionTimeout():
			l.zk.expire(p, "was suspended for the timeout")
		}
	}
}

// suspensionTimeout is getUseSessionTimeoutMs: all of the session's timeout as long as the
// connection is not suspended, and also if Curator never ends a session.
func (l *library) suspensionTimeout() time.Duration {
	share := l.system.env.Params.Millionths("expiration-percent")
	if !l.suspended.on || share == 0 || share == expirationPercent {
		return l.zk.timeout
	}
	return l.zk.timeout / expirationPercent * time.Duration(share)
}
