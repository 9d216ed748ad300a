package redlock

import (
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/host"
)

// countResends counts how often a client sends requests again.
func countResends(r *modeltest.Rig, client int) *int {
	n := new(int)
	var count func()
	count = func() { *n++; r.OnStep(client, redis.StepResend, count) }
	r.OnStep(client, redis.StepResend, count)
	return n
}

// With a ReadTimeout of 50 ms there is time to send again within the context of 5 % of 10 s.
// Requests to A, B and C that are lost are made good 50 ms and 10 to 30 ms of delay later, for each
// another, and a round trip of 2 ms. Where the replies are lost, SET NX meets its own keys: three servers say
// no, and the attempt has failed. Without ContextTimeoutEnabled or with it is the same here.
func TestSetIsSentAgain(t *testing.T) {
	for _, c := range []struct {
		requests bool // are lost, or else the replies
		retries  int64
		resends  int
		first    bool // attempt has the lock
	}{{true, 0, 3, true}, {true, -1, 0, false}, {false, 0, 3, false}, {false, -1, 0, false}} {
		r := newClientRig(t, 1, redsync, map[string]int64{"timeout": int64(50 * ms), "command-retries": c.retries, "attempts": 1})
		for i := range 3 {
			from, to := r.Env.Clients[0], r.Server("redis", i)
			if !c.requests {
				from, to = to, from
			}
			r.At(40*ms, r.Cut(from, to))
		}
		resends := countResends(r, 0)
		u := try(r, 0, 0)
		r.Run(20 * second)
		if *resends != c.resends || (u.got != 0) != c.first {
			t.Errorf("%+v: sent again %d times, acquired at %v", c, *resends, u.got)
		}
		if c.first {
			within(t, "acquired", u.got, sim.Time(62*ms), sim.Time(82*ms))
		}
	}
}

// The context of the attempt ends after 500 ms: a ReadTimeout of 5 s leaves no time to send
// again, one of 200 ms leaves it for two more (a third would be later than 600 ms). With
// ContextTimeoutEnabled the last wait ends with the context, too.
func TestContextEndsTheResends(t *testing.T) {
	for _, c := range []struct {
		timeout time.Duration
		ends    int64
		resends int
		lo, hi  time.Duration
	}{
		{5 * second, 0, 0, 5 * second, 5 * second},
		{200 * ms, 0, 2, 620 * ms, 680 * ms},
		{200 * ms, 1, 2, 500 * ms, 500 * ms},
		{5 * second, 1, 0, 500 * ms, 500 * ms},
	} {
		r := newClientRig(t, 1, redsync, map[string]int64{"timeout": int64(c.timeout), "context-timeout": c.ends})
		cutOff(r, 0, 4)
		resends := countResends(r, 0)
		u := try(r, 0, 0)
		r.Run(20 * second)
		if *resends != c.resends {
			t.Errorf("%+v: sent again %d times", c, *resends)
		}
		within(t, "acquired", u.got, sim.Time(c.lo), sim.Time(c.hi))
	}
}

// Unlock and Extend have no context of their own: they are sent four times to a server that is
// silent, for 5 s each, with delays of 10 to 30, 50 and 90 ms, and redsync waits for all.
func TestUnlockAndExtendWaitForAll(t *testing.T) {
	const lo, hi = 20*second + 30*ms, 20*second + 170*ms
	r := newClientRig(t, 1, redsync, nil)
	r.At(second, func() { cutOff(r, 0, 4) })
	u := r.Lock(0, 0, 2*second)
	r.Run(30 * second)
	if u.Err != nil {
		t.Errorf("released with %v", u.Err)
	}
	within(t, "released", u.Released, sim.Time(2*second+2*ms+lo), sim.Time(2*second+2*ms+hi))

	r = newClientRig(t, 1, redsync, map[string]int64{"ttl": int64(30 * second)})
	r.At(second, func() { cutOff(r, 0, 4) })
	r.Lock(0, 0, 0)
	renewal := r.Renew(0, 2*second)
	r.Run(30 * second)
	if renewal.Err != nil {
		t.Errorf("extended with %v", renewal.Err)
	}
	within(t, "extended", renewal.Done, sim.Time(2*second+lo), sim.Time(2*second+hi))

	// With its default TTL of 8 s no validity is left by then: one silent server is enough for
	// the extension to fail, though four of five have made it.
	r = newClientRig(t, 1, redsync, map[string]int64{"ttl": 0})
	r.At(second, func() { cutOff(r, 0, 4) })
	r.Lock(0, 0, 0)
	renewal = r.Renew(0, 2*second)
	r.Run(30 * second)
	if renewal.Err != errNotRenewed {
		t.Errorf("extended with %v", renewal.Err)
	}
}

// Servers that say no are another matter than servers that are silent: the keys are gone on
// three of five, and redsync's extension and its release tell that the lock was lost.
func TestRefusedExtension(t *testing.T) {
	r := newClientRig(t, 1, redsync, map[string]int64{"ttl": int64(60 * second), "persistence": int64(redis.NoPersistence)})
	u := r.Lock(0, 0, 10*second)
	r.At(second, func() {
		for i := range 3 {
			r.Server("redis", i).Crash(host.LoseMemory)
			r.Server("redis", i).Restart(false)
		}
	})
	renewal := r.Renew(0, 2*second)
	r.Run(30 * second)
	if renewal.Err != models.ErrNotHeld || u.Err != models.ErrNotHeld {
		t.Errorf("extended with %v, released with %v", renewal.Err, u.Err)
	}
}

// Each server is asked again after a delay of its own, B and C from 50 ms on. A reset at 10 ms begins A's at
// once; the cut lasts, so that A is asked once more.
func TestEachServerIsAskedAgainByItself(t *testing.T) {
	r := newClientRig(t, 1, redsync, map[string]int64{"timeout": int64(50 * ms), "attempts": 1})
	client := r.Env.Clients[0]
	for i := range 3 {
		r.At(40*ms, r.Cut(client, r.Server("redis", i)))
	}
	r.At(10*ms, func() { r.Env.Fleet.Net.Break(client.ID, r.Server("redis", 0).ID, 0) })
	var sent []sim.Time
	var watch func()
	watch = func() { sent = append(sent, r.World.Now()); r.OnStep(0, redis.StepResend, watch) }
	r.OnStep(0, redis.StepResend, watch)
	u := try(r, 0, 0)
	r.Run(10 * second)
	if len(sent) != 4 || sent[1] == sent[2] {
		t.Fatalf("sent again at %v", sent)
	}
	within(t, "A is asked again", sent[0], sim.Time(20*ms), sim.Time(40*ms))
	within(t, "the next is asked again", sent[1], sim.Time(60*ms), sim.Time(80*ms))
	within(t, "the other is asked again", sent[2], sim.Time(60*ms), sim.Time(80*ms))
	within(t, "A is asked once more", sent[3], sent[0].Add(60*ms), sent[0].Add(100*ms))
	equal(t, "acquired", u.got, sent[3].Add(2*ms))
}
