package consul

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// A holder that dies keeps the key for twice the TTL after its last renewal, and the
// lock-delay keeps it away from others after that. Client 1 locks at 1 s: its request is
// at the leader after 1 ms and applied 2 ms later, and the reply is there at 1.004 s. It
// renews every TTL/2 = 5 s: at the leader at 6.005, 11.007 and so on, until it dies. The
// key is free at 11.007 + 20 s and a commit of 2 ms.
//
// The waiter, whose server is not the leader, has its answer 2 ms later. It asks for the
// key (refused, 2+2 ms), reads it (2+2 ms) and sleeps for 5 s: three times, and then the
// 15 s are over. A round is 5.012 s (it reads first), so it asks at the leader at 31.009 +
// 4 ms + 3·5.012 s, and has it after a commit.
func TestDeadHolderKeepsTheKeyForTwiceTheTTL(t *testing.T) {
	r := newRig(t, 2, is{"checks": checkNone})
	dead, waiter := r.Lock(0, second, 0), r.Lock(1, 2*second, 0)
	r.At(12*second, func() { r.client(0).Crash(host.LoseMemory) })
	r.Run(60 * second)
	r.ended(dead, 31009*ms, "expired")
	r.granted(waiter, (31009+4+3*5012+2)*ms)
	r.finds()
	// What was promised is the TTL, of which the service has kept the double.
	promises := r.Records(dead.Hold, history.Promise)
	if last := promises[len(promises)-1]; last.Until != sim.Time(21007*ms) {
		t.Errorf("promised until %v", last.Until)
	}
	if quiet := quietTakeover(r.Env.Params); waiter.Acquired > sim.Time(11007*ms+quiet) {
		t.Errorf("acquired at %v, later than the quiet takeover of %v", waiter.Acquired, quiet)
	}
}

// The default session of api.Lock, 15 s: the next holder is in within 2·15 + 15 s after the
// last renewal, and the 5 s of its sleep.
func TestDefaultSessionIsTakenAfter45Seconds(t *testing.T) {
	r := newRig(t, 2, is{"ttl": int64(15 * second), "checks": checkNone})
	r.Lock(0, second, 0)
	waiter := r.Lock(1, 2*second, 0)
	r.At(1500*ms, func() { r.client(0).Crash(host.LoseMemory) })
	r.Run(70 * second)
	r.grantedIn(waiter, 1003*ms+45*second, 1003*ms+50*second)
	r.finds()
}

// A live holder keeps its lock for as long as it likes, and hands it over at once: no
// lock-delay follows a release.
func TestReleaseHandsOverAtOnce(t *testing.T) {
	for _, behavior := range []int64{releaseKeys, deleteKeys} {
		r := newRig(t, 2, is{"behavior": behavior})
		holder, waiter := r.Lock(0, second, 100*second), r.Lock(1, 2*second, second)
		again := r.Lock(0, 105*second, 0)
		r.Run(120 * second)
		r.ended(holder, 101013*ms, "released")
		r.granted(waiter, (101013+4+2)*ms) // the answer and the request go by another server
		if waiter.Token != holder.Token+1 || again.Token != waiter.Token+1 {
			t.Errorf("tokens %d, %d, %d", holder.Token, waiter.Token, again.Token)
		}
		r.finds()
	}
}

// Renewals fail while the client's server cannot be reached, every second from the failure
// on, and are given up without a word: more than a TTL after the last success. Nothing tells
// the application, whose channel stays open until the monitor's own read fails.
func TestRenewalsAreGivenUpSilently(t *testing.T) {
	r := newRig(t, 1, is{"checks": checkNone})
	r.Lock(0, second, 0)
	r.At(7*second, func() { r.isolate(r.client(0)) })
	r.Run(100 * second)
	gaveUp := r.noted("renewals given up: none answered for a TTL")
	if gaveUp < sim.Time(16006*ms) {
		t.Errorf("renewals given up at %v", gaveUp)
	}
}

// A renewal is answered from the leader's state, and a session that has expired is in it
// until its destruction is applied: for the time of a commit the leader promises what the
// log has taken back. Followers that are cut off for a moment make that time long.
func TestRenewalBetweenExpiryAndItsCommit(t *testing.T) {
	r := newRig(t, 1, is{"checks": checkNone})
	holder := r.Lock(0, second, 0)
	r.Run(2 * second)
	s := r.server(0)
	id := s.store.key.session
	// The client stands still from 2 s to 21.5 s; its session expires at 21.003 s.
	r.client(0).Pause(sim.Time(21500 * ms))
	var heal func()
	r.At(20*second, func() { heal = r.isolate(r.Server("consul", 0), r.client(0)) })
	r.At(22*second, func() { heal() })
	r.Run(40 * second)
	promises := r.Records(holder.Hold, history.Promise)
	if len(promises) != 1 || promises[0].At != sim.Time(21501*ms) {
		t.Fatalf("promises %+v to session %d\n%s", promises, id, r.dump())
	}
	if end := r.Want(holder.Hold, history.ServiceEnd); end.Text != "expired" || end.At > sim.Time(23*second) {
		t.Errorf("ended at %v (%s)", end.At, end.Text)
	}
	r.finds("lost-early")
}

// A renewal that the leader answers after its client has begun to release promises nothing:
// it is sent half a millisecond later, and is there before the release is committed.
func TestRenewalThatCrossesTheRelease(t *testing.T) {
	r := newRig(t, 1, nil)
	holder := r.Lock(0, second, 6003500*time.Microsecond-1010*ms)
	r.Run(10 * second)
	if p := r.Records(holder.Hold, history.Promise); len(p) > 0 {
		t.Errorf("promises %+v", p)
	}
	if end := r.Want(holder.Hold, history.ServiceEnd); end.At < sim.Time(6005*ms) {
		t.Errorf("released at %v, before the renewal", end.At)
	}
	r.finds()
}

// A session that its client destroys has no timer any more (session_endpoint.go, Apply): no
// entry of the log ends it once more when 2·TTL are over. One that ends with its node's check
// still has its timer, which proposes an end that ends nothing.
func TestDestroyClearsTheTimer(t *testing.T) {
	for _, c := range []struct{ fails, timers, entries int }{{0, 0, 0}, {1, 1, 1}} {
		r := newRig(t, 1, nil)
		r.Lock(0, second, 10*second)
		if c.fails > 0 {
			r.At(2*second, func() { r.isolate(r.client(0)) })
		}
		r.Run(12 * second)
		leader := r.server(0)
		applied := leader.applied
		if len(leader.timers) != c.timers {
			t.Errorf("timers %+v", leader.timers)
		}
		r.Run(40 * second)
		if n := leader.applied - applied; n != int64(c.entries) {
			t.Errorf("%d entries after the end of the session", n)
		}
	}
}
