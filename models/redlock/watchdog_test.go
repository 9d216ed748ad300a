package redlock

import (
	"testing"
	"time"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// Each server's key is renewed to 30 s, 10 s after it was locked and then after each reply, for
// as long as the lock is held. The servers were locked 2 ms after each other, from 2 ms on, so
// that the sixth round asks them from 60.012 to 60.020 s; a majority has been asked at 60.016 s
// or later.
func TestWatchdog(t *testing.T) {
	r := newClientRig(t, 2, redisson, map[string]int64{"ttl": 0})
	u := r.Lock(0, 0, 65*second)
	next := try(r, 1, second)
	r.Run(80 * second)
	promises := r.Records(u.Hold, history.Promise)
	if len(promises) != 30 {
		t.Fatalf("%d renewals in 65 s, want 6 of each server's", len(promises))
	}
	// With the third server's renewal the majority's begins with the first one's.
	equal(t, "renewed", promises[2].At, sim.Time(10*second+8*ms))
	equal(t, "promised until", promises[2].Until, sim.Time(10*second+2*ms+30*second-ms))
	equal(t, "at last promised until", promises[29].Until, sim.Time(60*second+16*ms+30*second-ms))
	within(t, "the next is let in", next.got, u.Released, u.Released.Add(1500*ms+20*ms))
	if ends := len(r.Records(u.Hold, history.ServiceEnd)); ends != 1 {
		t.Errorf("ended %d times", ends)
	}
}

// ttl is the watchdog's own time here as for one server: a third of it is the period.
func TestWatchdogOfAnotherTTL(t *testing.T) {
	r := newClientRig(t, 1, redisson, map[string]int64{"ttl": int64(9 * second)})
	u := r.Lock(0, 0, 0)
	r.Run(4 * second)
	promises := r.Records(u.Hold, history.Promise)
	if len(promises) != 5 {
		t.Fatalf("%d renewals", len(promises))
	}
	equal(t, "renewed", promises[0].At, sim.Time(3*second+4*ms))
}

// A watchdog that finds the key gone says so to nobody: the holder is never told.
func TestWatchdogIsSilent(t *testing.T) {
	r := newClientRig(t, 2, redisson, map[string]int64{"ttl": 0})
	exclusion := &monitor.Exclusion{}
	r.Recorder.Observers = append(r.Recorder.Observers, exclusion)
	u := r.Lock(0, 0, 0)
	r.At(5*second, func() { r.Env.Clients[0].Pause(sim.Time(60 * second)) })
	next := try(r, 1, 10*second)
	asked := valid(r, 0, 100*second)
	r.Run(120 * second)
	if next.got == 0 || !*asked || !exclusion.Violated() || len(r.Records(u.Hold, history.Promise)) != 0 {
		t.Errorf("the next acquired at %v; valid: %t", next.got, *asked)
	}
}

// A renewal without a reply is sent again, and an error is no reason to stop. A, B and C are cut
// off from 5 s to 15 s: their renewals at 10 s come through 3 + 0.5 to 1 + 3 + 1 to 2 s later, in
// time for keys that live until 30 s. From 5 s to 36 s, they do not: the keys expire, another is
// let in, and the holder is told nothing.
func TestWatchdogBehindAPartition(t *testing.T) {
	for heal, lost := range map[time.Duration]bool{15 * second: false, 36 * second: true} {
		r := newClientRig(t, 2, redisson, map[string]int64{"ttl": 0})
		exclusion := &monitor.Exclusion{}
		r.Recorder.Observers = append(r.Recorder.Observers, exclusion)
		u := r.Lock(0, 0, 0)
		healed := func() {}
		r.At(5*second, func() { healed = cutOff(r, 0, 0, 1, 2) })
		r.At(heal, func() { healed() })
		next := try(r, 1, 29*second)
		r.Run(70 * second)
		if got := next.got != 0; got != lost || exclusion.Violated() != lost {
			t.Errorf("healed at %v: another acquired at %v", heal, next.got)
		}
		if lost {
			within(t, "the next is let in", next.got, sim.Time(30*second), sim.Time(36*second))
			if end := r.Want(u.Hold, history.ServiceEnd); end.Text != "expired" {
				t.Errorf("ended: %s", end.Text)
			}
		}
	}
}

// A server that has forgotten the lock is dropped, and not asked again; the others are.
func TestWatchdogDropsAServer(t *testing.T) {
	r := newClientRig(t, 1, redisson, map[string]int64{"ttl": 0})
	u := r.Lock(0, 0, 0)
	r.At(5*second, func() {
		r.Server("redis", 1).Crash(host.LoseMemory)
		r.Server("redis", 1).Restart(false)
	})
	r.Run(35 * second)
	if asked := r.System.(*system).members[0].(*multiLock).parts[1].asked; asked != 0 {
		t.Errorf("what was asked of it at %v still counts", asked)
	}
	if n := keys(r, u); n != 4 || len(notes(r)) != 1 {
		t.Errorf("%d keys, notes %q", n, notes(r))
	}
	if n := len(r.Records(u.Hold, history.ServiceEnd)); n != 0 {
		t.Error("the lock has ended")
	}
}

// A server's renewals end with its unlock. While one that is silent is waited for, the others
// go on renewing; that is no promise any more, as the program has given the lock back.
func TestWatchdogDuringTheRelease(t *testing.T) {
	r := newClientRig(t, 1, redisson, map[string]int64{"ttl": 0})
	u := r.Lock(0, 0, 9*second)
	r.At(8*second, func() { cutOff(r, 0, 0) })
	r.Run(11 * second)
	if n := keys(r, u); n != 5 || u.Released != 0 {
		t.Errorf("%d keys, released at %v", n, u.Released)
	}
	if p := r.Records(u.Hold, history.Promise); len(p) != 0 {
		t.Errorf("promises %+v", p)
	}
}
