package modeltest

import (
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// Everywhere are all hosts, by number.
func (r *Rig) Everywhere() (hosts []int) {
	for i := range r.Fleet.Hosts {
		hosts = append(hosts, i)
	}
	return hosts
}

// Except draws a blow of hosts that is none of those named.
func (d Draw) Except(names []string, at sim.Time, hosts []int) Blow {
	for {
		if b := d.Blow(at, hosts); !slices.Contains(names, b.Name) {
			return b
		}
	}
}

// Begin begins another trial, with the delays that a blow may have changed in the last one as
// they were, and what its trouble is drawn from.
func (r *Rig) Begin(seed uint64) Draw {
	r.Reset(seed)
	r.evenDelays()
	s := rng.New(rng.Hash(seed, rng.HashString("storm")), nil)
	return func(_ string, lo, hi int) int { return lo + int(s.Int64N(int64(hi-lo+1))) }
}

// LongPauses has three hosts stand still at some time, for 5 s to a minute: most sessions end.
func (r *Rig) LongPauses(draw Draw, before time.Duration) {
	for range 3 {
		h, length := r.Fleet.Hosts[draw("host", 0, len(r.Fleet.Hosts)-1)], time.Duration(draw("s", 5, 60))*time.Second
		at := time.Duration(draw("ms", 1, int(before/time.Millisecond))) * time.Millisecond
		r.At(at, func() { h.Pause(sim.Time(at + length)) })
	}
}

// Storm is a trial of clients that acquire again and again, in a minute of drawn blows; it
// ends at an instant.
func (r *Rig) Storm(trouble *Trouble, seed uint64, until time.Duration, pick func(d Draw, at sim.Time) Blow) {
	draw := r.Begin(seed)
	var blows []Blow
	for at := time.Duration(0); at < time.Minute; at += time.Duration(draw("gap", 100, 5000)) * time.Millisecond {
		blows = append(blows, pick(draw, sim.Time(at)))
	}
	trouble.Reset(blows)
	for client := range r.Env.Clients {
		r.Work(client)
	}
	r.Run(until)
}

// Restarts has every client's program begin anew when its host restarts.
func (r *Rig) Restarts(h *host.Host) {
	for client, on := range r.Env.Clients {
		if on == h {
			r.Lockers[client] = r.System.Locker(client)
			r.Work(client)
		}
	}
}

// Work makes a client hold the lock for a second, again and again.
func (r *Rig) Work(client int) {
	h := r.Env.Clients[client]
	e := history.ExecutorOf(client, int(h.Incarnation()))
	locker := r.Lockers[client]
	h.Go("client", func(p *host.Process) {
		for ; ; p.Sleep(100 * time.Millisecond) {
			hold := r.Recorder.NewHold(client, e)
			if _, err := locker.Acquire(p, hold); err != nil {
				continue
			}
			p.Sleep(time.Second)
			r.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold})
			_ = locker.Release(p)
		}
	})
}

// Order is what [Rig.Orderly] has counted.
type Order struct{ Grants, Expired int }

// Orderly checks that in the trial of a seed one hold ended before the next began, that none
// expired before its promise and, if tokens rise, that they did.
func (r *Rig) Orderly(seed uint64, rising bool) (o Order) {
	r.t.Helper()
	var holder history.HoldID
	token, until, left := int64(0), map[history.HoldID]sim.Time{}, map[history.HoldID]bool{}
	for _, rec := range r.Recorder.Records {
		switch rec.Kind {
		case history.Grant:
			o.Grants++
			if holder != 0 || rising && rec.Token <= token {
				r.t.Fatalf("seed %d: hold %d granted at %v with token %d; hold %d has the lock, the last token is %d",
					seed, rec.Hold, rec.At, rec.Token, holder, token)
			}
			holder, token, until[rec.Hold] = rec.Hold, rec.Token, rec.Until
		case history.Promise:
			until[rec.Hold] = rec.Until
		case history.ReleaseBegin:
			left[rec.Hold] = true
		case history.ServiceEnd:
			if holder != rec.Hold {
				r.t.Fatalf("seed %d: hold %d ended at %v, hold %d has the lock", seed, rec.Hold, rec.At, holder)
			}
			holder = 0
			if rec.Text != "expired" {
				continue
			}
			if o.Expired++; rec.At < until[rec.Hold] && !left[rec.Hold] {
				r.t.Fatalf("seed %d: hold %d expired at %v, promised until %v", seed, rec.Hold, rec.At, until[rec.Hold])
			}
		}
	}
	return o
}

// SameDigests checks that runs of the same seeds are the same, in a world that has been used
// and in a new one. Runs makes a world, and returns what runs a seed in it.
func SameDigests(t testing.TB, seeds int, world func() (r *Rig, run func(seed uint64))) {
	t.Helper()
	digests := func(r *Rig, run func(uint64)) (all []uint64) {
		for seed := range seeds {
			run(uint64(seed))
			all = append(all, r.World.Digest().Sum())
		}
		return all
	}
	used, run := world()
	want, again := digests(used, run), digests(used, run)
	fresh := digests(world())
	for seed := range want {
		if again[seed] != want[seed] || fresh[seed] != want[seed] {
			t.Errorf("seed %d: digest %x, then in the used world %x, in a new one %x", seed, want[seed], again[seed], fresh[seed])
		}
	}
}
