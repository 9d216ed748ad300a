package raftkv

import (
	"testing"
	"time"

	"fencepost/sim/host"
	"fencepost/sim/rng"
)

func TestReadWaitsForTheCommitsBefore(t *testing.T) {
	r := newRig(t, rng.Constant(0))
	r.reset(5)
	r.runTo(time.Second)
	r.leader().Propose([]byte("x"))
	r.cluster.members[1].Read(9)
	r.runTo(2 * time.Second)
	if a := r.apps[1]; len(a.readable) != 1 || a.readable[0] != 9 {
		t.Errorf("reads done: %v", a.readable)
	}
	// A majority is needed: alone, a leader confirms nothing.
	for _, m := range r.cluster.members[1:] {
		m.host.Crash(host.LoseUnsynced)
	}
	r.leader().Read(10)
	r.runTo(2*time.Second + requestTimeout + readRetry)
	if a := r.apps[0]; len(a.readable) != 0 || len(a.unreadable) != 1 {
		t.Errorf("a leader without followers confirmed %v and refused %v", a.readable, a.unreadable)
	}
}

// A change of the leader fails the reads that have asked the old one, and reads that
// are asked for while a round ends are in the next.
func TestReadFailsWhenTheLeaderChanges(t *testing.T) {
	r := newRig(t, rng.Constant(0))
	r.reset(8)
	r.runTo(5 * time.Second)
	r.leader().host.Crash(host.LoseUnsynced)
	a := r.apps[1]
	a.again = true
	a.member.Read(1)
	a.member.Read(2) // waits for the next round
	r.runTo(10 * time.Second)
	if len(a.unreadable) != 1 || a.unreadable[0] != 1 {
		t.Errorf("failed: %v, want 1", a.unreadable)
	}
	if len(a.readable) != 2 || a.readable[0] != 2 || a.readable[1] != 101 {
		t.Errorf("done: %v, want 2 and then 101, the repetition of 1", a.readable)
	}
}
