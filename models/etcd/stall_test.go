package etcd

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// stallLeader makes the disk of the leader stall until an instant, and gives it something to
// write: without that its loop does not wait for the disk.
func (r *rig) stallLeader(until time.Duration) (stalled *host.Host, late *use) {
	stalled = r.leader()
	stalled.Disk.Stall(sim.Time(until))
	return stalled, r.lock(len(r.clients)-1, 0, 0)
}

// checks is the two values of the parameter.
var checks = map[string]int64{"on": 0, "off": leaderCheckOff}

// A leader whose loop waits for the disk does not notice that it was replaced
// (server/etcdserver/raft.go, start), and renews from memory. Before the check of leadership
// it did so for as long as the disk stalled: the holder that talks to it keeps its session,
// while the new leader, which hears nothing of it, counts its lease from its own election,
// TTL + 1 s, and lets it expire (issue 15247, the second case). That is a broken promise.
//
// With the check the keepalive waits, for the 7 s of a request, then the holder goes on to
// another member and is renewed there: 5 s + 0.5 s + 7 s + 0.5 s are less than its TTL.
func TestStalledLeaderKeepsRenewing(t *testing.T) {
	const ttl = 15
	for check, value := range checks {
		r := newRig(t, 4, seconds(ttl)).with(map[string]int64{leaderCheckParam.Name: value}).reset(31)
		holder := r.lock(0, 0, 0) // talks to member 1, the leader
		waiter := r.lock(1, time.Second, 0)
		r.runTo(seconds(6))
		stalled, _ := r.stallLeader(seconds(60))
		for r.leader() == stalled {
			r.runTo(r.world.Now().Duration() + 10*ms)
		}
		elected := r.world.Now()
		r.within("elected", elected, sim.Time(seconds(7)), sim.Time(seconds(6)+electionTime))
		r.runTo(seconds(59))
		if value != leaderCheckOff {
			if waiter.acquired != 0 || !r.valid(0) {
				t.Errorf("check %s: waiter acquired %v, holder valid %v\n%s", check, waiter.acquired, r.valid(0), r.dump())
			}
			continue
		}
		if waiter.acquired == 0 || !r.valid(0) || !r.valid(1) {
			t.Fatalf("check %s: waiter acquired %v, valid %v and %v\n%s", check, waiter.acquired, r.valid(0), r.valid(1), r.dump())
		}
		grant := r.granted(waiter).At
		r.within("waiter granted", grant, elected.Add(seconds(ttl+1)-10*ms), elected.Add(seconds(ttl+1)+sweepInterval+slack))
		promised := sim.Time(0)
		for _, rec := range r.env.Recorder.Records {
			if rec.Kind == history.Promise && rec.Hold == holder.hold && rec.At < grant {
				promised = rec.Until
			}
		}
		if promised <= grant {
			t.Errorf("check %s: granted at %v, the last promise before ended at %v", check, grant, promised)
		}
		// When the disk is back the old leader learns of the new one, and the next
		// keepalive, at most a third of the TTL later, of the end of the lease.
		r.runTo(seconds(60+ttl/3) + 2*retryConnWait)
		if r.valid(0) {
			t.Error("the old holder still believes after the stall")
		}
	}
}

// The other case (issue 12528, and the first of 15247): the clients talk to other members,
// and the new leader renews their leases. The stalled one no longer hears of them and finds
// all of them expired. Its proposals to revoke them are not of an old term: raft itself has
// learnt of the new leader, and hands the proposals over to it, when the disk lets it send.
// So leases are revoked that were renewed moments ago, that of the holder and those of all
// who wait. Who came after the stall began is let in.
func TestStalledLeaderRevokesWhatOthersRenewed(t *testing.T) {
	const ttl, back = 10, 40
	for check, value := range checks {
		r := newRig(t, 4, seconds(ttl)).with(map[string]int64{leaderCheckParam.Name: value}).reset(32)
		holder := r.lock(1, 0, 0) // talks to member 2
		waiter := r.lock(2, time.Second, 0)
		r.runTo(seconds(6))
		_, late := r.stallLeader(seconds(back))
		r.runTo(seconds(back) - ms)
		promised := r.promisedUntil(holder)
		if waiter.acquired != 0 || late.acquired != 0 || !r.valid(1) || promised < sim.Time(seconds(back)) {
			t.Fatalf("check %s: acquired %v and %v, holder valid %v, promised until %v\n%s", check, waiter.acquired, late.acquired, r.valid(1), promised, r.dump())
		}
		r.runTo(seconds(back) + time.Second)
		revoked := value == leaderCheckOff
		if waiter.acquired != 0 || (late.acquired != 0) != revoked {
			t.Fatalf("check %s: acquired %v and %v\n%s", check, waiter.acquired, late.acquired, r.dump())
		}
		if revoked {
			end := r.ended(holder)
			r.within("ended", end.At, sim.Time(seconds(back)), sim.Time(seconds(back)+slack))
			if end.Text != "expired" || !r.valid(1) {
				t.Errorf("check %s: ended %q, holder valid %v", check, end.Text, r.valid(1))
			}
		}
		// The holder learns of it from its next keepalive, within a third of the TTL.
		r.runTo(seconds(back+ttl/3+1) + 2*retryConnWait)
		if r.valid(1) == revoked {
			t.Errorf("check %s: the holder is valid: %v", check, r.valid(1))
		}
	}
}

// In a long stall each revocation is proposed again after 7 s, and all of these come when
// the disk is back. Those after the first find no lease (server/lease/lessor.go, Revoke):
// who was let in by then keeps the lock.
func TestRepeatedRevocationIsHarmless(t *testing.T) {
	r := newRig(t, 4, seconds(10)).with(map[string]int64{leaderCheckParam.Name: leaderCheckOff}).reset(32)
	r.lock(1, 0, 0)
	r.runTo(seconds(6))
	_, late := r.stallLeader(seconds(60))
	r.runTo(seconds(100))
	if late.acquired == 0 || !r.valid(3) || r.find(history.ServiceEnd, late.hold, 1) != nil {
		t.Errorf("acquired %v, valid %v\n%s", late.acquired, r.valid(3), r.dump())
	}
}

// A leader that is merely cut off proposes, too, but raft does not know of a successor to
// hand it over to: check-quorum makes it a follower without a leader within an election
// timeout or two, long before a lease of 4 s is over, and its lessor is demoted with it.
func TestLeaderThatIsCutOffRevokesNothing(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		r := newRig(t, 3, seconds(4)).with(map[string]int64{leaderCheckParam.Name: leaderCheckOff}).reset(seed)
		holder, waiter := r.lock(1, 0, 0), r.lock(2, time.Second, 0)
		r.runTo(seconds(5) + time.Duration(seed)*77*ms)
		r.cutOff(r.leader(), r.world.Now().Add(seconds(12)))
		r.runTo(seconds(30))
		if end := r.find(history.ServiceEnd, holder.hold, 1); end != nil && end.At < r.promisedUntil(holder) {
			t.Errorf("seed %d: ended at %v, promised until %v", seed, end.At, r.promisedUntil(holder))
		}
		if waiter.acquired != 0 && r.valid(1) {
			t.Errorf("seed %d: two holders", seed)
		}
	}
}

// Leaders whose disks stall again and again, for longer than the lease, under clients that take
// turns: without the check the service ends holds before its promise to them is over, with
// it never.
func TestStallsBreakPromisesOnlyWithoutTheCheck(t *testing.T) {
	modeltest.ManyTrials(t)
	for check, value := range checks {
		r := newRig(t, 6, seconds(3)).with(map[string]int64{leaderCheckParam.Name: value})
		grants, early := 0, 0
		for seed := uint64(1); seed <= 10; seed++ {
			r.reset(seed)
			for i := range r.clients {
				r.cycles(i, 1500*ms, 100)
			}
			s := rng.New(rng.Hash(seed, rng.HashString("stalls")), nil)
			for at := seconds(5); at < seconds(120); at += s.Between(seconds(15), seconds(25)) {
				r.runTo(at)
				if leader := r.leader(); leader != nil {
					leader.Disk.Stall(sim.Time(at).Add(s.Between(seconds(5), seconds(12))))
				}
			}
			g, e := r.tally(seed)
			grants, early = grants+g, early+e
		}
		t.Logf("check %s: %d of %d holds ended before the promise", check, early, grants)
		if broken := early > 0; broken != (value == leaderCheckOff) || grants < 200 {
			t.Errorf("check %s: %d of %d holds ended before the promise", check, early, grants)
		}
	}
}
