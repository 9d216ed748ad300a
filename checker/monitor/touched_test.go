package monitor

import (
	"slices"
	"testing"

	"fencepost/sim"
	"fencepost/sim/history"
)

func TestTouched(t *testing.T) {
	const s = sim.Time(1e9)
	var m Touched
	believe := func(kind history.Kind, at sim.Time, client, life int) {
		m.Observe(&history.Record{Kind: kind, At: at, Executor: history.ExecutorOf(client, life)})
	}
	fault := func(line int64, at, until sim.Time, clients ...int) {
		r := history.Record{Kind: history.Fault, Value: line, At: at, Until: until}
		for _, c := range clients {
			r.Struck.Add(c)
		}
		m.Observe(&r)
	}
	for range 2 { // the second run starts from nothing
		m.Reset()
		fault(0, 0, 2*s, 0)    // over when the client begins to believe
		fault(1, 0, 2*s+1, 0)  // still in force then
		fault(2, 0, 9*s, 1)    // on a client that never believes
		fault(3, 0, 9*s, 1, 2) // on one that does, and one that does not
		believe(history.BeliefBegin, 2*s, 0, 0)
		fault(4, 3*s, 3*s, 0)
		fault(4, 3*s, 3*s, 0, 1) // the same line fires again
		fault(5, 3*s, 9*s)       // on no client
		believe(history.BeliefEnd, 4*s, 0, 0)
		fault(6, 5*s, 6*s, 0) // after the belief
		believe(history.BeliefBegin, 7*s, 2, 0)
		believe(history.Crash, 8*s, 2, 0)
		fault(7, 9*s, 10*s, 2) // after the crash
		believe(history.BeliefBegin, 9*s+1, 2, 1)
		fault(8, 10*s, 11*s, 2) // in its next life
		removal := func(client int, line, order int64) {
			m.Observe(&history.Record{Kind: history.Removal, Hold: 1, Executor: history.ExecutorOf(client, 1), Value: line, Base: order})
		}
		removal(2, 9, 40)
		removal(2, 9, 40) // the same order, at another server
		removal(2, 9, 41)
		removal(0, 9, 42)             // from one who does not believe
		removal(2, history.NoLine, 0) // by no fault
		var got []int
		for line := range 10 {
			got = append(got, m.Of(line))
		}
		if want := []int{0, 1, 0, 1, 2, 0, 0, 1, 1, 2}; !slices.Equal(got, want) {
			t.Errorf("touched %v, want %v", got, want)
		}
	}
}
