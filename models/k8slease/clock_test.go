package k8slease

import (
	"testing"
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/history"
)

// A leader that is cut off believes for a retry period and a renew deadline of its own
// clock, others wait a lease of theirs. The documentation calls the ratio of lease to renew
// deadline, 1.5, what is tolerated of clock rates, approximately. With the retry period it
// is 15/12 = 1.25 by default, and comes close to 1.5 only if that period is short.
func TestToleratedClockRates(t *testing.T) {
	for _, c := range []struct {
		retry   time.Duration
		slower  int64 // the leader's clock, in percent
		overlap bool
	}{
		{0, 18, false}, // 12 s / 0.82 = 14.6 s
		{0, 25, true},  // 12 s / 0.75 = 16 s, at a ratio of 1.33
		{100 * ms, 25, false},
		{100 * ms, 31, false}, // 10.1 s / 0.69 = 14.6 s
		{100 * ms, 36, true},  // 10.1 s / 0.64 = 15.8 s, at a ratio of 1.56
	} {
		r := newRig(t, 2, given{"retry-period": int64(c.retry)}.quick())
		holder, other := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
		r.At(0, func() { r.Env.Clients[0].SetRate(-c.slower * 10_000_000) })
		r.At(5*second, func() { r.cutOff(0) })
		r.Run(60 * second)
		stopped, granted := r.stopped(holder), r.Want(other.Hold, history.Grant).At
		if (stopped > granted) != c.overlap {
			t.Errorf("retry period %v, %d %% slower: stopped at %v, client 2 was granted the lease at %v", c.retry, c.slower, stopped, granted)
		}
		if r.Grants.Violated() {
			t.Errorf("%d %% slower: %+v", c.slower, r.Grants.Findings())
		}
	}
}

// A candidate whose clock runs fast breaks the promise itself, and it need not be fast by much
// if it asks often: 15 s at 1.05 times the rate are 14.29 s, and it is late by two sleeps of up
// to 110 ms.
func TestFastCandidate(t *testing.T) {
	for _, c := range []struct {
		parts    int64 // per billion
		violated bool
	}{{200_000_000, true}, {50_000_000, true}, {0, false}} {
		r := newRig(t, 2, given{"retry-period-others": int64(50 * ms)})
		r.Lock(0, 0, 0)
		r.Lock(1, 100*ms, 0)
		r.At(0, func() { r.Env.Clients[1].SetRate(c.parts) })
		r.At(5*second, func() { r.cutOff(0) })
		r.Run(60 * second)
		if r.Grants.Violated() != c.violated {
			t.Errorf("%d parts per billion: %+v", c.parts, r.Grants.Findings())
		}
	}
}

// The wall clock's steps are of no account: what counts is that the time of renewal is
// another each time.
func TestWallClockSteps(t *testing.T) {
	for _, by := range []time.Duration{-3600 * second, -time.Hour - 300*ms, 3600 * second} {
		r := newRig(t, 2, given{}.quick())
		holder, other := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
		r.At(5*second, func() { r.Env.Clients[0].Clock.Step(by) })
		r.At(7*second, func() { r.Env.Clients[1].Clock.Step(-by) })
		r.Run(60 * second)
		if other.Acquired != 0 || r.stopped(holder) != 0 {
			t.Errorf("step by %v: client 2 acquired at %v", by, other.Acquired)
		}
		r.Sound()
	}
}

// The wall clock of the leader stands, and with it the time of renewal in its records. It
// renews, and nobody sees it, so it is promised nothing by that: it is taken for dead a lease
// after the last record that looked new, and goes on for a renew deadline after its next update
// was refused.
func TestWallClockStands(t *testing.T) {
	r := newRig(t, 2, given{}.quick())
	holder, other := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
	r.At(5*second, func() { r.Env.Clients[0].FreezeWall() })
	r.Run(60 * second)
	last := renewal(3) + ms // with the second 5, after 4
	granted := r.Want(other.Hold, history.Grant).At
	between(t, "client 2 granted", granted, at(last+15*second), at(last+15*second+2*quickLag))
	if r.Grants.Violated() || !r.Exclusion.Violated() {
		t.Errorf("grants %+v, exclusion %+v", r.Grants.Findings(), r.Exclusion.Findings())
	}
	for _, p := range r.Records(holder.Hold, history.Promise) {
		if p.Until > at(last+15*second) {
			t.Errorf("renewed at %v, promised until %v", p.At, p.Until)
		}
	}
	between(t, "stopped", r.stopped(holder), granted.Add(10*second-2*ms), granted.Add(12*second+10*ms))
}

// All seconds are of one length, before the epoch as well.
func TestSeconds(t *testing.T) {
	for ms, want := range map[int64]int64{0: 0, 999: 0, 1000: 1, -1: -1, -1000: -1, -1001: -2} {
		if got := seconds(clock.Wall(ms * int64(time.Millisecond))); got != want {
			t.Errorf("%d ms are second %d, want %d", ms, got, want)
		}
	}
}

// A renewal has the time of when it was sent. The first one is sent in the second of the
// create; if it is 4.9 s on its way, nobody sees it: client 2 waits for a lease from the create
// on, and that is all that is promised.
func TestLateRenewalWithTheSameTime(t *testing.T) {
	r := newRig(t, 2, given{}.quick())
	holder, other := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
	r.At(4*ms, func() { r.holdUpdate(0, 4900*ms) })
	r.At(5*second, func() { r.cutOff(0) })
	r.Run(60 * second)
	granted := r.Want(other.Hold, history.Grant).At
	between(t, "granted", granted, at(15102*ms), at(15102*ms+quickLag))
	equal(t, "stopped", r.stopped(holder), at(4901*ms+12*second))
	for _, p := range r.Records(holder.Hold, history.Promise) {
		equal(t, "promised until", p.Until, at(3*ms+15*second))
	}
	if r.Grants.Violated() {
		t.Errorf("%+v", r.Grants.Findings())
	}
}

// Renewals within one second of the wall clock look the same. The second changes in time.
func TestRenewalsWithinASecond(t *testing.T) {
	r := newRig(t, 2, given{"ttl": int64(3 * second), "retry-period": int64(200 * ms), "retry-period-others": int64(50 * ms)})
	holder, other := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
	r.Run(60 * second)
	if other.Acquired != 0 || r.stopped(holder) != 0 {
		t.Errorf("client 2 acquired at %v", other.Acquired)
	}
	r.Sound()
}
