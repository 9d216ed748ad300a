package redisreplica

import (
	"errors"
	"testing"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// The client asks a Sentinel first, for 2 ms. Then it is as with one server; the replicas have
// the key 1 ms after the master.
func TestAcquireAndRelease(t *testing.T) {
	r := newRig(t, 2, nil)
	u, next := r.Lock(0, 5*ms, 100*ms), r.Lock(1, 50*ms, 0)
	r.Run(9 * ms)
	for i := range 3 {
		if !r.box(i).server.Has(u.Hold) || r.box(i).node.offset != 1 {
			t.Errorf("server %d has not the key, or is at offset %d", i, r.box(i).node.offset)
		}
	}
	r.Run(2 * second)
	g := r.Want(u.Hold, history.Grant)
	r.equal("granted", g.At, 8*ms)
	r.equal("promised until", g.Until, 8*ms+120*second-ms)
	r.equal("acquired", u.Acquired, 9*ms)
	r.ended(u, 110*ms, 110*ms, "released")
	r.between("the next", next.Acquired, 110*ms, 365*ms)
	if leader, ok := r.System.(models.Elected).Leader(); leader != 0 || !ok {
		t.Errorf("leader %d, %t", leader, ok)
	}
	r.sound()
}

// What a replica has been sent survives: client 2 waits for the end of the lease, which is an
// absolute time.
func TestReplicatedLockSurvives(t *testing.T) {
	r := newRig(t, 2, map[string]int64{"ttl": int64(60 * second)})
	u, next := r.Lock(0, 10*second, 0), r.Lock(1, 11*second, 0)
	r.crash(12*second, 0)
	r.Run(75 * second)
	r.ended(u, 70_004*ms, 70_300*ms, "expired") // set at 10.003 s
	r.between("client 2 is let in", next.Acquired, 70_004*ms, 70_300*ms)
	if r.Grants.Violated() {
		t.Errorf("%+v", r.Grants.Findings())
	}
}

// The holder's client listens to the Sentinel that answered first, and that is gone with the
// master: its release goes to the old master and times out. Sent again it asks for the master.
func TestReleaseAtTheNewMaster(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 10*second, 50*second)
	r.crash(12*second, 0)
	r.Run(65 * second)
	if !errors.Is(u.Err, host.ErrTimeout) || len(r.Records(u.Hold, history.ServiceEnd)) != 0 {
		t.Errorf("released with %v", u.Err)
	}

	r = newRig(t, 2, map[string]int64{"command-retries": 1})
	u, next := r.Lock(0, 10*second, 50*second), r.Lock(1, 11*second, 0)
	r.crash(12*second, 0)
	r.Run(65 * second)
	r.ended(u, 63*second, 63_050*ms, "released")
	r.between("client 2 is let in", next.Acquired, 63*second, 63_400*ms)
	if u.Err != nil {
		t.Errorf("released with %v", u.Err)
	}
	r.sound()
}

// A client that listens to a Sentinel which lives hears of the switch.
func TestClientHearsOfTheSwitch(t *testing.T) {
	r := newRig(t, 1, nil)
	r.At(0, func() {
		r.Net.Impose(&network.Rule{From: r.server(0).ID, To: r.Env.Clients[0].ID, Op: opMasterIs, Cut: true})
	})
	u := r.Lock(0, 10*second, 50*second)
	r.crash(12*second, 0)
	r.Run(65 * second)
	r.ended(u, 60*second, 60_010*ms, "released")
	if u.Err != nil {
		t.Errorf("released with %v", u.Err)
	}
}

// The replica that has more of the stream is promoted, whatever the run ids.
func TestTheReplicaWithMoreIsChosen(t *testing.T) {
	for behind := 1; behind <= 2; behind++ {
		r := newRig(t, 2, nil)
		r.unreplicated(5*second, 0, behind)
		u := r.Lock(0, 10*second, 0)
		r.crash(12*second, 0)
		r.Run(60 * second)
		if m := r.masters(); len(m) != 1 || m[0] != 3-behind {
			t.Errorf("masters %v, want %d", m, 3-behind)
		}
		if len(r.Records(u.Hold, history.ServiceEnd)) != 0 {
			t.Error("the lock is lost")
		}
	}
}

// The run id decides between equals; it differs from run to run.
func TestEqualReplicas(t *testing.T) {
	chosen := map[int]int{}
	for seed := uint64(1); seed <= 30; seed++ {
		r := newRig(t, 1, nil)
		r.Reset(seed)
		r.crash(5*second, 0)
		r.Run(50 * second)
		m := r.masters()
		if len(m) != 1 {
			t.Fatalf("masters %v", m)
		}
		less := 1
		if r.box(2).node.runID < r.box(1).node.runID {
			less = 2
		}
		if m[0] != less {
			t.Errorf("server %d was promoted, the smaller run id is that of %d", m[0], less)
		}
		chosen[m[0]]++
	}
	if len(chosen) != 2 {
		t.Errorf("chosen %v", chosen)
	}
}

// A master that comes back before anybody has found it down has no data, and its replicas
// take that over. With appendfsync always it has.
func TestRestartedMasterWipesItsReplicas(t *testing.T) {
	for _, durable := range []bool{false, true} {
		params := map[string]int64{}
		if durable {
			params["persistence"] = 2
		}
		r := newRig(t, 2, params)
		u := r.Lock(0, 10*second, 0)
		r.crash(12*second, 0)
		r.At(13*second, func() { r.server(0).Restart(false) })
		r.Run(16 * second)
		for i := range 3 {
			if has := r.box(i).server.Has(u.Hold); has != durable {
				t.Errorf("always %t: server %d has the key: %t", durable, i, has)
			}
		}
		next := r.Lock(1, 0, 0)
		r.Run(20 * second)
		if (next.Acquired == 0) != durable || r.Grants.Violated() == durable {
			t.Errorf("always %t: client 2 acquired at %v", durable, next.Acquired)
		}
	}
}

// An isolated master goes on: client 1 on its side renews, client 2 gets the lock from the
// new master. When it is back it becomes a replica, after 8 s, and discards what it had.
func TestSplitBrain(t *testing.T) {
	r := newRig(t, 3, map[string]int64{"ttl": int64(20 * second)})
	u, next := r.Lock(0, 10*second, 0), r.Lock(1, 60*second, 0)
	r.isolate(12*second, 100*second, []int{0}, []int{1, 2})
	for renew := 15 * second; renew < 120*second; renew += 5 * second {
		r.Renew(0, renew)
	}
	r.Run(99 * second)
	if m := r.masters(); len(m) != 2 {
		t.Errorf("masters %v, want two", m)
	}
	if next.Acquired == 0 || !r.Grants.Violated() || !r.Exclusion.Violated() {
		t.Errorf("client 2 acquired at %v", next.Acquired)
	}
	r.Run(130 * second)
	if m := r.masters(); len(m) != 1 || m[0] == 0 || r.box(0).server.Has(u.Hold) {
		t.Errorf("masters %v", m)
	}
}

// A lock that only the isolated master has granted ends when it becomes a replica: 8 s after
// a Sentinel has seen that it is still a master, which takes an INFO of up to 10 s.
func TestDivergentWritesAreDiscarded(t *testing.T) {
	r := newRig(t, 2, nil)
	r.isolate(12*second, 100*second, []int{0}, []int{1})
	u := r.Lock(0, 60*second, 0) // its Sentinel is that of the isolated host
	r.Run(130 * second)
	if r.Want(u.Hold, history.Grant); !r.noted(u.Hold, history.StaleLeader) || !r.noted(u.Hold, "discarded") {
		t.Errorf("%+v", r.Records(u.Hold, history.Note))
	}
	r.ended(u, 108*second, 122*second, history.LostInFailover)
}

// Without replicas that acknowledge, a master with min-replicas runs no writes. It counts the
// isolated ones for 10 s, in whole seconds: what it grants in that time is lost.
func TestMinReplicas(t *testing.T) {
	r := newRig(t, 3, map[string]int64{"min-replicas": 1, "attempts": 1})
	r.isolate(12*second, 100*second, []int{0}, []int{2})
	early := r.Lock(0, 15*second, second)
	late := r.Recorder.NewHold(1, 2)
	var err error
	r.Env.Clients[1].Go("client 2", func(p *host.Process) {
		p.Sleep(24 * second)
		_, err = r.Lockers[1].Acquire(p, late)
	})
	r.Run(40 * second)
	if early.Acquired == 0 || err == nil || len(r.Records(late, history.Grant)) != 0 {
		t.Errorf("acquired at %v within the lag; after it %v", early.Acquired, err)
	}
}

// One Sentinel of three is no majority: nobody fails over, whatever the quorum.
func TestMinorityDoesNotFailOver(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"quorum": 1})
	r.crash(5*second, 0)
	r.crash(5*second, 1)
	r.Run(200 * second)
	if m := r.masters(); len(m) != 0 {
		t.Errorf("masters %v", m)
	}
}

// A quorum of three needs all Sentinels, and the master's has gone with it.
func TestQuorum(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"quorum": 3})
	r.crash(5*second, 0)
	r.Run(200 * second)
	if m := r.masters(); len(m) != 0 {
		t.Errorf("masters %v", m)
	}
}

// The holder dies right after it was given the lock, and the master right before the lease
// ends, for good: the lock passes on within the declared takeover.
func TestTakeoverWithAFailover(t *testing.T) {
	for seed := uint64(1); seed <= 30; seed++ {
		r := newRig(t, 2, map[string]int64{"ttl": int64(30 * second)})
		r.Reset(seed)
		u, next := r.Lock(0, 10*second, 0), r.Lock(1, 11*second, 0)
		r.At(10_005*ms, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
		r.crash(39_900*ms, 0)
		r.Run(120 * second)
		took := r.Want(next.Hold, history.Grant).At.Sub(r.Want(u.Hold, history.Grant).At)
		if most := New().Describe().Takeover(r.Env.Params); took > most || took < 59*second {
			t.Errorf("seed %d: took %v, at most %v", seed, took, most)
		}
	}
}
