package history

import (
	"fmt"
	"slices"
	"testing"

	"fencepost/sim"
)

// watcher notes what it is shown.
type watcher struct {
	name string
	seen *[]string
}

func (w watcher) Observe(r *Record) {
	*w.seen = append(*w.seen, fmt.Sprintf("%s %d", w.name, r.Sequence))
}

func TestRecorder(t *testing.T) {
	now := sim.Time(0)
	var seen []string
	r := NewRecorder(func() sim.Time { return now })
	r.Observers = append(r.Observers, watcher{"a", &seen}, watcher{"b", &seen})

	run := func() {
		now = 5
		first, second := r.NewHold(0, 7), r.NewHold(1, 8)
		if first != 1 || second != 2 || r.Hold(second) != (Hold{ID: 2, Client: 1, Executor: 8}) {
			t.Errorf("holds %d and %d, the second is %+v", first, second, r.Hold(second))
		}
		r.Add(Record{Kind: Attempt, Hold: first})
		r.Add(Record{Kind: Attempt, Hold: second, Executor: 9, Sequence: 99, At: 99})
		now = 6
		r.Add(Record{Kind: Crash, Executor: 7})
		for i, want := range []Record{
			{Sequence: 1, At: 5, Kind: Attempt, Hold: 1, Executor: 7}, // that of the hold
			{Sequence: 2, At: 5, Kind: Attempt, Hold: 2, Executor: 9}, // its own
			{Sequence: 3, At: 6, Kind: Crash, Executor: 7},
		} {
			if r.Records[i] != want {
				t.Errorf("record %+v, want %+v", r.Records[i], want)
			}
		}
		if want := []string{"a 1", "b 1", "a 2", "b 2", "a 3", "b 3"}; !slices.Equal(seen, want) {
			t.Errorf("observers saw %v, want %v", seen, want)
		}
		if a, b := r.NextValue(), r.NextValue(); a != 1 || b != 2 {
			t.Errorf("values %d and %d, want 1 and 2: 0 is what the resource starts with", a, b)
		}
	}
	run()
	r.Reset()
	if len(r.Records) != 0 || len(r.Holds) != 0 || len(r.Observers) != 2 {
		t.Errorf("after a reset: %d records, %d holds, %d observers", len(r.Records), len(r.Holds), len(r.Observers))
	}
	seen = nil
	run()
}

// counter is an observer that keeps nothing.
type counter struct{ n int }

func (c *counter) Observe(*Record) { c.n++ }

func newCounted() *Recorder {
	r := NewRecorder(func() sim.Time { return 1 })
	r.Observers = append(r.Observers, &counter{}, &counter{}, &counter{}, &counter{})
	return r
}

func TestReuseDoesNotAllocate(t *testing.T) {
	r := newCounted()
	if n := testing.AllocsPerRun(100, func() {
		r.Reset()
		for range 50 {
			r.Add(Record{Kind: Attempt, Hold: r.NewHold(0, 1), Value: r.NextValue()})
		}
	}); n != 0 {
		t.Errorf("%v allocations in a run of a reused recorder, want none", n)
	}
}

// BenchmarkAdd is one record, with four observers.
func BenchmarkAdd(b *testing.B) {
	r := newCounted()
	hold := r.NewHold(0, 1)
	b.ReportAllocs()
	for b.Loop() {
		if len(r.Records) == 1000 {
			r.Records = r.Records[:0]
		}
		r.Add(Record{Kind: Request, Effect: ReadEffect, Hold: hold, Token: 3})
	}
}
