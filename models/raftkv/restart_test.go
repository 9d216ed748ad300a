package raftkv

import (
	"strings"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// A member whose host dies is missed by nobody but itself: the others go on, and when it
// is back it has, from its disk and from them, what everybody has. That holds for the
// leader and for a follower, whatever the crash takes, while proposals come in.
func TestCrashedMemberRejoins(t *testing.T) {
	r := newRig(t, rng.Uniform(0, 20*time.Millisecond))
	for seed := uint64(1); seed <= 20; seed++ {
		for _, lost := range []host.Lost{host.LoseMemory, host.LoseUnsynced} {
			r.reset(seed)
			r.runTo(time.Second)
			down := r.leader()
			if seed%2 == 0 {
				down = r.cluster.members[down.ID%3]
			}
			if !propose(r, "ab") {
				t.Fatalf("seed %d: nobody leads", seed)
			}
			r.runTo(time.Second + time.Duration(seed)*3*time.Millisecond) // in the middle of it
			down.host.Crash(lost)
			down.host.RestartAt(sim.Time(10*time.Second), false)
			r.runTo(9 * time.Second)
			if !propose(r, "cd") {
				t.Fatalf("seed %d: nobody leads without member %d", seed, down.ID)
			}
			r.runTo(20 * time.Second)
			if !propose(r, "e") {
				t.Fatalf("seed %d: nobody leads with member %d back", seed, down.ID)
			}
			r.runTo(22 * time.Second)
			want := string(r.apps[0].applied)
			if !strings.HasSuffix(want, "cde") {
				t.Fatalf("seed %d: applied %q", seed, want)
			}
			for id := uint64(2); id <= 3; id++ {
				r.wantApplied(id, want)
			}
		}
	}
}

// propose proposes commands to whoever leads.
func propose(r *rig, commands string) bool {
	m := r.cluster.Leader()
	if m == nil {
		return false
	}
	for _, c := range commands {
		m.Propose([]byte(string(c)))
	}
	return true
}

// Members that all lose power at once come back with all that was acknowledged.
func TestClusterThatLosesPowerKeepsWhatWasCommitted(t *testing.T) {
	r := newRig(t, rng.Uniform(0, 2*time.Millisecond))
	for seed := uint64(1); seed <= 20; seed++ {
		r.reset(seed)
		r.runTo(time.Second)
		propose(r, "abc")
		for r.apps[0].applied == nil {
			r.runTo(r.world.Now().Duration() + 100*time.Microsecond)
		}
		want := string(r.apps[0].applied)
		for i, m := range r.cluster.members {
			m.host.Crash(host.LoseUnsynced)
			m.host.RestartAt(sim.Time(time.Duration(3+i)*time.Second), false)
		}
		r.runTo(10 * time.Second)
		for _, a := range r.apps {
			if got := string(a.applied); !strings.HasPrefix(got, want) {
				t.Fatalf("seed %d: applied %q after power came back, had committed %q", seed, got, want)
			}
		}
	}
}

// A member that lost its disk stays away, and the two others are a majority.
func TestWipedMemberStaysAway(t *testing.T) {
	r := newRig(t, rng.Constant(0))
	r.reset(3)
	r.runTo(time.Second)
	propose(r, "a")
	r.runTo(2 * time.Second)
	wiped := r.leader()
	wiped.host.Crash(host.LoseMemory)
	wiped.host.RestartAt(sim.Time(5*time.Second), true)
	r.runTo(8 * time.Second)
	propose(r, "b")
	r.runTo(20 * time.Second)
	if r.leader() == wiped || wiped.IsLeader() {
		t.Error("the wiped member leads")
	}
	for id := uint64(1); id <= 3; id++ {
		if id == wiped.ID {
			r.wantApplied(id, "a") // from before
		} else {
			r.wantApplied(id, "ab")
		}
	}
	r.reset(3)
	r.runTo(time.Second)
	if m := r.leader(); m != wiped {
		t.Errorf("member %d leads after a reset", m.ID)
	}
}

// A log that is kept in memory is lost with the process, whatever the disk would have kept:
// the member stays away, and the others go on.
func TestVolatileMemberDoesNotComeBack(t *testing.T) {
	var apps []*counterApp
	r := newRigOf(t, 3, volatile, rng.Constant(0), func(m *Member) App {
		a := &counterApp{member: m}
		apps = append(apps, a)
		return a
	})
	r.apps = apps
	r.reset(1)
	r.runTo(time.Second)
	lost := r.leader()
	lost.host.Crash(host.LoseMemory)
	lost.host.RestartAt(sim.Time(2*time.Second), false)
	r.runTo(10 * time.Second)
	if lead := r.leader(); lead == lost {
		t.Fatal("the member that lost its log leads")
	}
	r.leader().Propose([]byte("x"))
	r.runTo(11 * time.Second)
	for _, a := range apps {
		if want := map[bool]string{true: "", false: "x"}[a.member == lost]; string(a.applied) != want {
			t.Errorf("member %d applied %q, want %q", a.member.ID, a.applied, want)
		}
	}
}

// A member that has lost its disk stays away also when it crashes once more and loses less.
func TestWipedMemberStaysAwayThroughOtherCrashes(t *testing.T) {
	r := newRig(t, rng.Constant(0))
	r.reset(1)
	r.runTo(time.Second)
	r.leader().Propose([]byte("x"))
	r.runTo(2 * time.Second)
	wiped := r.cluster.members[2]
	for i, lost := range []host.Lost{host.LoseEverything, host.LoseUnsynced, host.LoseMemory} {
		at := sim.Time(time.Duration(3+i) * time.Second)
		wiped.host.Crash(lost)
		wiped.host.RestartAt(at, false)
		r.runTo(at.Duration() + 500*time.Millisecond)
	}
	r.leader().Propose([]byte("y"))
	r.runTo(10 * time.Second)
	r.wantApplied(1, "xy")
	r.wantApplied(3, "x") // from before
}
