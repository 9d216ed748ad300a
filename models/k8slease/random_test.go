package k8slease

import (
	"slices"
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// ofClocks are the blows that make a clock wrong, on which promises rest.
var ofClocks = []string{"rate", "bias", "slew", "freeze", "step"}

// storm is a trial of clients that acquire again and again, in a minute of drawn pauses,
// crashes, cuts and late messages anywhere.
func storm(r *rig, trouble *modeltest.Trouble, seed uint64) {
	r.Reset(seed)
	for _, from := range r.Fleet.Hosts {
		for _, to := range r.Fleet.Hosts {
			r.Net.SetDelay(from.ID, to.ID, rng.Constant(modeltest.Delay)) // which a blow may have changed
		}
	}
	s := rng.New(rng.Hash(seed, rng.HashString("storm")), nil)
	draw := modeltest.Draw(func(_ string, lo, hi int) int { return lo + int(s.Int64N(int64(hi-lo+1))) })
	var hosts []int
	for i := range r.Fleet.Hosts {
		hosts = append(hosts, i)
	}
	var blows []modeltest.Blow
	for when := time.Duration(0); when < 60*second; when += s.Between(100*ms, 5*second) {
		b := draw.Blow(at(when), hosts)
		for slices.Contains(ofClocks, b.Name) {
			b = draw.Blow(at(when), hosts)
		}
		blows = append(blows, b)
	}
	trouble.Reset(blows)
	for client := range r.Env.Clients {
		r.work(client)
	}
	r.Run(90 * second)
}

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

// Whatever happens but to clocks, one hold ends before the next begins, the resourceVersion
// rises from grant to grant, and no promise is broken.
func TestStormBreaksNoPromise(t *testing.T) {
	for _, release := range []int64{0, releaseOnCancel} {
		r := newRig(t, 3, given{"ttl": int64(3 * second), "token": tokenVersion, "release-on-cancel": release})
		trouble := modeltest.NewTrouble(r.Fleet)
		r.Fleet.OnRestart = func(h *host.Host) {
			if client := slices.Index(r.Env.Clients, h); client >= 0 {
				r.restart(client)
				r.work(client)
			}
		}
		grants := 0
		for seed := uint64(1); seed <= 200; seed++ {
			r.grants.Reset()
			storm(r, trouble, seed)
			grants += r.orderly(t, seed)
			if r.grants.Violated() {
				t.Fatalf("seed %d: %+v", seed, r.grants.Findings())
			}
		}
		if want := [2]int{10_000, 10_000}[release]; grants < want {
			t.Errorf("release-on-cancel %d: %d grants", release, grants)
		}
	}
}

// orderly checks the order of grants of a trial, and counts them.
func (r *rig) orderly(t *testing.T, seed uint64) (grants int) {
	var holder history.HoldID
	token := int64(0)
	for _, rec := range r.Recorder.Records {
		switch rec.Kind {
		case history.Grant:
			grants++
			if holder != 0 || rec.Token <= token {
				t.Fatalf("seed %d: hold %d granted at %v with token %d; hold %d has token %d", seed, rec.Hold, rec.At, rec.Token, holder, token)
			}
			holder, token = rec.Hold, rec.Token
		case history.ServiceEnd:
			if holder != rec.Hold {
				t.Fatalf("seed %d: hold %d ended at %v, hold %d has the lock", seed, rec.Hold, rec.At, holder)
			}
			holder = 0
		}
	}
	return grants
}

// The same seed gives the same run, in a world that has been used and in a new one.
func TestSameSeedSameDigest(t *testing.T) {
	digests := func(r *rig, trouble *modeltest.Trouble) (all [3]uint64) {
		for seed := range all {
			storm(r, trouble, uint64(seed))
			all[seed] = r.World.Digest().Sum()
		}
		return all
	}
	r := newRig(t, 3, nil)
	trouble := modeltest.NewTrouble(r.Fleet)
	want := digests(r, trouble)
	if got := digests(r, trouble); got != want {
		t.Errorf("used world: digests %x, want %x", got, want)
	}
	other := newRig(t, 3, nil)
	if got := digests(other, modeltest.NewTrouble(other.Fleet)); got != want {
		t.Errorf("new world: digests %x, want %x", got, want)
	}
}
