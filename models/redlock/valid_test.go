package redlock

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/host"
)

// answer is what a program hears that asks whether it still has the lock.
type answer struct {
	held bool
	at   sim.Time
}

// ask has client 1 ask at an instant.
func ask(r *modeltest.Rig, at time.Duration) *answer {
	a := &answer{}
	r.At(at, func() {
		r.Env.Clients[0].Go("asking", func(p *host.Process) { a.held = r.Lockers[0].Valid(p); a.at = r.World.Now() })
	})
	return a
}

// The lock has 3 s left of its 10 s when four servers say yes at once, and the fifth is silent. The
// query waits for that one, as often as go-redis asks it again: 5 s each, and up to 30+50+90 ms
// between. It says yes when the keys have long expired. Until says no by then, and asks nobody.
func TestQueryThatWaitsForTheLastServer(t *testing.T) {
	for _, c := range []struct {
		valid  int64
		silent bool
		at     time.Duration
		held   bool
		back   time.Duration // at the earliest
	}{
		{validByQuery, true, 7 * second, true, 7*second + 4*5*second},
		{validByQuery, false, 7 * second, true, 7*second + 2*ms},
		{validByQuery, false, 11 * second, false, 11*second + 2*ms},
		{0, true, 7 * second, true, 7 * second},
		{0, true, 11 * second, false, 11 * second},
	} {
		r := newClientRig(t, 1, redsync, map[string]int64{"valid": c.valid})
		try(r, 0, 0)
		if c.silent {
			r.At(second, func() { r.Cut(r.Server("redis", 4), r.Env.Clients[0]) })
		}
		a := ask(r, c.at)
		r.Run(30 * second)
		within(t, "answered", a.at, sim.Time(c.back), sim.Time(c.back+200*ms))
		if a.held != c.held {
			t.Errorf("%+v: held is %v", c, a.held)
		}
	}
}

// A query goes on beside a renewal.
func TestQueryBesideARenewal(t *testing.T) {
	r := newClientRig(t, 1, redsync, map[string]int64{"valid": validByQuery})
	try(r, 0, 0)
	renewal, a := r.Renew(0, 2*second), ask(r, 2*second+ms/2)
	r.Run(7 * second)
	if renewal.Err != nil || !a.held || a.at != sim.Time(2*second+ms/2+2*ms) {
		t.Errorf("renewed with %v, answered %v at %v", renewal.Err, a.held, a.at)
	}
}
