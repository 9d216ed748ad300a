package chubby

import (
	"testing"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/network"
)

// A hold that its client has begun to give back is promised nothing any more, although the
// session is kept alive.
func TestNoPromiseAfterTheReleaseHasBegun(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, sec, 5*sec)
	r.holdBack(r.Env.Clients[0], r.Server("chubby", 0), OpRelease, 30*sec)
	r.Run(40 * sec)
	if at := r.extensions(u); len(at) != 0 {
		t.Errorf("promised at %v, released from 6 s on", at)
	}
	if end := r.Want(u.Hold, history.ServiceEnd); end.Text != "released" || end.At < sim.Time(30*sec) {
		t.Errorf("%q at %v", end.Text, end.At)
	}
}

// abandon stages a waiter that gives its session up, 1 s after its lease, while the master still
// keeps it, and the holder's release at an instant.
func abandon(t *testing.T, release sim.Time) (*rig, *modeltest.Use) {
	r := newRig(t, 2, map[string]int64{"grace": int64(sec)})
	r.Lock(0, sec, release.Sub(sim.Time(sec)))
	waiter := r.Lock(1, 2*sec, 0)
	r.Run(15 * sec)
	rule := &network.Rule{From: r.Server("chubby", 0).ID, To: r.Env.Clients[1].ID, Cut: true}
	r.Net.Impose(rule) // the local lease is over at 23.8 s, the master's at 34 s and later
	r.At(40*sec, func() { r.Net.Lift(rule) })
	return r, waiter
}

// A lock that goes to a session that its client has given up lets nobody in.
func TestGrantToAnAbandonedSession(t *testing.T) {
	r, waiter := abandon(t, sim.Time(26*sec))
	r.Run(36 * sec)
	if got := r.Records(waiter.Hold, history.Grant); len(got) != 0 {
		t.Errorf("granted: %+v", got)
	}
	r.Run(150 * sec)
	// It ends with the session, the lock-delay applies, and the second session gets the lock.
	grant := r.Want(waiter.Hold, history.Grant)
	if waiter.Acquired == 0 || waiter.Token != 3 || grant.At < sim.Time(94*sec) {
		t.Errorf("acquired at %v with token %d", waiter.Acquired, waiter.Token)
	}
}

// A waiter that was let in and does not know it begins to give the lock back when it gives the
// session up, which its call notices within its timeout.
func TestAbandonedHold(t *testing.T) {
	r, waiter := abandon(t, sim.Time(20*sec))
	r.Run(36 * sec)
	grant, back := r.Want(waiter.Hold, history.Grant), r.Want(waiter.Hold, history.ReleaseBegin)
	expired := r.notes(waiter, tooLate)
	if grant.At < sim.Time(20*sec) || back.Text == "" || len(expired) != 1 || back.At < expired[0] || back.At > expired[0].Add(3*sec) {
		t.Errorf("granted at %v, given back at %v, expired at %v", grant.At, back.At, expired)
	}
}

// A waiter that asks again and again stands in the queue once, and keeps its place.
func TestWaitersKeepTheirPlaces(t *testing.T) {
	r := newRig(t, 3, nil)
	r.Lock(0, sec, 20*sec)
	first, second := r.Lock(1, 2*sec, sec), r.Lock(2, 3500*ms, sec)
	r.Run(20 * sec)
	if n := len(r.System.(*System).servers[0].master.waiters); n != 2 {
		t.Errorf("%d in the queue", n)
	}
	r.Run(30 * sec)
	if first.Token != 2 || second.Token != 3 {
		t.Errorf("tokens %d and %d", first.Token, second.Token)
	}
}
