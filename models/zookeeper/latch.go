package zookeeper

import (
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// latch is Curator's LeaderLatch once it has led: it gives its leadership up by itself, and
// takes it up again if its node has outlived the disconnection.
type latch struct {
	process *host.Process
	leads   bool // hasLeadership
	held    bool // a hold is on, and its session is not over
	recheck bool // RECONNECTED has not been looked into
}

// begin is the beginning of a hold.
func (t *latch) begin(l *library, p *host.Process) {
	if l.recipe != leaderLatch {
		return
	}
	t.leads, t.held, t.recheck = true, true, false
	if t.process == nil {
		t.process = p.Go("latch", l.watchLatch)
	}
}

// end is LeaderLatch.close.
func (t *latch) end() { t.leads, t.held, t.recheck = false, false, false }

// stateChanged is LeaderLatch.handleStateChange. The standard error policy takes SUSPENDED
// for an error, the session policy LOST alone.
func (t *latch) stateChanged(l *library) {
	if !t.held {
		return
	}
	standard := l.system.env.Params.Choice("stop-on") == onSuspended
	switch another := l.zk != l.held; {
	case another && l.latchByPath():
		t.leads, t.recheck = false, l.zk.state == connected
	case another:
		t.leads, t.held = false, false
	case l.suspended.on && standard:
		t.leads = false
	case !l.suspended.on && standard:
		t.recheck = true
	}
	t.process.Signal()
}

// latchByPath says that a node of an earlier session is taken for its own (CURATOR-696).
func (l *library) latchByPath() bool { return l.system.env.Params.Choice("latch-node") == byPath }

// watchLatch looks again after each reconnection. Should the node be gone, LeaderLatch would
// queue up anew, which here is the program's next acquire.
func (l *library) watchLatch(p *host.Process) {
	t := &l.latch
	for {
		if !t.recheck {
			p.SleepUnlessSignalled(host.Forever)
			continue
		}
		t.recheck = false
		held := l.held
		listed, err := l.request(p, network.Body{Op: OpChildren, Key: l.mine.guid})
		if err != nil || !listed.OK || listed.Key != 0 {
			continue
		}
		if l.latchByPath() {
			t.leads, l.held = t.held, l.zk
			continue
		}
		stat, err := l.request(p, network.Body{Op: OpExists, Key: l.mine.guid})
		if err == nil && stat.OK && t.held && l.held == held && l.zk == held && stat.Key == held.session && held.state == connected {
			t.leads = true
		}
	}
}
