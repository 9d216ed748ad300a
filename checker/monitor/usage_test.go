package monitor

import (
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

// A belief that stands still while the library does not know is one acquisition, and the time
// in which it stood still was not held.
func TestUsageOfASuspendedBelief(t *testing.T) {
	u := &Usage{}
	for _, r := range []history.Record{
		{At: sim.Time(1 * time.Second), Kind: history.BeliefBegin, Hold: 1, Executor: 1},
		{At: sim.Time(3 * time.Second), Kind: history.BeliefEnd, Hold: 1, Executor: 1, Text: history.Suspended},
		{At: sim.Time(7 * time.Second), Kind: history.BeliefBegin, Hold: 1, Executor: 1, Text: history.Resumed},
		{At: sim.Time(8 * time.Second), Kind: history.BeliefEnd, Hold: 1, Executor: 1},
	} {
		u.Observe(&r)
	}
	u.Observe(&history.Record{Kind: history.GiveUp, Hold: 2, Executor: 2})
	u.Finish(sim.Time(9 * time.Second))
	if u.Acquisitions != 1 || u.GaveUp != 1 || u.Held != 3*time.Second {
		t.Errorf("%d acquisitions and %d given up, held for %v, want 1, 1 and 3s", u.Acquisitions, u.GaveUp, u.Held)
	}
}

// Each acquisition has waited since it was asked for; a crash of a holder, and of nobody else, is
// recovered from when the next one gets the lock.
func TestUsageOfWaiting(t *testing.T) {
	u := &Usage{}
	for range 2 { // the second time after a reset
		u.Reset()
		for _, r := range []history.Record{
			{At: sim.Time(1 * time.Second), Kind: history.Attempt, Hold: 1, Executor: 1},
			{At: sim.Time(3 * time.Second), Kind: history.BeliefBegin, Hold: 1, Executor: 1},
			{At: sim.Time(4 * time.Second), Kind: history.Attempt, Hold: 2, Executor: 2},
			{At: sim.Time(5 * time.Second), Kind: history.Crash, Executor: 3},
			{At: sim.Time(6 * time.Second), Kind: history.Crash, Executor: 1},
			{At: sim.Time(16 * time.Second), Kind: history.BeliefBegin, Hold: 2, Executor: 2},
			{At: sim.Time(17 * time.Second), Kind: history.BeliefEnd, Hold: 2, Executor: 2},
			{At: sim.Time(18 * time.Second), Kind: history.Attempt, Hold: 3, Executor: 2},
			{At: sim.Time(19 * time.Second), Kind: history.GiveUp, Hold: 3, Executor: 2},
		} {
			u.Observe(&r)
		}
		u.Finish(sim.Time(20 * time.Second))
		if want := []time.Duration{2 * time.Second, 12 * time.Second}; !slices.Equal(u.Waited, want) {
			t.Errorf("waited %v, want %v", u.Waited, want)
		}
		if want := []time.Duration{10 * time.Second}; !slices.Equal(u.Recovered, want) {
			t.Errorf("recovered %v, want %v", u.Recovered, want)
		}
	}
}
