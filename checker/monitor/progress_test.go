package monitor

import (
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

func stuck(from, to sim.Time, hold int) Finding {
	return Finding{Kind: "stuck", At: to, From: from, To: to, First: history.HoldID(hold)}
}

func lostEarly(at, until sim.Time, hold int) Finding {
	return Finding{Kind: "lost-early", At: at, From: at, To: until, First: history.HoldID(hold)}
}

func endedLate(since, at sim.Time, hold int) Finding {
	return Finding{Kind: "ended-late", At: at, From: since, To: at, First: history.HoldID(hold)}
}

func starved(asked, at sim.Time, hold, passedBy, passed int) Finding {
	return Finding{Kind: "starved", At: at, From: asked, To: at, First: history.HoldID(hold), Second: history.HoldID(passedBy), Passed: passed}
}

// checkProgress judges with a takeover of 10 s, so that more than 11 s are too long;
// runs end at an instant.
func checkProgress(t *testing.T, ends sim.Time, cases []twins) {
	t.Helper()
	for _, c := range cases {
		m := &Progress{Takeover: 10 * time.Second}
		c.check(t, m, func() { m.Finish(ends) })
	}
}

func TestStuck(t *testing.T) {
	endless := sim.Forever
	checkProgress(t, 30*s, []twins{{
		name: "the takeover and one second are not too long, a nanosecond more is",
		good: []history.Record{attempt(0, 1), grant(11*s, 1, 99*s)},
		bad:  []history.Record{attempt(0, 1), grant(11*s+1, 1, 99*s)},
		want: []Finding{stuck(0, 11*s+1, 1)},
	}, {
		name: "nor at the end of the run",
		good: []history.Record{attempt(19*s, 1)},
		bad:  []history.Record{attempt(19*s-1, 1)},
		want: []Finding{stuck(19*s-1, 30*s, 1)},
	}, {
		name: "who has released is not live, when the release began and not when it came back",
		good: []history.Record{grant(0, 1, endless), attempt(1*s, 2), release(5*s, 1), back(9*s, 1), grant(16*s, 2, endless)},
		bad:  []history.Record{grant(0, 1, endless), attempt(1*s, 2), release(5*s, 1), back(9*s, 1), grant(16*s+1, 2, endless)},
		want: []Finding{stuck(5*s, 16*s+1, 2)},
	}, {
		name: "a holder that lives and has not released is live, promise or not",
		good: []history.Record{grant(0, 1, 2*s), attempt(1*s, 2), gone(2*s, 1)},
	}, {
		name: "a paused holder is live",
		good: []history.Record{grant(0, 1, endless), attempt(1*s, 2), pause(2*s, 1, 40*s)},
	}, {
		name: "a crashed holder is live until its promise ends",
		good: []history.Record{grant(0, 1, 9*s), attempt(1*s, 2), crash(2*s, 1), grant(20*s, 2, endless)},
		bad:  []history.Record{grant(0, 1, 9*s), attempt(1*s, 2), crash(2*s, 1), grant(20*s+1, 2, endless)},
		want: []Finding{stuck(9*s, 20*s+1, 2)},
	}, {
		name: "or until the service ends it",
		bad:  []history.Record{grant(0, 1, 9*s), attempt(1*s, 2), crash(2*s, 1), gone(4*s, 1), grant(16*s, 2, endless)},
		want: []Finding{stuck(4*s, 16*s, 2)},
	}, {
		name: "without an end of the promise, until it crashes",
		bad:  []history.Record{grant(0, 1, endless), attempt(1*s, 2), crash(2*s, 1), grant(14*s, 2, endless)},
		want: []Finding{stuck(2*s, 14*s, 2)},
	}, {
		name: "a renewal keeps a crashed holder's session live",
		good: []history.Record{grant(0, 1, 9*s), attempt(1*s, 2), crash(2*s, 1), renew(3*s, 1, 12*s), grant(23*s, 2, endless)},
		bad:  []history.Record{grant(0, 1, 9*s), attempt(1*s, 2), crash(2*s, 1), renew(3*s, 1, 12*s), grant(24*s, 2, endless)},
		want: []Finding{stuck(12*s, 24*s, 2)},
	}, {
		name: "the crash of somebody who holds nothing changes nothing",
		bad:  []history.Record{attempt(0, 1), crash(10*s, 2), grant(12*s, 1, endless)},
		want: []Finding{stuck(0, 12*s, 1)},
	}, {
		name: "nor does a release of a hold that was never let in",
		bad:  []history.Record{attempt(0, 1), attempt(0, 2), release(10*s, 2), grant(12*s, 1, endless)},
		want: []Finding{stuck(0, 12*s, 1)},
	}, {
		name: "nobody is trying",
		good: []history.Record{attempt(0, 1), grant(0, 1, endless), begin(0, 1), release(1*s, 1), attempt(20*s, 2), grant(20*s, 2, endless)},
	}, {
		name: "a hold that acquire came out without is live only while its promise runs",
		good: []history.Record{attempt(0, 1), grant(0, 1, 9*s), giveUp(1*s, 1), attempt(1*s, 2), grant(20*s, 2, endless)},
		bad:  []history.Record{attempt(0, 1), grant(0, 1, 9*s), giveUp(1*s, 1), attempt(1*s, 2), grant(21*s, 2, endless)},
		want: []Finding{stuck(9*s, 21*s, 2)},
	}, {
		name: "one that waited stands for all",
		bad:  []history.Record{attempt(0, 1), attempt(0, 2), grant(12*s, 2, endless)},
		want: []Finding{stuck(0, 12*s, 1)},
	}})
}

// A try is judged when it ends, too: what happened later is no excuse.
func TestStuckWhenATryEnds(t *testing.T) {
	checkProgress(t, 30*s, []twins{{
		name: "who gives up was trying until then",
		good: []history.Record{attempt(0, 1), giveUp(11*s, 1)},
		bad:  []history.Record{attempt(0, 1), giveUp(12*s, 1)},
		want: []Finding{stuck(0, 12*s, 1)},
	}, {
		name: "who crashes too",
		good: []history.Record{attempt(0, 1), crash(11*s, 1)},
		bad:  []history.Record{attempt(0, 1), crash(12*s, 1)},
		want: []Finding{stuck(0, 12*s, 1)},
	}, {
		name: "a paused waiter does not try",
		good: []history.Record{attempt(0, 1), pause(11*s, 1, 19*s)},
		bad:  []history.Record{attempt(0, 1), pause(11*s, 1, 19*s-1)},
		want: []Finding{stuck(19*s-1, 30*s, 1)},
	}, {
		name: "but it did before the pause",
		bad:  []history.Record{attempt(0, 1), pause(12*s, 1, 60*s)},
		want: []Finding{stuck(0, 12*s, 1)},
	}, {
		name: "the pause of another is no excuse",
		bad:  []history.Record{attempt(0, 1), pause(1*s, 2, 19*s), grant(12*s, 1, 99*s)},
		want: []Finding{stuck(0, 12*s, 1)},
	}, {
		name: "a second pause that ends earlier changes nothing",
		good: []history.Record{attempt(0, 1), pause(1*s, 1, 25*s), pause(2*s, 1, 3*s)},
	}})
}

func TestLostEarly(t *testing.T) {
	checkProgress(t, 30*s, []twins{{
		name: "the service ends a hold at the end of its promise, or before",
		good: []history.Record{grant(0, 1, 10*s), gone(10*s, 1)},
		bad:  []history.Record{grant(0, 1, 10*s), gone(10*s-1, 1)},
		want: []Finding{lostEarly(10*s-1, 10*s, 1)},
	}, {
		name: "a renewal counts",
		bad:  []history.Record{grant(0, 1, 10*s), renew(5*s, 1, 15*s), gone(12*s, 1)},
		want: []Finding{lostEarly(12*s, 15*s, 1)},
	}, {
		name: "released or crashed is not lost",
		good: []history.Record{grant(0, 1, 10*s), release(1*s, 1), gone(2*s, 1), grant(2*s, 2, 12*s), crash(3*s, 2), gone(4*s, 2)},
	}, {
		name: "a hold that is let in again after a release can be lost",
		good: []history.Record{grant(0, 1, 10*s), release(1*s, 1), gone(1*s, 1), grant(2*s, 1, 12*s), release(3*s, 1), gone(3*s, 1)},
		bad:  []history.Record{grant(0, 1, 10*s), release(1*s, 1), gone(1*s, 1), grant(2*s, 1, 12*s), gone(3*s, 1)},
		want: []Finding{lostEarly(3*s, 12*s, 1)},
	}})
}

func TestEndedLate(t *testing.T) {
	// Hold 3 keeps the lock live, so that nobody is stuck.
	live := func(r ...history.Record) []history.Record {
		return append([]history.Record{grant(0, 3, sim.Forever)}, r...)
	}
	checkProgress(t, 30*s, []twins{{
		name: "counted from when the release came back",
		good: live(grant(0, 1, 10*s), attempt(0, 2), release(1*s, 1), back(2*s, 1), gone(13*s, 1)),
		bad:  live(grant(0, 1, 10*s), attempt(0, 2), release(1*s, 1), back(2*s, 1), gone(13*s+1, 1)),
		want: []Finding{endedLate(2*s, 13*s+1, 1)},
	}, {
		name: "or began, if it has not",
		good: live(grant(0, 1, 10*s), attempt(0, 2), release(1*s, 1), gone(12*s, 1)),
		bad:  live(grant(0, 1, 10*s), attempt(0, 2), release(1*s, 1), gone(12*s+1, 1)),
		want: []Finding{endedLate(1*s, 12*s+1, 1)},
	}, {
		name: "or from the crash",
		good: live(grant(0, 1, 10*s), attempt(0, 2), crash(1*s, 1), gone(12*s, 1)),
		bad:  live(grant(0, 1, 10*s), attempt(0, 2), crash(1*s, 1), gone(12*s+1, 1)),
		want: []Finding{endedLate(1*s, 12*s+1, 1)},
	}, {
		name: "or from where acquire came back without it",
		bad:  live(attempt(0, 1), grant(0, 1, sim.Forever), attempt(0, 2), giveUp(1*s, 1), gone(13*s, 1)),
		want: []Finding{endedLate(1*s, 13*s, 1)},
	}, {
		name: "as long as somebody was trying",
		good: live(grant(0, 1, 10*s), release(1*s, 1), attempt(2*s, 2), gone(13*s, 1)),
		bad:  live(grant(0, 1, 10*s), release(1*s, 1), attempt(2*s, 2), gone(13*s+1, 1)),
		want: []Finding{endedLate(1*s, 13*s+1, 1)},
	}, {
		name: "and was not paused",
		good: live(grant(0, 1, 10*s), attempt(0, 2), release(1*s, 1), pause(2*s, 2, 10*s), gone(20*s, 1)),
	}, {
		name: "a holder that lives has not ended",
		good: live(grant(0, 1, 2*s), attempt(0, 2), gone(20*s, 1)),
	}})
}

// More than twice is too often here.
func TestStarved(t *testing.T) {
	// cycle is a hold that asks, is let in, and is done.
	cycle := func(hold int) []history.Record {
		t := sec(hold)
		return []history.Record{attempt(t, hold), grant(t, hold, t+s), begin(t, hold), end(t, hold), release(t, hold), back(t, hold)}
	}
	waits := func(others ...[]history.Record) []history.Record {
		return append([]history.Record{attempt(0, 1)}, slices.Concat(others...)...)
	}
	for _, c := range []twins{{
		name: "two others are let in, or three",
		good: waits(cycle(2), cycle(3)),
		bad:  waits(cycle(2), cycle(3), cycle(4), cycle(5)),
		want: []Finding{starved(0, 4*s, 1, 4, 3)}, // told once
	}, {
		name: "who asked before may be let in before",
		good: []history.Record{attempt(0, 1), attempt(0, 2), attempt(0, 3), attempt(0, 4), grant(s, 1, 2*s), grant(s, 2, 2*s), grant(s, 3, 2*s)},
		bad:  []history.Record{attempt(0, 4), attempt(0, 1), attempt(0, 2), attempt(0, 3), grant(s, 1, 2*s), grant(s, 2, 2*s), grant(s, 3, 2*s)},
		want: []Finding{starved(0, s, 4, 3, 3)},
	}, {
		name: "who gave up is not passed over",
		good: waits(cycle(2), cycle(3), []history.Record{giveUp(4*s, 1)}, cycle(4)),
	}, {
		name: "nor who has crashed",
		good: waits(cycle(2), cycle(3), []history.Record{crash(4*s, 1)}, cycle(4)),
	}, {
		name: "nor who is paused, but again after that",
		good: waits([]history.Record{pause(0, 1, 5*s)}, cycle(2), cycle(3), cycle(4)),
		bad:  waits([]history.Record{pause(0, 1, 3*s)}, cycle(2), cycle(3), cycle(4), cycle(5)),
		want: []Finding{starved(0, 5*s, 1, 5, 3)},
	}, {
		name: "a hold that has come back from acquire passes nobody over",
		good: waits(cycle(2), cycle(3), []history.Record{grant(5*s, 3, 6*s), renew(5*s, 3, 7*s), grant(5*s, 9, 6*s)}),
	}} {
		m := &Progress{Takeover: time.Minute, StarvedAfter: 2}
		c.check(t, m, func() {})
		m.StarvedAfter = 0
		if observe(m, c.bad); m.Violated() {
			t.Errorf("%s: %+v, though nobody asked", c.name, m.Findings())
		}
	}
}
