package monitor

import (
	"fmt"
	"testing"
	"time"

	"fencepost/sim/history"
)

// cycles is a well-behaved run: hold after hold, with one waiter always.
func cycles(n int) (records []history.Record) {
	for hold := 1; hold <= n; hold++ {
		t := sec(hold)
		by := func(k history.Kind, e history.Effect) history.Record {
			return history.Record{At: t, Kind: k, Effect: e, Hold: history.HoldID(hold), Executor: history.Executor(1 + hold%2)}
		}
		g := by(history.Grant, history.NoEffect)
		g.Until = t + 10*s
		r, w := by(history.Read, history.ReadEffect), by(history.Write, history.WriteEffect)
		r.Value, w.Base, w.Value = int64(hold-1), int64(hold-1), int64(hold)
		records = append(records, by(history.Attempt, 0), g, by(history.BeliefBegin, 0),
			by(history.Request, history.ReadEffect), r, by(history.Request, history.WriteEffect), w,
			by(history.BeliefEnd, 0), by(history.ReleaseBegin, 0), by(history.ServiceEnd, 0), by(history.ReleaseEnd, 0))
	}
	return records
}

func all() []judged {
	return []judged{&Grants{}, &Exclusion{}, &Resource{Ordered: fenceBoth}, &Progress{Takeover: time.Minute}}
}

func TestReuseDoesNotAllocate(t *testing.T) {
	records := cycles(50)
	for _, m := range all() {
		if n := testing.AllocsPerRun(20, func() { observe(m, records) }); n > 5 { // the records that observe makes up
			t.Errorf("%T: %v allocations in a run of a reused monitor", m, n)
		}
		if m.Violated() {
			t.Errorf("%T: %+v", m, m.Findings())
		}
	}
}

// BenchmarkObserve is one record of a run that has had so many holds: the cost does not
// depend on how many.
func BenchmarkObserve(b *testing.B) {
	for _, holds := range []int{10, 1000, 10_000} {
		records := cycles(holds)
		for _, m := range all() {
			b.Run(fmt.Sprintf("%T/%d", m, holds), func(b *testing.B) {
				i := 0
				for b.Loop() {
					if i == len(records) {
						m.Reset()
						i = 0
					}
					m.Observe(&records[i])
					i++
				}
			})
		}
	}
}
