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
			by(history.Request, history.ReadEffect), r, by(history.Request, history.WriteEffect), w)
		records = append(records, kinds(hold)...)
		records = append(records, by(history.BeliefEnd, 0), by(history.ReleaseBegin, 0), by(history.ServiceEnd, 0), by(history.ReleaseEnd, 0))
	}
	return records
}

// kinds are what a hold does with a log, with jobs and with references, each an object of its own.
func kinds(hold int) []history.Record {
	return []history.Record{on(2, appends(hold, hold, int64(hold), int64(hold-1))), on(3, performs(hold, hold, int64(hold), 1)), on(4, refers(hold, hold, true)), on(5, deletes(hold, hold))}
}

// fenced gives each hold of a run a token.
func fenced(records []history.Record) []history.Record {
	for i := range records {
		if k := records[i].Kind; k == history.Grant || k == history.BeliefBegin {
			records[i].Token = int64(records[i].Hold)
		}
	}
	return records
}

// crowded is a run in which everything goes wrong again and again: two at once believe in
// tokens that repeat, read the same old value, write over each other, and crash.
func crowded(n int) (records []history.Record) {
	for hold := 1; hold <= 2*n; hold += 2 {
		t, a, b := sec(60*hold), hold, hold+1
		records = append(records, attempt(t, a), attempt(t, b), let(t+30*s, b, 5), let(t+30*s, a, 4), trust(t+30*s, b, 5),
			trust(t+30*s, a, 4), request(t+30*s, a), request(t+30*s, b), read(0, a, -1), read(0, b, -1), write(0, a, int64(a), -1),
			write(0, b, int64(b), int64(a)),
			on(3, performs(60*hold, a, int64(a), 60)), on(3, performs(60*hold, b, int64(a), 60)), on(3, performs(60*hold, b, int64(b), 60)),
			on(2, appends(0, a, int64(a), 0)), on(2, appends(0, a, int64(a), 0)), on(4, refers(0, a, true)), on(4, deletes(0, b)), on(4, refers(0, a, false)), gone(t+30*s, a), crash(t+31*s, a), end(t+32*s, b), release(t+32*s, b), back(t+32*s, b))
	}
	return records
}

func all() []judged {
	return []judged{&Grants{}, &Exclusion{}, &Resource{Ordered: fenceBoth, Newest: true},
		&Progress{Takeover: time.Minute, StarvedAfter: 1}, &Tokens{}}
}

// A monitor that has grown to the size of a run judges the next without an allocation,
// whatever it finds.
func TestReuseDoesNotAllocate(t *testing.T) {
	for name, records := range map[string][]history.Record{"well-behaved": fenced(cycles(50)), "crowded": crowded(50)} {
		for _, m := range all() {
			judge := func() {
				m.Reset()
				for i := range records {
					m.Observe(&records[i])
				}
			}
			judge()
			if n := testing.AllocsPerRun(20, judge); n != 0 {
				t.Errorf("%s, %T: %v allocations in a run of a reused monitor", name, m, n)
			}
			if found := m.Violated(); found != (name == "crowded") {
				t.Errorf("%s, %T: %+v", name, m, m.Findings())
			}
		}
	}
}

// BenchmarkObserve is one record of a run that has had so many holds: the cost does not
// depend on how many.
func BenchmarkObserve(b *testing.B) {
	for _, holds := range []int{10, 1000, 10_000} {
		records := fenced(cycles(holds))
		for _, m := range all() {
			b.Run(fmt.Sprintf("%T/%d", m, holds), func(b *testing.B) {
				b.ReportAllocs()
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
