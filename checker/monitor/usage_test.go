package monitor

import (
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
