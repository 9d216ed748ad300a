package client_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/client"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/rng"
)

// A loss at 1.05 s, in the middle of 10 s of work: where a client looks says when it stops.
// The read takes 2 ms, so the looks of the timer are at 2, 102, 202... ms.
func TestLossIsNoticedWhereThePolicyLooks(t *testing.T) {
	for _, c := range []struct {
		check   client.Check
		stops   time.Duration
		written bool
	}{
		{client.CheckNever, 10*second + 4*ms, true},
		{client.CheckBeforeWrite, 10*second + 2*ms, false},
		{client.CheckEvery, 10*second + 2*ms, false},
		{client.CheckTimer, second + 102*ms, false},
	} {
		records := play(t, &library{lostAt: sim.Time(1050 * ms)}, client.Workload{
			Between: rng.Constant(10 * second), Check: c.check, CheckPeriod: 100 * ms})
		if got := instants(records, history.BeliefEnd); !slices.Equal(got, []time.Duration{c.stops}) {
			t.Errorf("check %s: stopped at %v, want %v", c.check, got, c.stops)
		}
		if got := len(instants(records, history.Write)) > 0; got != c.written {
			t.Errorf("check %s: written: %v", c.check, got)
		}
	}
}

// Who ignores a loss goes on as if nothing had happened.
func TestIgnoredLoss(t *testing.T) {
	records := play(t, &library{lostAt: sim.Time(second)}, client.Workload{
		Between: rng.Constant(2 * second), Check: client.CheckEvery, OnLoss: client.IgnoreLoss})
	if got := instants(records, history.BeliefEnd, history.Write); len(got) != 2 {
		t.Errorf("%v, want a write and the end of the section", got)
	}
}

// A shutdown of 500 ms after a loss at 1 s: what the section is about to send is still sent,
// and the belief ends 500 ms after the look that noticed it.
func TestStopLatency(t *testing.T) {
	for _, c := range []struct {
		between time.Duration
		written bool
	}{
		{1300 * ms, true},
		{10 * second, false},
	} {
		records := play(t, &library{lostAt: sim.Time(second)}, client.Workload{
			Between: rng.Constant(c.between), AfterWrite: rng.Constant(10 * second),
			Check: client.CheckTimer, CheckPeriod: 100 * ms, StopLatency: rng.Constant(500 * ms)})
		if got := len(instants(records, history.Write)) > 0; got != c.written {
			t.Errorf("%v of work: written: %v", c.between, got)
		}
		if got, want := instants(records, history.BeliefEnd), []time.Duration{second + 502*ms}; !slices.Equal(got, want) {
			t.Errorf("%v of work: the belief ended at %v, want %v", c.between, got, want)
		}
	}
}

// A library blocks its caller from 1 s to 3 s: the belief stands still from the look in that
// time on, and goes on if the lock turns out to be held.
func TestSuspendedBelief(t *testing.T) {
	w := client.Workload{Between: rng.Constant(2 * second), Check: client.CheckTimer, CheckPeriod: 100 * ms}
	doubt := library{doubtFrom: sim.Time(second), settledAt: sim.Time(3 * second)}
	held := doubt
	records := play(t, blocking{&held}, w)
	if got, want := instants(records, history.BeliefBegin, history.BeliefEnd), []time.Duration{0, second + 2*ms, 3 * second, 4*second + 2*ms}; !slices.Equal(got, want) {
		t.Errorf("held: belief begins and ends at %v, want %v", got, want)
	}
	lost := doubt
	lost.lostAt = sim.Time(2 * second)
	records = play(t, blocking{&lost}, w)
	if got, want := instants(records, history.BeliefBegin, history.BeliefEnd), []time.Duration{0, second + 2*ms}; !slices.Equal(got, want) {
		t.Errorf("lost: belief begins and ends at %v, want %v", got, want)
	}
	if len(instants(records, history.ReleaseBegin)) != 1 {
		t.Error("what was lost is not given back")
	}
	slow := doubt // it acts for half a second after it has heard of the loss at 3 s
	slow.lostAt, w.StopLatency = sim.Time(2*second), rng.Constant(500*ms)
	records = play(t, blocking{&slow}, w)
	if got, want := instants(records, history.BeliefBegin, history.BeliefEnd), []time.Duration{0, second + 2*ms, 3 * second, 3500 * ms}; !slices.Equal(got, want) {
		t.Errorf("lost and slow to stop: belief begins and ends at %v, want %v", got, want)
	}
}

// The loop renews at 1, 2, 3... s of a section of 4.5 s, unless something stops it.
func TestRenewalLoop(t *testing.T) {
	unanswered := errors.New("no answer")
	for _, c := range []struct {
		name    string
		results []error
		policy  func(w *client.Workload)
		want    []sim.Time
	}{
		{"goes on", nil, nil, []sim.Time{1e9, 2e9, 3e9, 4e9}},
		{"is late", nil, func(w *client.Workload) { w.RenewLate = rng.Constant(500 * ms) }, []sim.Time{15e8, 30e8, 45e8}},
		{"stops", nil, func(w *client.Workload) { w.RenewTimes = 2 }, []sim.Time{1e9, 2e9}},
		{"goes on after an error", []error{unanswered, nil}, nil, []sim.Time{1e9, 2e9, 3e9, 4e9}},
		{"quits at an error", []error{nil, unanswered}, func(w *client.Workload) { w.RenewOnError = client.QuitRenewing }, []sim.Time{1e9, 2e9}},
		{"hears that the lock is lost", []error{nil, models.ErrNotHeld}, nil, []sim.Time{1e9, 2e9}},
		{"does not heed that", []error{nil, models.ErrNotHeld, nil}, func(w *client.Workload) { w.RenewOnLoss = client.RenewOn }, []sim.Time{1e9, 2e9, 3e9, 4e9}},
	} {
		w := client.Workload{Between: rng.Constant(4505 * ms), Renew: second}
		if c.policy != nil {
			c.policy(&w)
		}
		l := &library{renewals: c.results}
		play(t, l, w)
		if !slices.Equal(l.renewed, c.want) {
			t.Errorf("a loop that %s renewed at %v, want %v", c.name, l.renewed, c.want)
		}
	}
}

// A second hold is renewed as often as the first.
func TestRenewalLoopBeginsAnewWithEachHold(t *testing.T) {
	l := &library{}
	play(t, l, client.Workload{Cycles: 2, Between: rng.Constant(5 * second), Renew: second, RenewTimes: 2})
	if len(l.renewed) != 4 {
		t.Errorf("renewed at %v, want twice in each hold", l.renewed)
	}
}

// A section of 4 ms, and a release that takes 10 ms.
func TestRelease(t *testing.T) {
	unanswered := errors.New("no answer")
	for _, c := range []struct {
		name    string
		results []error
		policy  client.Workload
		want    []sim.Time
	}{
		{"once", []error{unanswered}, client.Workload{}, []sim.Time{4e6}},
		{"late", nil, client.Workload{ReleaseDelay: rng.Constant(second)}, []sim.Time{1004e6}},
		{"again", []error{unanswered}, client.Workload{ReleaseAttempts: 3}, []sim.Time{4e6, 14e6, 24e6}},
		{"until it is answered", []error{unanswered, nil}, client.Workload{ReleaseAttempts: 3}, []sim.Time{4e6, 14e6}},
		{"until it is not held", []error{models.ErrNotHeld}, client.Workload{ReleaseAttempts: 3}, []sim.Time{4e6}},
	} {
		l := &library{releases: c.results}
		records := play(t, l, c.policy)
		if !slices.Equal(l.released, c.want) {
			t.Errorf("released %s: at %v, want %v", c.name, l.released, c.want)
		}
		if got := instants(records, history.BeliefEnd); !slices.Equal(got, []time.Duration{4 * ms}) {
			t.Errorf("released %s: the belief ended at %v", c.name, got)
		}
	}
}

// Code whose release covers a failed acquire gives back what it did not get.
func TestUnownedRelease(t *testing.T) {
	for _, unowned := range []bool{false, true} {
		l := &library{refuses: true}
		play(t, l, client.Workload{UnownedRelease: unowned})
		if got := len(l.released) > 0; got != unowned {
			t.Errorf("unowned release %v: released: %v", unowned, got)
		}
	}
}
