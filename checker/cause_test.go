package checker

import (
	"testing"

	"fencepost/sim"
	"fencepost/sim/history"
)

// brokenPromise lets client 2 in 1 s before the promise to client 1 ends.
func brokenPromise(x *run, until sim.Time) *run {
	return x.hold(0, 1, until, 0).at(9*s, history.BeliefEnd, 1).hold(9*s, 2, 19*s, 0)
}

// brokenPromiseAfter is the same for a hold that was asked for later.
func brokenPromiseAfter(at sim.Time, x *run) *run {
	return x.hold(at, 1, 10*s, 0).at(9*s, history.BeliefEnd, 1).hold(9*s, 2, 19*s, 0)
}

// outlived makes client 1 believe for 2 s after its promise has ended and client 2 has
// been let in; then come requests, or not.
func outlived(x *run, token int64) *run {
	return x.hold(0, 1, 10*s, token).read(s, 1, 0).fault(2*s, 1, "pause client 1 for 12s").hold(11*s, 2, 21*s, 2*token)
}

func lostTo(x *run) *run {
	return x.read(12*s, 2, 0).send(13*s, 1, history.WriteEffect).write(13*s, 1, 1, 0).write(14*s, 2, 2, 1)
}

// late is a write of client 1 that arrives after its release, when client 2 has read.
func late(x *run, token int64) *run {
	x.hold(0, 1, 10*s, token).read(s, 1, 0).send(2*s, 1, history.WriteEffect).fault(2*s, 1, "hold client/1 write for 4s")
	return x.release(3*s, 1).hold(4*s, 2, 14*s, 2*token).read(5*s, 2, 0)
}

func TestCause(t *testing.T) {
	w := history.WriteEffect
	reject := history.Record{Kind: history.Reject, Hold: 1, Effect: w}
	const paused = "The holder: client 1 went on believing (pause client 1 for 12s) when its promise had run out, 1.000 s before the overlap began. The lock kept every promise. "
	const pausedToken = "The holder: client 1 (token 1) went on believing (pause client 1 for 12s) when its promise had run out, 1.000 s before the overlap began. The lock kept every promise. "
	const held = "The network: the write of client 1 was held back by the network (hold client/1 write for 4s) for 4.000 s, and took effect after its hold had ended. "
	const heldToken = "The network: the write of client 1 (token 1) was held back by the network (hold client/1 write for 4s) for 4.000 s, and took effect after its hold had ended. "
	for _, c := range []struct {
		name, guard string
		hasToken    bool
		run         *run
		want        string
	}{
		{"nothing", "none", false, newRun(), "Nobody: every property held."},
		{"a holder whose token is too low", "fence-writes", true, newRun().hold(0, 2, 10*s, 3).release(s, 2).hold(2*s, 1, 10*s, 1).add(3*s, history.Record{Kind: history.Reject, Hold: 1, Effect: w, Token: 1, Base: 3}),
			"The tokens: client 1 (token 1) had the lock, and the guard fence-writes rejected its write at 3.000 s, since token 3 had been seen before it: tokens fell from hold to hold."},
		{"rejections", "fence-writes", true, newRun().add(0, reject), "Nobody: the guard fence-writes rejected one request."},
		{"rejections", "fence-writes", true, newRun().add(0, reject).add(0, reject), "Nobody: the guard fence-writes rejected 2 requests."},

		{"the service", "none", false, brokenPromise(newRun(), 10*s), "The service: it let client 2 in with 1.000 s of its promise to client 1 left."},
		{"without end", "none", false, brokenPromise(newRun(), sim.Forever), "The service: it let client 2 in with all of its promise to client 1 left."},
		{"its clock", "none", false, brokenPromise(newRun().fault(s, 0, "clock-step redis/1 by 5s"), 10*s),
			"The service's clock: clock-step redis/1 by 5s at 1.000 s ended the lease of client 1 early, and the service let client 2 in with 1.000 s of its promise left."},
		{"its clock, the step ahead", "none", false, brokenPromise(newRun().fault(s, 0, "clock-step redis/1 by 5s").fault(2*s, 0, "clock-step redis/1 by -1s"), 10*s),
			"The service's clock: clock-step redis/1 by 5s at 1.000 s ended the lease of client 1 early, and the service let client 2 in with 1.000 s of its promise left."},
		{"its crash", "none", false, brokenPromise(newRun().fault(s, 0, "crash redis/1"), 10*s),
			"The service: after crash redis/1 at 1.000 s it no longer knew of its promise to client 1."},
		{"a third party", "none", false, newRun().hold(0, 1, 10*s, 0).removal(8*s, 1, true).at(9*s, history.BeliefEnd, 1).hold(9*s, 2, 19*s, 0),
			"An operator or an eviction: remove the lock's record at 8.000 s took the lock from client 1 with 2.000 s of its promise left, and the service let client 2 in."},
		{"a third party that took too little", "none", false, newRun().hold(0, 1, 10*s, 0).removal(8*s, 1, false).at(9*s, history.BeliefEnd, 1).hold(9*s, 2, 19*s, 0),
			"The service: it let client 2 in with 1.000 s of its promise to client 1 left."},
		{"a third party, and the hold was let in again", "none", false, brokenPromiseAfter(3*s, newRun().hold(0, 1, 10*s, 0).removal(s, 1, true)),
			"The service: it let client 2 in with 1.000 s of its promise to client 1 left."},
		{"a third party, and the other went on", "none", false, lostTo(newRun().hold(0, 1, 20*s, 0).read(s, 1, 0).removal(2*s, 1, true).release(3*s, 3).at(4*s, history.ReleaseBegin, 1).hold(11*s, 2, 21*s, 0)),
			"An operator or an eviction: remove the lock's record at 2.000 s took the lock from client 1, who went on believing. The resource had no guard, and this lock has no token that a guard could compare."},
		{"a third party, and nobody came", "none", false, newRun().hold(0, 1, 10*s, 0).removal(8*s, 1, true),
			"An operator or an eviction, and not the service (remove the lock's record at 8.000 s): the service ended the lock of client 1 at 8.000 s (removed by a third party), 2.000 s before its promise was over."},
		{"a client's clock is not the service's", "none", false, brokenPromise(newRun().fault(s, 1, "clock-step client/1 by 5s"), 10*s),
			"The service: it let client 2 in with 1.000 s of its promise to client 1 left."},
		{"nor is what came later", "none", false, brokenPromise(newRun(), 10*s).fault(10*s, 0, "clock-step redis/1 by 5s"),
			"The service: it let client 2 in with 1.000 s of its promise to client 1 left."},

		{"nor is what was over before the hold was asked for", "none", false, brokenPromiseAfter(3*s, newRun().fault(0, 0, "clock-step redis/1 by 5s")),
			"The service: it let client 2 in with 1.000 s of its promise to client 1 left."},
		{"a server that stood still", "none", false, brokenPromiseAfter(3*s, newRun().fault(2*s+1, 0, "suspend etcd/1 for 1s")),
			"The service: it let client 2 in with 1.000 s of its promise to client 1 left, after suspend etcd/1 for 1s at 2.000 s."},

		{"the holder, no token", "none", false, lostTo(outlived(newRun(), 0)), paused + "The resource had no guard, and this lock has no token that a guard could compare."},
		{"the holder, token", "none", true, lostTo(outlived(newRun(), 1)), pausedToken + "The resource had no guard; the lock has a token that it could have compared."},
		{"the holder, a token that tells nothing", "none", true, lostTo(outlived(newRun(), 0)), paused + "The resource had no guard; the lock's tokens did not rise from hold to hold, so comparing them would not have helped."},
		{"the holder, equal tokens", "fence-writes", true, lostTo(outlived(newRun(w), 0)), paused + "The guard fence-writes let it pass: the tokens did not rise from hold to hold."},
		{"the holder, reads raise nothing", "fence-writes", true, lostTo(outlived(newRun(w), 1)), pausedToken + "The guard fence-writes does not prevent this: a read by the newer holder raises nothing."},
		{"the holder, tokens that fall", "fence-reads-writes", true, lostTo(outlived(newRun(w, history.ReadEffect), 0)), paused + "The guard fence-reads-writes let it pass: the tokens did not rise from hold to hold."},
		{"the holder, rejected", "fence-reads-writes", true, outlived(newRun(), 1).add(12*s, reject), pausedToken + "The guard fence-reads-writes rejected one request, so nothing was harmed."},
		{"the holder, luck", "none", false, outlived(newRun(), 0), paused + "Nothing was harmed in this run."},
		{"the holder, stopped by its check", "none", false, outlived(newRun(), 0).add(12*s, history.Record{Kind: history.Check, Hold: 1, Text: "failed"}),
			paused + "The holder's own check stopped it before it wrote, so nothing was harmed."},
		{"the second holder is the stale one", "none", false,
			newRun().add(0, history.Record{Kind: history.Grant, Hold: 2, Until: 5 * s}).hold(6*s, 1, 16*s, 0).at(7*s, history.BeliefBegin, 2),
			"The holder: client 2 began to believe (the reply came late) when its promise had run out, 2.000 s before the overlap began. The lock kept every promise. " +
				"Nothing was harmed in this run."},

		// The late write replaces the next holder's, or the other way round: the same is late.
		{"the request, equal tokens", "none", true, late(newRun(), 0).send(5*s, 2, w).write(5*s, 2, 1, 0).write(6*s, 1, 2, 1),
			held + "No lock can call a request back, and the tokens of this one did not rise from hold to hold."},
		{"the request, last", "none", true, late(newRun(), 1).send(5*s, 2, w).write(5*s, 2, 1, 0).write(6*s, 1, 2, 1),
			heldToken + "No lock can call a request back; the resource could have rejected its token."},
		{"the request, first", "none", false, late(newRun(), 0).write(6*s, 1, 1, 0).send(7*s, 2, w).write(7*s, 2, 2, 1),
			held + "No lock can call a request back, and this one has no token by which the resource could tell."},
		{"the request, guarded", "fence-writes", true, late(newRun(w), 1).write(6*s, 1, 1, 0).send(7*s, 2, w).write(7*s, 2, 2, 1),
			heldToken + "The guard fence-writes does not prevent this: a read by the newer holder raises nothing."},

		{"progress", "none", false, newRun().at(0, history.Attempt, 1).at(12*s, history.GiveUp, 1),
			"The lock did not move on: client 1 was trying and nobody held the lock from 0.000 s to 12.000 s."},
	} {
		if got := c.run.Cause(c.run.r, Setting{Guard: c.guard, HasToken: c.hasToken, ServiceClock: "wall"}).Text; got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestADurableServiceDoesNotForget: a crash is no reason where promises survive it.
func TestADurableServiceDoesNotForget(t *testing.T) {
	x := brokenPromise(newRun().fault(s, 0, "crash etcd/1"), 10*s)
	want := "The service: it let client 2 in with 1.000 s of its promise to client 1 left."
	if got := x.Cause(x.r, Setting{Guard: "none", HasToken: true, ServiceClock: "monotonic", Durable: true}).Text; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestAForeignReleaseIsTheClients: the service did what it was told.
func TestAForeignReleaseIsTheClients(t *testing.T) {
	x := newRun().hold(0, 1, 10*s, 0).at(8*s, history.ReleaseBegin, 3).add(8*s, history.Record{Kind: history.ServiceEnd, Hold: 1, Text: history.ForeignRelease})
	x = x.at(9*s, history.BeliefEnd, 1).hold(9*s, 2, 19*s, 0)
	want := "A client: client 3, who did not have the lock any more, released it at 8.000 s, with 2.000 s of the promise to client 1 left, and the service let client 2 in."
	if got := x.Cause(x.r, Setting{Guard: "none", ServiceClock: "wall"}).Text; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestAWallClockDoesNotEndAMonotonicLease: where leases run on the monotonic clock, a step
// of the wall clock is no reason.
func TestAWallClockDoesNotEndAMonotonicLease(t *testing.T) {
	x := brokenPromise(newRun().fault(s, 0, "clock-step etcd/1 by 5s"), 10*s)
	want := "The service: it let client 2 in with 1.000 s of its promise to client 1 left."
	if got := x.Cause(x.r, Setting{Guard: "none", HasToken: true, ServiceClock: "monotonic"}).Text; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestABoundLeavesTheCauseOpen: a run that was cut short acquits nobody.
func TestABoundLeavesTheCauseOpen(t *testing.T) {
	x := newRun().hold(0, 1, 10*s, 0)
	want := "Unknown: the run ended at a bound (until), with nothing violated by then."
	if got := x.Cause(x.r, Setting{Guard: "none", Bound: BoundUntil}).Text; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
