package sim

// Queue is a binary min-heap of events in their total order (time, class,
// sequence). It is typed and holds values, so a push or a pop neither boxes nor
// allocates once the slice has grown; lock models keep 10 to 200 events pending,
// where a binary heap is as fast as any other shape.
type Queue struct {
	heap []Event
}

// Len returns the number of pending events, cancelled ones included.
func (q *Queue) Len() int { return len(q.heap) }

// Reset empties the queue and keeps its memory.
func (q *Queue) Reset() { q.heap = q.heap[:0] }

// Push adds an event.
func (q *Queue) Push(e Event) {
	q.heap = append(q.heap, e)
	heap := q.heap
	child := len(heap) - 1
	for child > 0 {
		parent := (child - 1) / 2
		if !e.before(heap[parent]) {
			break
		}
		heap[child] = heap[parent]
		child = parent
	}
	heap[child] = e
}

// Peek returns the instant of the earliest event, or [Forever] if there is none.
func (q *Queue) Peek() Time {
	if len(q.heap) == 0 {
		return Forever
	}
	return q.heap[0].At
}

// Pop removes and returns the earliest event. The queue must not be empty.
func (q *Queue) Pop() Event {
	first := q.heap[0]
	last := len(q.heap) - 1
	moved := q.heap[last]
	q.heap = q.heap[:last]
	if last > 0 {
		q.sink(moved)
	}
	return first
}

// sink fills the hole at the root with e.
func (q *Queue) sink(e Event) {
	heap := q.heap
	parent, child := 0, 1
	for child < len(heap) {
		if right := child + 1; right < len(heap) && heap[right].before(heap[child]) {
			child = right
		}
		if !heap[child].before(e) {
			break
		}
		heap[parent] = heap[child]
		parent, child = child, 2*child+1
	}
	heap[parent] = e
}
