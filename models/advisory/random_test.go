package advisory

import (
	"slices"
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// storm is a trial of clients that acquire again and again, in a minute of drawn trouble on
// some of the hosts and the links between them.
func storm(r *rig, trouble *modeltest.Trouble, seed uint64, pick func(draw modeltest.Draw, when sim.Time) modeltest.Blow) {
	r.Reset(seed)
	for _, from := range r.Fleet.Hosts {
		for _, to := range r.Fleet.Hosts {
			r.Net.SetDelay(from.ID, to.ID, rng.Constant(modeltest.Delay)) // which a blow may have changed
		}
	}
	s := rng.New(rng.Hash(seed, rng.HashString("storm")), nil)
	draw := modeltest.Draw(func(_ string, lo, hi int) int { return lo + int(s.Int64N(int64(hi-lo+1))) })
	var blows []modeltest.Blow
	for when := time.Duration(0); when < 60*second; when += s.Between(100*ms, 5*second) {
		blows = append(blows, pick(draw, at(when)))
	}
	trouble.Reset(blows)
	for client := range r.Env.Clients {
		r.work(client)
	}
	r.Run(120 * second)
}

func anywhere(draw modeltest.Draw, when sim.Time) modeltest.Blow {
	return draw.Blow(when, []int{0, 1, 2, 3, 4})
}

// atClients draws what befalls a client, or its link to the first server.
func atClients(draw modeltest.Draw, when sim.Time) modeltest.Blow {
	client := draw("client", 0, 2)
	if draw("where", 0, 1) == 0 {
		return draw.Blow(when, []int{client})
	}
	for {
		if b := draw.Blow(when, []int{client, 3}); slices.Contains(ofLinks, b.Name) {
			return b
		}
	}
}

var ofLinks = []string{"cut", "loss", "duplicate", "slow link", "narrow link", "half-open", "hold", "reset", "other delay"}

// work is a client that holds the lock for a second, again and again.
func (r *rig) work(client int) {
	h := r.Env.Clients[client]
	e := history.ExecutorOf(client, int(h.Incarnation()))
	locker := r.Lockers[client]
	h.Go("client", func(p *host.Process) {
		for {
			hold := r.Recorder.NewHold(client, e)
			if _, err := locker.Acquire(p, hold); err != nil {
				return
			}
			p.Sleep(second)
			r.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold})
			_ = locker.Release(p)
			p.Sleep(100 * ms)
		}
	})
}

func stormRig(t *testing.T, set given) (*rig, *modeltest.Trouble) {
	set["keepalive-idle"], set["keepalive-interval"], set["timeout"] = int64(15*second), int64(2*second), int64(20*second)
	r := newRig(t, 3, set)
	r.Fleet.OnCrash = func(h *host.Host) {
		if client := slices.Index(r.Env.Clients, h); client >= 0 {
			r.Recorder.Add(history.Record{Kind: history.Crash, Executor: history.ExecutorOf(client, int(h.Incarnation())-1)})
		}
	}
	r.Fleet.OnRestart = func(h *host.Host) {
		if client := slices.Index(r.Env.Clients, h); client >= 0 {
			r.Lockers[client] = r.System.Locker(client)
			r.work(client)
		}
	}
	return r, modeltest.NewTrouble(r.Fleet)
}

// As long as the server lives, and hears of its clients in time, one hold ends before the
// next begins and no promise is broken: whatever happens to clients and to links.
func TestStormOfClients(t *testing.T) {
	for _, set := range []given{{}, {"database": mysql}, {"reconnect": reconnectSilently}} {
		r, trouble := stormRig(t, set)
		grants := 0
		for seed := uint64(1); seed <= 100; seed++ {
			r.grants.Reset()
			storm(r, trouble, seed, atClients)
			grants += r.orderly(t, seed)
			if r.grants.Violated() {
				t.Fatalf("%v, seed %d: %+v", set, seed, r.grants.Findings())
			}
		}
		t.Logf("%v: %d grants", set, grants)
		if grants < 5_000 {
			t.Errorf("%v: %d grants", set, grants)
		}
	}
}

// orderly checks that holds do not overlap in a trial, and counts grants.
func (r *rig) orderly(t *testing.T, seed uint64) (grants int) {
	var holder history.HoldID
	for _, rec := range r.Recorder.Records {
		switch rec.Kind {
		case history.Grant:
			if grants++; holder != 0 {
				t.Fatalf("seed %d: hold %d granted at %v, hold %d has the lock", seed, rec.Hold, rec.At, holder)
			}
			holder = rec.Hold
		case history.ServiceEnd:
			if holder != rec.Hold {
				t.Fatalf("seed %d: hold %d ended at %v, hold %d has the lock", seed, rec.Hold, rec.At, holder)
			}
			holder = 0
		}
	}
	return grants
}

// The same seed gives the same run, in a world that has been used and in a new one, whatever
// befalls servers and standby.
func TestSameSeedSameDigest(t *testing.T) {
	digests := func(r *rig, trouble *modeltest.Trouble) (all [20]uint64) {
		for seed := range all {
			storm(r, trouble, uint64(seed), anywhere)
			all[seed] = r.World.Digest().Sum()
		}
		return all
	}
	for _, set := range []given{
		{"failover": int64(3 * second)},
		{"failover": int64(3 * second), "database": mysql, "replication-lag": int64(10 * second)},
		{"failover": int64(3 * second), "fencing": fencedWhenStandbyLost, "replication-lag": int64(second)},
	} {
		r, trouble := stormRig(t, set)
		want := digests(r, trouble)
		if got := digests(r, trouble); got != want {
			t.Errorf("%v: used world: digests %x, want %x", set, got, want)
		}
		if got := digests(stormRig(t, set)); got != want {
			t.Errorf("%v: new world: digests %x, want %x", set, got, want)
		}
	}
}
