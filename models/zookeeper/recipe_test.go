package zookeeper

import (
	"testing"
	"time"

	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// The reply to the create is lost. After the reconnection the client finds the child by its
// GUID and does not make another, behind which it would wait for itself.
func TestLostReplyToCreate(t *testing.T) {
	for _, recipe := range []int64{interProcessMutex, leaderLatch, plain} {
		r := newRig(t, 1, map[string]int64{"recipe": recipe})
		r.Net.Hold(&network.Hold{From: r.server(0).ID, To: r.Env.Clients[0].ID, Op: OpDone, Until: at(60 * second)})
		if recipe != plain { // the first reply says that there is no parent
			for _, s := range r.system().servers {
				s.tree.parent = true
			}
		}
		u := r.Lock(0, second, 0)
		r.Run(30 * second)
		if u.Acquired == 0 || len(r.Records(u.Hold, history.Grant)) != 1 {
			t.Errorf("recipe %d: acquired %v with %d grants", recipe, u.Acquired, len(r.Records(u.Hold, history.Grant)))
		}
		if n := len(r.leader().tree.nodes); n != 1 {
			t.Errorf("recipe %d: %d children", recipe, n)
		}
		if g := r.granted(u); g.Token != u.Token {
			t.Errorf("recipe %d: token %d, granted with %d", recipe, u.Token, g.Token)
		}
	}
}

// A waiter whose session expires while it waits finds NoNode for its own child when it looks
// again, and queues up anew.
func TestWaiterWithDeadSessionQueuesUpAnew(t *testing.T) {
	for _, recipe := range []int64{interProcessMutex, leaderLatch, plain} {
		r := newRig(t, 2, map[string]int64{"recipe": recipe})
		holder, waiter := r.Lock(0, second, 60*second), r.Lock(1, 2*second, 0)
		r.Run(3 * second)
		r.Env.Clients[1].Pause(at(40 * second))
		r.Run(80 * second)
		if holder.Released == 0 || waiter.Acquired < holder.Released-at(2*ms) || waiter.Token <= holder.Token {
			t.Errorf("recipe %d: released %v, waiter acquired %v with %d after %d", recipe, holder.Released, waiter.Acquired, waiter.Token, holder.Token)
		}
		if r.exclusion.Violated() || r.grants.Violated() || !r.valid(1) {
			t.Errorf("recipe %d: %+v %+v", recipe, r.exclusion.Findings(), r.grants.Findings())
		}
	}
}

// orphan is a client whose session ends, as it sees it, while the servers still have it: its
// words reach them, theirs do not reach it. It has created a node of which it does not know.
// When the servers are heard again it has a new session and finds the node by its GUID.
func orphan(t *testing.T, protection int64) *rig {
	r := newRig(t, 2, map[string]int64{"protection": protection})
	r.Lock(1, second, 3*second) // makes the parent
	first := r.Lock(0, 6*second, 60*second)
	var heals []func()
	r.At(6*second+6*ms, func() { // the create is on its way
		for _, s := range r.servers() {
			heals = append(heals, r.Cut(s, r.Env.Clients[0]))
		}
	})
	r.Run(10 * second)
	old := r.system().clients[0].zk.session
	for r.system().clients[0].zk.session == old && r.World.Now() < at(60*second) {
		r.Run(r.World.Now().Duration() + 10*ms)
	}
	for _, heal := range heals {
		heal()
	}
	waiter := r.Lock(1, 0, 20*second)
	r.Run(100 * second)
	if first.Acquired == 0 || waiter.Acquired == 0 {
		t.Fatalf("acquired %v and %v", first.Acquired, waiter.Acquired)
	}
	return r
}

// Curator used to adopt any child with its GUID. One of the session before is about to go,
// and with it the lock of a client that believes to have it (CURATOR-604).
func TestAdoptingTheNodeOfADeadSession(t *testing.T) {
	if r := orphan(t, anySession); !r.exclusion.Violated() {
		t.Errorf("no overlap\n%s", r.dump())
	}
	if r := orphan(t, 0); r.exclusion.Violated() {
		t.Errorf("%+v\n%s", r.exclusion.Findings(), r.dump())
	}
}

// A waiter hears nothing of the servers, though they hear it: it declares its session expired
// while they prolong it. When it hears them again, InterProcessMutex finds the node of the old
// session first in line and takes the lock, which is gone with that session a little later:
// two hold it, though nobody has slept and both would stop on SUSPENDED. LeaderLatch looks at
// the owner of its node, and the bare client's program begins anew with its new session.
func TestWaiterTakesTheNodeOfADeadSession(t *testing.T) {
	for _, recipe := range []int64{interProcessMutex, leaderLatch, plain} {
		r := newRig(t, 3, map[string]int64{"recipe": recipe})
		r.Lock(1, second, 18*second)
		r.Lock(0, 2*second, 20*second)
		r.Lock(2, 3*second, 20*second)
		r.Run(4 * second)
		var heals []func()
		for _, s := range r.servers() {
			heals = append(heals, r.Cut(s, r.Env.Clients[0]))
		}
		old := r.system().clients[0].zk
		for r.system().clients[0].zk == old && old.state != closed && r.World.Now() < at(60*second) {
			r.Run(r.World.Now().Duration() + 10*ms)
		}
		for _, heal := range heals {
			heal()
		}
		valid := false
		for r.World.Now() < at(100*second) {
			r.Run(r.World.Now().Duration() + 10*ms)
			valid = valid || r.exclusion.Believer() >= 0 && r.exclusion.Violated() && r.valid(0) && r.valid(2)
		}
		if r.exclusion.Violated() != (recipe == interProcessMutex) || valid != (recipe == interProcessMutex) {
			t.Errorf("recipe %d: both valid %v, %+v\n%s", recipe, valid, r.exclusion.Findings(), r.dump())
		}
	}
}

// LeaderLatch gives up with SUSPENDED and takes up again with RECONNECTED, in the session
// that it had. Under its session policy it sits the disconnection out. A mutex whose program
// stops on SUSPENDED may go on as well.
func TestReconnectionInTime(t *testing.T) {
	for _, c := range []struct {
		recipe, stop int64
		while        bool // valid while disconnected
	}{{leaderLatch, onSuspended, false}, {leaderLatch, onLost, true}, {interProcessMutex, onSuspended, false},
		{interProcessMutex, onLost, true}, {plain, onSuspended, false}, {plain, onExpired, true}} {
		r := newRig(t, 1, map[string]int64{"recipe": c.recipe, "stop-on": c.stop})
		u := r.Lock(0, second, 0)
		r.Run(5 * second)
		heal := r.partition(0)
		r.Run(r.heardAt(0).Duration() + 2*T/3 + 10*ms)
		if r.valid(0) != c.while {
			t.Errorf("recipe %d, stop-on %d: valid %v while disconnected", c.recipe, c.stop, r.valid(0))
		}
		heal()
		r.Run(r.World.Now().Duration() + reconnectPause + T/3 + reconnectPause + slack)
		if !r.valid(0) || len(r.ends(u)) > 0 {
			t.Errorf("recipe %d, stop-on %d: valid %v after the reconnection, ended %v", c.recipe, c.stop, r.valid(0), r.ends(u))
		}
	}
}

// After LOST nothing brings the hold back, though the client is connected again.
func TestLostIsForGood(t *testing.T) {
	for _, c := range []struct{ recipe, stop int64 }{{leaderLatch, onSuspended}, {leaderLatch, onLost},
		{interProcessMutex, onSuspended}, {interProcessMutex, onLost}, {plain, onSuspended}, {plain, onExpired}} {
		r := newRig(t, 1, map[string]int64{"recipe": c.recipe, "stop-on": c.stop})
		u := r.Lock(0, second, 50*second)
		r.Run(5 * second)
		heal := r.partition(0)
		r.Run(30 * second)
		heal()
		for d := 30 * second; d < 50*second; d += 100 * ms {
			r.Run(d)
			if r.valid(0) {
				t.Fatalf("recipe %d, stop-on %d: valid again at %v", c.recipe, c.stop, d)
			}
		}
		r.Run(60 * second)
		if u.Released == 0 || (u.Err == nil) == (c.recipe == plain) {
			t.Errorf("recipe %d: released %v: %v", c.recipe, u.Released, u.Err)
		}
		if ends := r.ends(u); len(ends) != 1 || ends[0] != "expired" {
			t.Errorf("recipe %d: ended %v", c.recipe, ends)
		}
	}
}

// A release whose servers are away goes on until one answers: guaranteed deletion.
func TestReleaseOutlivesAPartition(t *testing.T) {
	r := newRig(t, 2, nil)
	u, waiter := r.Lock(0, second, 4*second), r.Lock(1, 2*second, 0)
	r.At(4900*ms, func() {
		heal := r.partition(0)
		r.At(9*second, heal)
	})
	r.Run(40 * second)
	if u.Err != nil || u.Released < at(9*second) || r.ends(u)[0] != "released" || waiter.Acquired == 0 {
		t.Errorf("released %v: %v, ended %v, waiter acquired %v", u.Released, u.Err, r.ends(u), waiter.Acquired)
	}
}

// A reset of the connection is Disconnected at once, not after 2T/3.
func TestResetIsDisconnected(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, second, 0)
	r.Run(5 * second)
	r.Net.Break(r.Env.Clients[0].ID, r.server(0).ID, 0)
	r.Run(5*second + ms)
	if r.valid(0) {
		t.Error("still connected")
	}
	r.Run(5*second + reconnectPause + slack)
	if !r.valid(0) || len(r.ends(u)) > 0 {
		t.Errorf("valid %v, ended %v", r.valid(0), r.ends(u))
	}
}

// A client that crashes and starts anew is another session, behind its own old node.
func TestRestartedClientWaitsForItsOldSession(t *testing.T) {
	r := newRig(t, 1, nil)
	r.Lock(0, second, 0)
	r.Run(5 * second)
	touched := r.touchedAt(0)
	r.Env.Clients[0].Crash(host.LoseMemory)
	r.Env.Clients[0].Restart(false)
	r.Lockers[0] = r.System.Locker(0)
	again := r.Lock(0, time.Second, 0)
	r.Run(40 * second)
	r.within("acquired", again.Acquired, touched.Add(T), touched.Add(T+3*tickTime/2+slack))
}
