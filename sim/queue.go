package sim

// Queue is a binary min-heap of events in their total order (time, class,
// sequence). It is typed and holds values, so a push or a pop neither boxes nor
// allocates once the slice has grown. Lock models keep 10 to 200 events pending,
// where a binary heap is as fast as any other shape; what costs there is not the
// moves but the mispredicted branches, so the smaller of two children is chosen by
// arithmetic.
//
// Handling an event mostly schedules another. So a pop leaves a hole at the root, into
// which the next push puts its event: one way down instead of two through the heap, and a
// short one if the event is early. Only if no push comes does the last event fill the hole.
type Queue struct {
	heap []Event
	hole bool // the root was popped, and nothing has taken its place
}

// Len returns the number of pending events, cancelled ones included.
func (q *Queue) Len() int {
	if q.hole {
		return len(q.heap) - 1
	}
	return len(q.heap)
}

// Reset empties the queue and keeps its memory.
func (q *Queue) Reset() { q.heap, q.hole = q.heap[:0], false }

// Push adds an event, which must not be before time zero.
func (q *Queue) Push(e Event) {
	if q.hole {
		q.hole = false
		sink(q.heap, &e)
		return
	}
	q.heap = append(q.heap, e)
	heap := q.heap
	child := len(heap) - 1
	for child > 0 {
		parent := (child - 1) / 2
		if before(&e, &heap[parent]) == 0 {
			break
		}
		heap[child] = heap[parent]
		child = parent
	}
	heap[child] = e
}

// Peek returns the instant of the earliest event, or [Forever] if there is none.
func (q *Queue) Peek() Time {
	q.fill()
	if len(q.heap) == 0 {
		return Forever
	}
	return q.heap[0].At
}

// Pending returns the events that are pending, cancelled ones included, in no order. They are valid
// until the queue changes.
func (q *Queue) Pending() []Event {
	if q.hole {
		return q.heap[1:]
	}
	return q.heap
}

// Pop removes and returns the earliest event. The queue must not be empty.
func (q *Queue) Pop() Event {
	q.fill()
	q.hole = true
	return q.heap[0]
}

// fill lets the last event take the place of the root that was popped.
func (q *Queue) fill() {
	if !q.hole {
		return
	}
	q.hole = false
	last := len(q.heap) - 1
	moved := &q.heap[last]
	if q.heap = q.heap[:last]; last > 0 {
		sink(q.heap, moved)
	}
}

// sink puts an event into the heap in place of the root, which it may belong far below.
func sink(heap []Event, e *Event) {
	hole, child := 0, 1
	for child < len(heap) {
		if child+1 < len(heap) {
			child += before(&heap[child+1], &heap[child])
		}
		if before(&heap[child], e) == 0 {
			break
		}
		heap[hole] = heap[child]
		hole, child = child, 2*child+1
	}
	heap[hole] = *e
}
