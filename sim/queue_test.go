package sim

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueueOrder compares with a stable sort by time and class: events that tie come in
// the order in which they were scheduled. Few instants make many ties.
func TestQueueOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &World{}
		var pending []Event // in the order in which they were scheduled
		next := int32(0)
		pop := func() {
			earliest := slices.MinFunc(pending, func(a, b Event) int {
				if a.At != b.At {
					return int(a.At - b.At)
				}
				return int(a.Class()) - int(b.Class())
			})
			if at := w.queue.Peek(); at != earliest.At {
				t.Fatalf("Peek = %v, want %v", at, earliest.At)
			}
			if got := w.queue.Pop(); got.Slot != earliest.Slot || got.At != earliest.At || got.Class() != earliest.Class() {
				t.Fatalf("Pop = %+v, want %+v", got, earliest)
			}
			pending = slices.DeleteFunc(pending, func(e Event) bool { return e.Slot == earliest.Slot })
		}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(pending) > 0 && rapid.IntRange(0, 2).Draw(t, "pop") == 0 {
				pop()
				continue
			}
			e := Event{At: Time(rapid.Int64Range(0, 5).Draw(t, "at")), Slot: next}
			class := Class(rapid.IntRange(0, 2).Draw(t, "class"))
			next++
			w.Schedule(class, e)
			e.order = uint64(class) << classShift // all that the oracle may know
			pending = append(pending, e)
			if w.queue.Len() != len(pending) {
				t.Fatalf("Len = %d, want %d", w.queue.Len(), len(pending))
			}
		}
		for len(pending) > 0 {
			pop()
		}
		if w.queue.Peek() != Forever {
			t.Fatal("an empty queue has an event before forever")
		}
	})
}

func TestBeforeAtTheEnds(t *testing.T) {
	const most = 1<<64 - 1
	for _, c := range []struct {
		e, f Event
		want int
	}{
		{Event{At: 0}, Event{At: 0}, 0},
		{Event{At: 0}, Event{At: 1}, 1},
		{Event{At: 1}, Event{At: 0}, 0},
		{Event{At: 0, order: most}, Event{At: 1}, 1},
		{Event{At: 1}, Event{At: 0, order: most}, 0},
		{Event{At: 5, order: 1}, Event{At: 5, order: 2}, 1},
		{Event{At: 5, order: 2}, Event{At: 5, order: 1}, 0},
		{Event{At: Forever}, Event{At: Forever, order: most}, 1},
	} {
		if got := before(&c.e, &c.f); got != c.want {
			t.Errorf("before(%+v, %+v) = %d, want %d", c.e, c.f, got, c.want)
		}
	}
}
