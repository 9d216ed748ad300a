package zookeeper

import (
	"slices"
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim/history"
	"fencepost/sim/rng"
)

// A client comes back about when its session ends, and disks are slow, so that an entry of the
// log takes longer than a message. The leader touches the session when it is asked, and not
// when the entry that moves it comes: whoever is told that his session goes on has it for its
// whole timeout, and whoever comes too late is promised nothing.
func TestResumingAboutTheEnd(t *testing.T) {
	modeltest.ManyTrials(t)
	r := newRig(t, 2, map[string]int64{"stop-on": onLost, "client-version": 1})
	r.Env.Fsync = rng.Constant(100 * ms)
	resumed, ended := 0, 0
	for seed := uint64(1); seed <= 400; seed++ {
		r.reset(seed)
		s := rng.New(rng.Hash(seed, rng.HashString("resume")), nil)
		u := r.Lock(int(seed%2), second, 40*second)
		r.Lock(int(1-seed%2), 3*second, second)
		r.Run(6 * second)
		heal := r.partition(int(seed % 2))
		r.At(6*second+s.Between(6*second, 14*second), heal)
		r.Run(60 * second)
		if r.grants.Violated() {
			t.Errorf("seed %d: %+v", seed, r.grants.Findings())
		}
		if slices.Contains(r.ends(u), "expired") {
			ended++
		} else {
			resumed++
		}
	}
	if resumed < 50 || ended < 50 {
		t.Errorf("%d sessions were resumed, %d ended: not about their end", resumed, ended)
	}
}

// The leader drops what comes from a session whose end it has proposed. It answers no ping, and
// tells a client that asks for the session, by way of whichever server, that it is over.
func TestClosingSessionIsNotAnswered(t *testing.T) {
	for _, by := range []int{0, 1} { // the leader, a follower
		r := newRig(t, 1, nil)
		u := r.Lock(0, second, 0)
		r.Run(5 * second)
		zk := r.system().clients[0].zk
		leader := r.leader()
		leader.tracker.find(zk.session).closing = true
		heard, promises := r.heardAt(0), len(r.Records(u.Hold, history.Promise))
		r.Run(5*second + T/2)
		if r.heardAt(0) != heard || len(r.Records(u.Hold, history.Promise)) != promises {
			t.Error("a ping was answered")
		}
		r.system().clients[0].server = by + 2 // the one before it
		zk.server = by + 2
		r.Net.Break(r.Env.Clients[0].ID, r.server(0).ID, 0)
		r.Run(r.World.Now().Duration() + spinDelay + reconnectPause + slack)
		if zk.state != closed || r.valid(0) || len(r.Records(u.Hold, history.Promise)) != promises {
			t.Errorf("asked server %d: state %d, %d promises, had %d\n%s", by+1, zk.state, len(r.Records(u.Hold, history.Promise)), promises, r.dump())
		}
	}
}

// Whom the leader has told that his session lives has it, though the entry that moves it takes
// longer than the session had left.
func TestTouchedWhenAsked(t *testing.T) {
	r := newRig(t, 1, nil)
	r.Lock(0, second, 0)
	r.Run(5 * second)
	leader, session := r.leader(), r.system().clients[0].zk.session
	tracked := leader.tracker.find(session)
	tracked.expiry = leader.member.Now().Add(ms)
	r.At(5*second, func() {
		if !leader.revalidate(session, 1<<40) {
			t.Error("refused")
		}
	})
	r.Run(5*second + time.Microsecond)
	if left := tracked.expiry.Sub(leader.member.Now()); left < T-ms {
		t.Errorf("%v are left before the entry is applied", left)
	}
}
