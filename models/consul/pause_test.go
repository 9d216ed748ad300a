package consul

import (
	"testing"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// A pause that is longer than twice the TTL, the lock-delay and the waiter's sleep ends
// with two holders. The answer to the blocking read has come meanwhile and lies in the
// buffer of the sleeping host: it is handled as soon as that wakes, whatever order it
// handles things in, so the library has told the loss before the program goes on for long. A
// round trip would be needed only if the read had not been under way.
func TestPauseBeyondAllDelays(t *testing.T) {
	for _, wake := range []host.Wake{host.DueOrder, host.TimersFirst, host.MessagesFirst} {
		r := newRig(t, 2, nil)
		r.Fleet.Wake = wake
		r.Reset(1)
		r.Lock(0, second, 0)
		waiter := r.Lock(1, 2*second, 0)
		r.At(silentAt, func() { r.client(0).Pause(sim.Time(70 * second)) })
		r.Run(70*second - ms)
		r.grantedIn(waiter, (6+20+15)*second, (6+20+20+1)*second)
		if !r.valid(0) {
			t.Fatal("a sleeping client has changed its mind")
		}
		if len(r.Exclusion.Findings()) == 0 || len(r.Grants.Findings()) != 0 {
			t.Errorf("exclusion %v, grants %v", r.Exclusion.Findings(), r.Grants.Findings())
		}
		r.Run(70*second + 5*ms)
		if r.valid(0) {
			t.Errorf("wake %d: the first holder is still valid 5 ms after it woke\n%s", wake, r.dump())
		}
	}
}

// A pause while the reply to the acquire is on its way: Lock returns success to a program
// that wakes long after the next holder is in. The monitor has not read yet, and needs a
// check of leadership and a round trip: 2 ms each.
func TestPauseBeforeTheReplyIsRead(t *testing.T) {
	r := newRig(t, 2, nil)
	late, waiter := r.Lock(0, second, 0), r.Lock(1, 2*second, 0)
	r.At(1007500*1000, func() { r.client(0).Pause(sim.Time(70 * second)) })
	r.Run(70*second - ms)
	if waiter.Acquired == 0 || late.Acquired != 0 {
		t.Fatalf("waiter %v, late %v\n%s", waiter.Acquired, late.Acquired, r.dump())
	}
	r.Run(70*second + 1*ms)
	if late.Acquired != sim.Time(70*second) || !r.valid(0) {
		t.Errorf("acquired %v, valid %v\n%s", late.Acquired, r.valid(0), r.dump())
	}
	r.Run(70*second + 5*ms)
	if r.valid(0) {
		t.Errorf("still valid\n%s", r.dump())
	}
	if late.Token >= waiter.Token {
		t.Errorf("tokens %d, then %d: fencing would not tell", late.Token, waiter.Token)
	}
}

// Retries of the monitor ride out an outage that would close the channel.
func TestMonitorRetries(t *testing.T) {
	for _, retries := range []int64{0, 10} {
		r := newRig(t, 1, is{"ttl": int64(120 * second), "checks": checkNone, "monitor-retries": retries})
		r.Lock(0, second, 0)
		var heal func()
		r.At(10*second, func() { heal = r.isolate(r.client(0)) })
		r.At(65*second, func() { heal() })
		r.Run(100 * second)
		if want := retries > 0; r.valid(0) != want {
			t.Errorf("%d retries: valid %v, want %v\n%s", retries, r.valid(0), want, r.dump())
		}
	}
}

// LockIndex rises with each holder for as long as the key lives. Where the end of a session
// deletes the key, it begins again at 1, and a guard that compares it lets an old holder
// pass. ModifyIndex is an index of the log and rises always.
func TestTokens(t *testing.T) {
	for _, c := range []struct {
		behavior, token int64
		rises           bool
	}{{releaseKeys, tokenLockIndex, true}, {deleteKeys, tokenLockIndex, false}, {deleteKeys, tokenModifyIndex, true}} {
		r := newRig(t, 2, is{"behavior": c.behavior, "token": c.token, "checks": checkNone})
		r.Lock(0, second, second)
		dead, next := r.Lock(0, 3*second, 0), r.Lock(1, 5*second, 0)
		r.At(10*second, func() { r.client(0).Crash(host.LoseMemory) })
		r.Run(70 * second)
		if next.Acquired == 0 || (next.Token > dead.Token) != c.rises {
			t.Errorf("%+v: tokens %d, then %d at %v", c, dead.Token, next.Token, next.Acquired)
		}
		if g := r.Want(next.Hold, history.Grant); g.Token != next.Token {
			t.Errorf("%+v: the service granted token %d, the client has %d", c, g.Token, next.Token)
		}
		if c == struct {
			behavior, token int64
			rises           bool
		}{deleteKeys, tokenLockIndex, false} && (dead.Token != 2 || next.Token != 1) {
			t.Errorf("tokens %d, then %d", dead.Token, next.Token)
		}
	}
}
