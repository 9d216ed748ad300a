package dynamodb

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

func TestAcquireHeartbeatAndRelease(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 12*second)
	r.Run(30 * second)
	g := r.Want(u.Hold, history.Grant)
	equal(t, "granted", g.At, at(3*ms))
	equal(t, "promised until", g.Until, at(3*ms+20*second))
	equal(t, "acquired", u.Acquired, at(4*ms))
	promises := r.Records(u.Hold, history.Promise)
	if len(promises) != 2 {
		t.Fatalf("%d heartbeats in 12 s", len(promises))
	}
	for n, p := range promises {
		equal(t, "heartbeat", p.At, at(time.Duration(n+1)*5*second+ms))
		equal(t, "promised until", p.Until, p.At.Add(20*second))
	}
	r.ended(t, u, 12*second+5*ms, "released")
	if u.Err != nil || u.Token != 0 {
		t.Errorf("released with %v, token %d", u.Err, u.Token)
	}
	r.Sound()
}

// Whoever waits looks every second, and finds the item deleted, or marked, within that.
func TestContention(t *testing.T) {
	for _, release := range []int64{0, yes} {
		r := newRig(t, 2, given{"release": release})
		first, other := r.Lock(0, 0, 12*second), r.Lock(1, 100*ms, 0)
		r.Run(12*second + 50*ms)
		if item := r.System.(*system).table; item.present != (release == yes) {
			t.Errorf("release %d: the item is there: %v", release, item.present)
		}
		r.Run(20 * second)
		// Looks at 0.1 s + n·1.002 s: the one after 12.005 s is at 12.124 s.
		equal(t, "granted", r.Want(other.Hold, history.Grant).At, at(100*ms+12*1002*ms+3*ms))
		r.ended(t, first, 12*second+5*ms, "released")
		r.Sound()
	}
}

// A waiter gives up when the lease of the item and an additional second are over: with looks
// every 1.002 s, after the one that is answered at 21·1.002 s.
func TestGivesUp(t *testing.T) {
	r := newRig(t, 2, nil)
	r.Lock(0, 0, 0)
	u, ended := r.try(1, 100*ms)
	r.Run(60 * second)
	equal(t, "gave up", *ended, at(100*ms+21*1002*ms+2*ms))
	if !errors.Is(u.Err, models.ErrNotAcquired) {
		t.Errorf("gave up with %v", u.Err)
	}
	r.Sound()
}

// The last heartbeat before the crash is applied at 5.001 s. A waiter that has come later
// needs more than 20 s from its own first read on: the read at 6 s + 20·1.002 s.
func TestCrashOfTheHolder(t *testing.T) {
	r := newRig(t, 2, nil)
	holder, waiter := r.Lock(0, 0, 0), r.Lock(1, 6*second, 0)
	r.At(7*second, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
	r.Run(60 * second)
	granted := 6*second + 20*1002*ms + 3*ms
	equal(t, "granted", r.Want(waiter.Hold, history.Grant).At, at(granted))
	r.ended(t, holder, granted, history.TakenOver)
	r.Sound()
}

// A waiter from 3 s on begins its wait anew with the heartbeat that it sees at 5.006 s, but
// its own time is not longer for that. It gives up, and the next attempt waits for a lease
// of its own: all in all less than takeover, 2·20 s + 1 s + 2·1 s.
func TestTakeoverAfterGivingUp(t *testing.T) {
	r := newRig(t, 2, nil)
	if takeover(r.Env.Params) != 43*second {
		t.Errorf("takeover is %v", takeover(r.Env.Params))
	}
	r.Lock(0, 0, 0)
	first, gaveUp := r.try(1, 3*second)
	again, _ := r.try(1, 3*second+21*1002*ms+3*ms)
	r.At(7*second, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
	r.Run(60 * second)
	equal(t, "gave up", *gaveUp, at(3*second+21*1002*ms+2*ms))
	between(t, "acquired", again.Acquired, at(44*second), at(5*second+43*second))
	if first.Acquired != 0 {
		t.Errorf("acquired at %v", first.Acquired)
	}
	r.Sound()
}

// Who does not want to wait is told at once, and remembers. A later call finds the same
// version, and by its own clock the lease is over.
func TestSkipBlockingWait(t *testing.T) {
	r := newRig(t, 2, given{"skip-blocking-wait": yes})
	r.Lock(0, 0, 0)
	r.At(second, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
	for _, when := range []time.Duration{2 * second, 22 * second} { // first seen at 2.002 s
		u, ended := r.try(1, when)
		r.Run(when + 10*ms)
		equal(t, "told", *ended, at(when+2*ms))
		if u.Err != errHeld {
			t.Errorf("at %v: %v", when, u.Err)
		}
	}
	late, _ := r.try(1, 23*second)
	r.Run(30 * second)
	equal(t, "granted", r.Want(late.Hold, history.Grant).At, at(23*second+3*ms))
}

// Of two who see the lease run out only one has its condition met; the other waits on.
func TestOneOfTwoChallengers(t *testing.T) {
	r := newRig(t, 3, nil)
	r.Lock(0, 0, 0)
	r.At(second, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
	one, ended1 := r.try(1, 2*second)
	two, ended2 := r.try(2, 2*second)
	r.Run(24 * second)
	if (one.Acquired != 0) == (two.Acquired != 0) {
		t.Errorf("acquired at %v and %v", one.Acquired, two.Acquired)
	}
	first, last := min(*ended1, *ended2), max(*ended1, *ended2)
	equal(t, "one of them acquired", first, at(2*second+20*1002*ms+4*ms))
	between(t, "the other one gave up", last, at(23*second), at(24*second))
	r.Sound()
}

// Nothing is lost when the service goes down, and a holder whose heartbeats are not answered
// for a while goes on.
func TestServiceRestarts(t *testing.T) {
	r := newRig(t, 1, given{"timeout": int64(second)})
	u := r.Lock(0, 0, 60*second)
	server := r.Server("dynamodb", 0)
	r.At(4*second, func() {
		server.Crash(host.LoseEverything)
		server.RestartAt(at(10*second), false)
	})
	until := r.believes(0, second)
	r.Run(60 * second)
	between(t, "believed until", *until, at(60*second-ms), at(60*second))
	r.Run(70 * second)
	if u.Err != nil {
		t.Errorf("released with %v", u.Err)
	}
	r.Sound()
}

func TestValidate(t *testing.T) {
	s := int64(second)
	for _, c := range []struct {
		set  given
		says string // empty is valid
	}{
		{nil, ""},
		{given{"ttl": s}, ""},
		{given{"ttl": 10 * s, "heartbeat": 5 * s}, ""},
		{given{"ttl": 9 * s, "heartbeat": 5 * s}, "heartbeat is 5s and ttl 9s"},
		{given{"session-monitor": 5 * s}, "session-monitor is 5s and heartbeat 5s"},
		{given{"session-monitor": 20 * s}, "session-monitor is 20s and ttl 20s"},
		{given{"session-monitor": 19 * s}, ""},
	} {
		p := models.Defaults(params)
		for name, v := range c.set {
			p[name] = v
		}
		err := validate(p)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.set, err, c.says)
		}
	}
}
