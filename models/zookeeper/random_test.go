package zookeeper

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// check is how often the programs of a storm ask whether they still hold the lock.
const check = 5 * ms

// program acquires, holds for as long as it is told that it has the lock, and releases.
func (r *rig) program(client int) {
	r.Env.Clients[client].Go("program", func(p *host.Process) {
		locker := r.Lockers[client]
		for {
			hold := r.Recorder.NewHold(client, history.Executor(client+1))
			grant, err := locker.Acquire(p, hold)
			if err != nil {
				r.t.Errorf("acquire: %v", err)
			}
			r.Recorder.Add(history.Record{Kind: history.BeliefBegin, Hold: hold, Executor: history.Executor(client + 1), Token: grant.Token})
			for end := p.Now().Add(300 * ms); p.Now() < end && locker.Valid(p); {
				p.Sleep(check)
			}
			r.Recorder.Add(history.Record{Kind: history.BeliefEnd, Hold: hold, Executor: history.Executor(client + 1)})
			r.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold})
			_ = locker.Release(p)
			p.Sleep(50 * ms)
		}
	})
}

// storm is a trial with drawn pauses and crashes of servers, and cuts between any two
// hosts; with sleepers, clients are paused as well.
func storm(r *rig, seed uint64, sleepers bool) {
	r.reset(seed)
	s := rng.New(rng.Hash(seed, rng.HashString("storm")), nil)
	for client := range r.Env.Clients {
		r.program(client)
	}
	servers := r.servers()
	for d := time.Duration(0); d < 100*second; d += s.Between(200*ms, 5*second) {
		r.Run(d)
		until := sim.Time(d).Add(s.Between(100*ms, 14*second))
		victim := servers[s.Int64N(int64(len(servers)))]
		client := r.Env.Clients[s.Int64N(int64(len(r.Env.Clients)))]
		switch s.Int64N(5) {
		case 0:
			r.early.leaves(victim, until)
			victim.Pause(until)
		case 1:
			r.early.leaves(victim, until)
			victim.Crash(host.LoseUnsynced)
			victim.RestartAt(until, false)
		case 2:
			r.At(until.Duration(), r.isolate(victim, servers...))
		case 3:
			heal := r.isolate(client, servers...)
			if s.Int64N(2) == 0 {
				heal()
				heal = r.Cut(victim, client)
			}
			r.At(until.Duration(), heal)
		default:
			if sleepers {
				client.Pause(until)
			} else {
				r.Net.Break(client.ID, victim.ID, 0)
			}
		}
	}
	r.Run(200 * second)
}

// soundGrants checks that tokens rise and that one hold ends before the next begins, and
// returns how many there were.
func (r *rig) soundGrants(seed uint64) (grants int) {
	var holder history.HoldID
	token := int64(0)
	for _, rec := range r.Recorder.Records {
		switch rec.Kind {
		case history.Grant:
			grants++
			if holder != 0 || rec.Token <= token {
				r.t.Fatalf("seed %d: hold %d granted at %v with token %d, hold %d has token %d", seed, rec.Hold, rec.At, rec.Token, holder, token)
			}
			holder, token = rec.Hold, rec.Token
		case history.ServiceEnd:
			if holder != rec.Hold {
				r.t.Fatalf("seed %d: hold %d ended at %v, hold %d has the lock", seed, rec.Hold, rec.At, holder)
			}
			holder = 0
		}
	}
	return grants
}

// Whatever happens, tokens rise, one hold ends before the next begins, and none ends before its
// promise unless the leader could not hear of it ([early]). Programs that stop on SUSPENDED and
// never sleep do not overlap, but for the time in which they do not look; sleepers do. That is
// so because holds are short here: one that lasts can be cut off together with its follower
// (TestHolderInTheMinorityWithItsFollower). InterProcessMutex has one way more, which is rare
// (TestWaiterTakesTheNodeOfADeadSession).
func TestStorm(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, recipe := range []int64{interProcessMutex, leaderLatch, plain} {
		for _, sleepers := range []bool{false, true} {
			r := newRig(t, 3, map[string]int64{"recipe": recipe})
			grants, early, overlaps, long := 0, 0, 0, 0
			for seed := uint64(1); seed <= 15; seed++ {
				storm(r, seed, sleepers)
				grants, early = grants+r.soundGrants(seed), early+r.early.known
				for _, f := range r.exclusion.Findings() {
					overlaps++
					if f.To.Sub(f.From) > check {
						long++
						if !sleepers && recipe != interProcessMutex {
							t.Errorf("recipe %d, seed %d: %+v", recipe, seed, f)
						}
					}
				}
			}
			t.Logf("recipe %d, sleepers %v: %d grants, %d of them ended early with a server away, %d overlaps, %d long", recipe, sleepers, grants, early, overlaps, long)
			if grants < 1000 || !sleepers && long > 3 || early > 10 {
				t.Errorf("recipe %d: %d grants, %d overlaps, %d ended early", recipe, grants, long, early)
			}
		}
	}
}

// A trial depends on its seed alone: not on what was run before in the same world.
func TestSameSeedSameDigest(t *testing.T) {
	digest := func(r *rig, seed uint64) uint64 {
		storm(r, seed, true)
		return r.World.Digest().Sum()
	}
	for _, recipe := range []int64{interProcessMutex, leaderLatch, plain} {
		params := map[string]int64{"recipe": recipe}
		r := newRig(t, 3, params)
		one, two := digest(r, 1), digest(r, 2)
		if one == two || digest(r, 1) != one || digest(newRig(t, 3, params), 2) != two {
			t.Errorf("recipe %d: digests differ", recipe)
		}
	}
}
