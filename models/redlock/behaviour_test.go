package redlock

import (
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

// Each difference can be set apart: a client with another's answer has its verdict.
func TestAnswersSetApart(t *testing.T) {
	for _, c := range []struct {
		name   string
		client clientLibrary
		params map[string]int64
		caught bool
	}{
		{"node v5 that looks, by the monotonic clock", nodeV5, map[string]int64{"elapsed-check": 1, "clock": 1, "start": 1, "undo": 1}, true},
		{"node v5 that looks", nodeV5, map[string]int64{"elapsed-check": 1, "start": 1}, false},
		{"spec that does not look", specification, map[string]int64{"elapsed-check": 2}, false},
		{"spec by the wall clock", specification, map[string]int64{"clock": 2}, false},
		{"redsync one after the other", redsync, map[string]int64{"order": 2}, true},
		{"node v4 by the monotonic clock", nodeV4, map[string]int64{"clock": 1}, true},
	} {
		r := newClientRig(t, 1, c.client, c.params)
		r.OnStep(0, "acquire.reply", func() {
			r.Env.Clients[0].Pause(sim.Time(15 * second))
			r.Env.Clients[0].Clock.Step(-time.Hour)
		})
		u := try(r, 0, 0)
		r.Run(16 * second)
		if refused := len(r.Records(u.hold, history.Refuse)) > 0; refused != c.caught {
			t.Errorf("%s: noticed: %t, want %t", c.name, refused, c.caught)
		}
	}
}

// Who asks one after the other sees a server's reply before it asks the next.
func TestOrder(t *testing.T) {
	for order, want := range map[int64]sim.Time{1: sim.Time(2 * ms), 2: sim.Time(10 * ms)} {
		r := newClientRig(t, 1, specification, map[string]int64{"order": order})
		u := try(r, 0, 0)
		r.Run(second)
		equal(t, "acquired", u.got, want)
	}
	r := newClientRig(t, 1, specification, map[string]int64{"order": 2, "replies": 2})
	u := try(r, 0, 0)
	r.Run(second)
	equal(t, "acquired with three of five", u.got, sim.Time(6*ms))
	if n := r.System.(*system).of(u.hold).servers; n != 3 {
		t.Errorf("%d servers have been asked for a key, want 3", n)
	}
}

// A value for each call stays the same, so that keys of an earlier attempt count.
func TestValuePerCall(t *testing.T) {
	for client, perCall := range map[clientLibrary]bool{specification: false, redlockRB: false, antirez: true, redsync: true, nodeV4: true, nodeV5: true} {
		r := newClientRig(t, 2, client, nil)
		try(r, 0, 0)
		var values []int64
		u := try(r, 1, second)
		r.At(second, func() {
			var look func()
			look = func() {
				values = append(values, r.System.(*system).of(u.hold).value)
				r.OnStep(1, "acquire.reply", look)
			}
			r.OnStep(1, "acquire.reply", look)
		})
		r.Run(6 * second)
		if same := len(slices.Compact(slices.Clone(values))) == 1; len(values) < 2 || same != perCall {
			t.Errorf("%s: values %v", clientParam.Choices[client], values)
		}
	}
}
