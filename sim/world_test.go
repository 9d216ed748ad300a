package sim

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/sim/trace"
)

// log notes what fires and when; on does more.
type log struct {
	w     *World
	id    TargetID
	slots []int32
	times []Time
	on    func(e Event)
}

func (l *log) Fire(e Event) {
	l.slots, l.times = append(l.slots, e.Slot), append(l.times, l.w.Now())
	if l.on != nil {
		l.on(e)
	}
}

func newLog(w *World) *log {
	l := &log{w: w}
	l.id = w.Register(l)
	return l
}

func (l *log) at(class Class, at Time, slot int32) {
	l.w.Schedule(class, Event{At: at, Target: l.id, Slot: slot})
}

// foretelling is a log that knows which of its slots come to nothing.
type foretelling struct {
	log
	void map[int32]bool
}

func (f *foretelling) Void(e *Event) bool { return f.void[e.Slot] }

// TestNext: nothing is handled before the earliest event that counts, or after the end of the run.
func TestNext(t *testing.T) {
	w := &World{}
	asking := newLog(w)
	other := &foretelling{log: log{w: w}, void: map[int32]bool{7: true}}
	other.id = w.Register(other)
	var next []Time
	asking.on = func(Event) { next = append(next, w.Next()) }
	for _, at := range []Time{10, 20, 30, 60} {
		asking.at(ClassTimer, at, 1)
	}
	other.at(ClassDelivery, 15, 7)
	other.at(ClassDelivery, 25, 8)
	other.at(ClassFault, 40, 7)
	other.at(ClassFault, 70, 8)
	w.Run(50)
	w.Run(100)
	if want := []Time{20, 25, 51, 70}; !slices.Equal(next, want) {
		t.Errorf("next %v, want %v", next, want)
	}
}

// TestPace: it is called before each event and before the end, and what it schedules comes in its turn.
func TestPace(t *testing.T) {
	w := &World{}
	l := newLog(w)
	l.at(ClassTimer, 10, 1)
	l.at(ClassTimer, 40, 4)
	var asked []Time
	w.Pace = func(at Time) {
		asked = append(asked, at)
		switch {
		case at == 40 && !slices.Contains(l.slots, 2):
			l.at(ClassTimer, 20, 2)
		case at == 50 && !slices.Contains(l.slots, 5):
			l.at(ClassTimer, 50, 5)
		}
	}
	if got := w.Run(50); got != Elapsed && got != Drained {
		t.Errorf("outcome %v", got)
	}
	if want := []int32{1, 2, 4, 5}; !slices.Equal(l.slots, want) {
		t.Errorf("fired %v, want %v", l.slots, want)
	}
	// What is scheduled at the instant that was asked about needs no other question.
	if want := []Time{10, 40, 20, 40, 50, 50}; !slices.Equal(asked, want) {
		t.Errorf("asked before %v, want %v", asked, want)
	}
}

func TestRunOutcomes(t *testing.T) {
	for _, c := range []struct {
		name    string
		max     uint64
		stopAt  int32
		horizon Time
		want    Outcome
		slots   []int32
		now     Time
	}{
		{"the horizon is included", 0, -1, 20, Elapsed, []int32{1, 2, 3}, 20},
		{"right before an event", 0, -1, 19, Elapsed, []int32{1}, 19},
		{"all", 0, -1, 30, Drained, []int32{1, 2, 3, 4}, 30},
		{"drained before the horizon", 0, -1, 99, Drained, []int32{1, 2, 3, 4}, 30},
		{"stop finishes the event only", 0, 2, 99, Stopped, []int32{1, 2}, 20},
		{"stop at the last event", 0, 4, 99, Stopped, []int32{1, 2, 3, 4}, 30},
		{"a bound", 2, -1, 99, Exhausted, []int32{1, 2}, 20},
		{"a bound that is just enough", 4, -1, 99, Drained, []int32{1, 2, 3, 4}, 30},
		{"what is past the horizon needs no event", 3, -1, 20, Elapsed, []int32{1, 2, 3}, 20},
	} {
		w := &World{MaxEvents: c.max}
		l := newLog(w)
		l.on = func(e Event) {
			if e.Slot == c.stopAt {
				w.Stop()
			}
		}
		for i, at := range []Time{10, 20, 20, 30} {
			l.at(ClassTimer, at, int32(i+1))
		}
		if got := w.Run(c.horizon); got != c.want || !slices.Equal(l.slots, c.slots) || w.Now() != c.now || w.Fired() != uint64(len(c.slots)) {
			t.Errorf("%s: outcome %d after %v at %v (%d fired), want %d after %v at %v", c.name,
				got, l.slots, w.Now(), w.Fired(), c.want, c.slots, c.now)
		}
	}
}

func TestRunGoesOn(t *testing.T) {
	w := &World{}
	l := newLog(w)
	l.at(ClassTimer, 10, 1)
	l.at(ClassTimer, 20, 2)
	w.Run(15)
	if w.Run(12); w.Now() != 15 {
		t.Errorf("a run to an earlier horizon turned time back to %v", w.Now())
	}
	if out := w.Run(20); out != Drained || len(l.slots) != 2 {
		t.Errorf("outcome %d after %v", out, l.slots)
	}
}

// TestClassesAtOneInstant: an event may schedule for its own instant, also one of a
// class that comes earlier; what is pending then runs in class order.
func TestClassesAtOneInstant(t *testing.T) {
	w := &World{}
	l := newLog(w)
	l.on = func(e Event) {
		if e.Slot == 2 {
			l.at(ClassDelivery, 5, 6)
			l.at(ClassFault, 5, 5)
		}
	}
	l.at(ClassDelivery, 5, 4)
	l.at(ClassTimer, 5, 2)
	l.at(ClassTimer, 5, 3)
	l.at(ClassFault, 5, 1)
	w.Run(5)
	if want := []int32{1, 2, 5, 3, 4, 6}; !slices.Equal(l.slots, want) {
		t.Errorf("order %v, want %v", l.slots, want)
	}
}

func TestPastSchedulingPanics(t *testing.T) {
	w := &World{}
	l := newLog(w)
	l.on = func(Event) { l.at(ClassTimer, 9, 2) }
	l.at(ClassTimer, 10, 1)
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "before now") || !strings.Contains(text, "sequence 1") {
			t.Errorf("panic %q does not say what is wrong and where", text)
		}
	}()
	w.Run(Forever)
}

func TestDigest(t *testing.T) {
	run := func(w *World, l *log, seed uint64, events ...Event) uint64 {
		w.Reset(seed)
		for _, e := range events {
			e.Target = l.id
			w.Schedule(ClassTimer, e)
		}
		w.Run(Forever)
		return w.Digest().Sum()
	}
	w := &World{}
	l := newLog(w)
	base := run(w, l, 1, Event{At: 10}, Event{At: 20})
	if again := run(w, l, 1, Event{At: 10}, Event{At: 20}); again != base {
		t.Error("a reused world has another digest")
	}
	fresh := &World{}
	if twin := run(fresh, newLog(fresh), 1, Event{At: 10}, Event{At: 20}); twin != base {
		t.Error("another world has another digest")
	}
	for name, other := range map[string]uint64{
		"seed":    run(w, l, 2, Event{At: 10}, Event{At: 20}),
		"instant": run(w, l, 1, Event{At: 10}, Event{At: 21}),
		"kind":    run(w, l, 1, Event{At: 10}, Event{At: 20, Kind: 1}),
		"order":   run(w, l, 1, Event{At: 20}, Event{At: 10}),
		"count":   run(w, l, 1, Event{At: 10}),
	} {
		if other == base {
			t.Errorf("another %s has the same digest", name)
		}
	}
}

func TestTraceDoesNotChangeARun(t *testing.T) {
	digests := [2]uint64{}
	memory := &trace.Memory{}
	for i := range digests {
		w := &World{}
		if i == 1 {
			w.Sink = memory
		}
		l := newLog(w)
		l.on = func(Event) { w.Trace(trace.Record{Who: "log", What: "fire"}) }
		l.at(ClassTimer, 10, 1)
		w.Run(Forever)
		digests[i] = w.Digest().Sum()
	}
	if digests[0] != digests[1] {
		t.Error("tracing changed the digest")
	}
	want := []trace.Record{{Sequence: 1, At: 10, Digest: digests[0], Who: "log", What: "fire"}}
	if !slices.Equal(memory.Records, want) {
		t.Errorf("records %v, want %v", memory.Records, want)
	}
}

func TestTime(t *testing.T) {
	for _, c := range []struct {
		t    Time
		d    time.Duration
		want Time
	}{
		{0, 5, 5}, {7, -5, 2}, {Forever, 1, Forever}, {Forever - 1, 1, Forever},
		{1, time.Duration(1<<63 - 1), Forever}, {0, time.Duration(Forever), Forever}, {Forever, -1, Forever - 1},
	} {
		if got := c.t.Add(c.d); got != c.want {
			t.Errorf("%d + %d = %d, want %d", c.t, c.d, got, c.want)
		}
	}
	for at, want := range map[Time]string{
		0: "0.000000000s", 1: "0.000000001s", 1_500_000_000: "1.500000000s", -1: "-0.000000001s", 61e9 + 7: "61.000000007s",
	} {
		if got := at.String(); got != want {
			t.Errorf("String = %q, want %q", got, want)
		}
	}
	if d := Time(7).Sub(9); d != -2 {
		t.Errorf("7 - 9 = %d", d)
	}
}

// passing asks from inside of events what has passed.
type passing struct {
	t *testing.T
	w *World
}

func (p *passing) Fire(e Event) {
	for _, c := range []struct {
		at    Time
		class Class
		want  bool
	}{
		{e.At - 1, ClassDelivery, true}, {e.At + 1, ClassFault, false},
		{e.At, ClassFault, e.Class() > ClassFault}, {e.At, ClassTimer, e.Class() > ClassTimer}, {e.At, ClassDelivery, false},
	} {
		if p.w.Passed(c.at, c.class) != c.want {
			p.t.Errorf("at %v, class %d: at %v class %d passed %v", e.At, e.Class(), c.at, c.class, !c.want)
		}
	}
}

func TestPassed(t *testing.T) {
	w := &World{}
	id := w.Register(&passing{t, w})
	for run := range 2 {
		w.Reset(1)
		if w.Resets() != uint64(run+1) || w.Passed(0, ClassFault) {
			t.Errorf("run %d: %d resets, or something has passed at the start", run, w.Resets())
		}
		for _, c := range []Class{ClassFault, ClassTimer, ClassDelivery} {
			w.Schedule(c, Event{At: 5, Target: id})
		}
		w.Schedule(ClassFault, Event{At: 20, Target: id})
		if w.Run(9); !w.Passed(9, ClassDelivery) || w.Passed(10, ClassFault) {
			t.Error("after a run everything up to its horizon has passed, and no more")
		}
	}
}
