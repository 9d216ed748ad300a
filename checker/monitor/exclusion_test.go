package monitor

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

func overlapping(from, to sim.Time, first, second int, firstActed, secondActed bool) Finding {
	return Finding{Kind: "overlap", At: from, From: from, To: to, First: history.HoldID(first),
		Second: history.HoldID(second), FirstActed: firstActed, SecondActed: secondActed}
}

func TestExclusion(t *testing.T) {
	for _, c := range []twins{{
		name: "at one instant, order decides",
		good: []history.Record{begin(0, 1), end(5*s, 1), begin(5*s, 2)},
		bad:  []history.Record{begin(0, 1), begin(5*s, 2), end(5*s, 1)},
		want: []Finding{overlapping(5*s, 5*s, 1, 2, false, false)},
	}, {
		name: "the window ends with the first belief that ends",
		bad:  []history.Record{begin(0, 1), begin(5*s, 2), end(6*s, 2), end(9*s, 1)},
		want: []Finding{overlapping(5*s, 6*s, 1, 2, false, false)},
	}, {
		name: "beliefs that never end overlap to the end of the run",
		bad:  []history.Record{begin(0, 1), begin(5*s, 2)},
		want: []Finding{overlapping(5*s, sim.Forever, 1, 2, false, false)},
	}, {
		name: "a crash ends the belief, and a window",
		good: []history.Record{begin(0, 1), crash(5*s, 1), begin(5*s, 2)},
		bad:  []history.Record{begin(0, 1), begin(4*s, 2), crash(5*s, 1)},
		want: []Finding{overlapping(4*s, 5*s, 1, 2, false, false)},
	}, {
		name: "promises, pauses, releases and the service's view end no belief",
		bad: []history.Record{grant(0, 1, 1*s), begin(0, 1), pause(1*s, 1, 4*s), release(2*s, 1), gone(3*s, 1),
			crash(3*s, 3), begin(5*s, 2)},
		want: []Finding{overlapping(5*s, sim.Forever, 1, 2, false, false)},
	}, {
		name: "only what is sent inside the window counts as acting",
		good: []history.Record{begin(0, 1), request(1*s, 1), end(2*s, 1), begin(3*s, 2), request(4*s, 2)},
		bad:  []history.Record{begin(0, 1), request(1*s, 1), begin(3*s, 2), end(5*s, 1), request(6*s, 2)},
		want: []Finding{overlapping(3*s, 5*s, 1, 2, false, false)},
	}, {
		name: "the first acted",
		bad:  []history.Record{begin(0, 1), begin(3*s, 2), request(4*s, 1), end(5*s, 1)},
		want: []Finding{overlapping(3*s, 5*s, 1, 2, true, false)},
	}, {
		name: "the second acted",
		bad:  []history.Record{begin(0, 1), begin(3*s, 2), request(4*s, 2), end(5*s, 1)},
		want: []Finding{overlapping(3*s, 5*s, 1, 2, false, true)},
	}, {
		name: "what a resource did is not what a holder sent",
		bad: []history.Record{begin(0, 1), begin(3*s, 2), at(4*s, history.Write, 1), at(4*s, history.Read, 2),
			at(4*s, history.Reject, 2), end(5*s, 1)},
		want: []Finding{overlapping(3*s, 5*s, 1, 2, false, false)},
	}, {
		name: "three holders are three overlaps, each with its own window",
		bad: []history.Record{begin(0, 1), begin(1*s, 2), begin(2*s, 3), request(3*s, 1), end(4*s, 1),
			request(5*s, 3), end(6*s, 3)},
		want: []Finding{
			overlapping(1*s, 4*s, 1, 2, true, false),
			overlapping(2*s, 4*s, 1, 3, true, false),
			overlapping(2*s, 6*s, 2, 3, false, true)},
	}, {
		name: "two threads of one owner are two holders",
		bad:  []history.Record{begin(0, 1), of(2, history.Record{At: s, Kind: history.BeliefBegin, Executor: 7})},
		want: []Finding{overlapping(s, sim.Forever, 1, 2, false, false)},
	}, {
		name: "a suspended belief that is resumed is one again",
		good: []history.Record{begin(0, 1), end(1*s, 1), begin(2*s, 2), end(3*s, 2), begin(4*s, 1)},
		bad:  []history.Record{begin(0, 1), end(1*s, 1), begin(2*s, 2), begin(3*s, 1), end(4*s, 2)},
		want: []Finding{overlapping(3*s, 4*s, 2, 1, false, false)},
	}} {
		c.check(t, &Exclusion{}, func() {})
	}
}

// Time in which beliefs overlap counts once, however many do.
func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		name    string
		records []history.Record
		want    time.Duration
	}{
		{"none", []history.Record{begin(0, 1), end(2*s, 1), begin(2*s, 2)}, 0},
		{"two", []history.Record{begin(0, 1), begin(2*s, 2), end(5*s, 1), end(7*s, 2)}, 3 * time.Second},
		{"three at once", []history.Record{begin(0, 1), begin(1*s, 2), begin(2*s, 3), end(4*s, 1), end(5*s, 2), end(9*s, 3)}, 4 * time.Second},
		{"twice", []history.Record{begin(0, 1), begin(1*s, 2), end(2*s, 2), begin(4*s, 3), end(6*s, 1)}, 3 * time.Second},
		{"a crash ends it", []history.Record{begin(0, 1), begin(1*s, 2), crash(3*s, 2)}, 2 * time.Second},
		{"to the end of the run", []history.Record{begin(0, 1), begin(4*s, 2)}, 6 * time.Second},
	} {
		m := &Exclusion{}
		observe(m, c.records)
		for range 2 { // asked again, the answer is the same
			if m.Finish(10 * s); m.Overlap != c.want {
				t.Errorf("%s: %v, want %v", c.name, m.Overlap, c.want)
			}
		}
	}
}

// Evidence is bounded, the verdict is not.
func TestFindingsAreBounded(t *testing.T) {
	m := &Exclusion{}
	for hold := 1; hold <= 20; hold++ {
		r := begin(sim.Time(hold), hold)
		m.Observe(&r)
	}
	if len(m.Findings()) != MaxFindings || m.total != 20*19/2 {
		t.Errorf("%d findings kept of %d, want %d of 190", len(m.Findings()), m.total, MaxFindings)
	}
	r := request(21, 20)
	m.Observe(&r) // of pairs that were not kept
	if f := m.Findings()[0]; f.FirstActed || f.SecondActed {
		t.Errorf("%+v: hold 20 has no part in it", f)
	}
}
