package redlock

import (
	"testing"
	"time"

	"fencepost/checker/monitor"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// leased makes Redisson's ttl the lease of a lock(leaseTime).
var leased = map[string]int64{"watchdog": 1}

// While it acquires, Redisson's keys live for twice its budget, 15 to 20 s for a lease of
// 10 s; a client that crashes in its round keeps the others out for so long. A client that
// crashes after it has set the lease does so for 10 s.
func TestRedissonsKeysBeforeTheLease(t *testing.T) {
	for _, c := range []struct {
		at     string
		lo, hi time.Duration
	}{{stepLease, 15 * second, 20*second + 2*second}, {"acquire.reply", 10 * second, 12 * second}} {
		r := newClientRig(t, 2, redisson, leased)
		r.OnStep(0, c.at, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
		try(r, 0, 0)
		next := try(r, 1, second)
		r.Run(60 * second)
		within(t, "after a crash at "+c.at+" the next is let in", next.got, sim.Time(c.lo), sim.Time(c.hi))
	}
}

// Nobody looks at what the servers say to the lease: keys that are gone by then are not
// missed, and the client believes that it has what nobody has.
func TestRedissonsLeaseIsNotChecked(t *testing.T) {
	r := newClientRig(t, 2, redisson, leased)
	exclusion := &monitor.Exclusion{}
	r.Recorder.Observers = append(r.Recorder.Observers, exclusion)
	r.OnStep(0, stepLease, func() {
		for i := range 5 {
			r.Server("redis", i).Crash(host.LoseMemory)
			r.Server("redis", i).Restart(false)
		}
	})
	u := try(r, 0, 0)
	other := try(r, 1, second)
	r.Run(5 * second)
	if u.got == 0 || other.got == 0 || !exclusion.Violated() {
		t.Errorf("acquired at %v and %v", u.got, other.got)
	}
}

// And it is a PEXPIRE of whosever key is there: a client that wakes up too late prolongs the
// lock of the one that came after it.
func TestRedissonProlongsAnothersLock(t *testing.T) {
	r := newClientRig(t, 3, redisson, leased)
	r.OnStep(0, stepLease, func() { r.Env.Clients[0].Pause(sim.Time(25 * second)) })
	try(r, 0, 0)
	try(r, 1, 21*second)
	third := try(r, 2, 22*second)
	r.Run(33 * second)
	if third.got != 0 {
		t.Errorf("client 3 is let in at %v: the lease of client 2, set at 21 s, was set again at 25 s", third.got)
	}
	r.Run(60 * second)
	within(t, "client 3 is let in", third.got, sim.Time(35*second), sim.Time(37*second))
}

// The lease is sent five times to a server that does not answer, for 3 s each, 0.5 to 1 s and
// then 1 to 2 s after each timeout. Then its error is thrown, and the keys stay as they are.
func TestRedissonsLeaseTimesOut(t *testing.T) {
	for _, c := range []struct {
		retries int64
		lo, hi  time.Duration
	}{{-1, 3 * second, 3 * second}, {0, 18500 * ms, 22 * second}} {
		r := newClientRig(t, 1, redisson, map[string]int64{"watchdog": 1, "command-retries": c.retries})
		r.OnStep(0, stepLease, func() { cutOff(r, 0, 1) })
		u := try(r, 0, 0)
		r.Run(9 * second)
		if n := r.System.(*system).of(u.hold).servers; n != 5 {
			t.Errorf("%d keys are left, want 5", n)
		}
		r.Run(30 * second)
		if u.err != host.ErrTimeout {
			t.Errorf("acquired with %v", u.err)
		}
		within(t, "thrown", u.ended, sim.Time(12*ms+c.lo), sim.Time(12*ms+c.hi))
	}
}

// Unlock ignores errors: a release that reaches nobody is one, and the keys live on. The
// same thread enters them again, and its next unlock leaves only the second entry; the key
// that was entered twice stays until it expires.
func TestRedissonEntersAgain(t *testing.T) {
	r := newClientRig(t, 2, redisson, map[string]int64{"timeout": int64(50 * ms)})
	heal := func() {}
	r.At(second, func() { heal = cutOff(r, 0, 0, 1, 2, 3, 4) })
	lost := r.Lock(0, 0, 2*second)
	r.Run(3 * second)
	heal()
	if lost.Err != nil || keys(r, lost) != 5 {
		t.Fatalf("released with %v, %d keys", lost.Err, keys(r, lost))
	}
	again := r.Lock(0, 0, second)
	r.Run(5 * second)
	if again.Err != nil || again.Acquired == 0 || keys(r, again) != 5 {
		t.Errorf("acquired at %v, released with %v, %d keys, want 5", again.Acquired, again.Err, keys(r, again))
	}
	if end := r.Want(lost.Hold, history.ServiceEnd); end.Text != redis.Reentered {
		t.Errorf("the first hold ended: %s", end.Text)
	}
	next := try(r, 1, 0)
	r.Run(30 * second)
	within(t, "another is let in", next.got, again.Released.Add(10*second-10*ms), again.Released.Add(12*second))
}

// A server that cannot be reached costs its share of time, and one that holds another's key
// its share of the budget: 1.5 to 2 s for a fifth of it.
func TestRedissonWaitsAtEachServer(t *testing.T) {
	r := newClientRig(t, 2, redisson, map[string]int64{"ttl": 0})
	try(r, 0, 0)
	other := try(r, 1, second)
	asked := 0
	var count func()
	count = func() { asked++; r.OnStep(1, stepServer, count) }
	r.OnStep(1, stepServer, count)
	r.Run(8400 * ms)
	if asked != 4 {
		t.Errorf("%d servers have been waited for in 7.4 s, want 4", asked)
	}
	r.Run(9 * second)
	// 1.5 s for each of A, B and C; then a third failure begins anew: five of them are
	// 7.5 s, the budget.
	if len(other.sent) != 2 {
		t.Fatalf("rounds at %v", other.sent)
	}
	within(t, "the second round", other.sent[1], sim.Time(8500*ms), sim.Time(8520*ms))
}
