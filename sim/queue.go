package sim

// Queue is a binary min-heap of events in their total order (time, class,
// sequence). It is typed and holds values, so a push or a pop neither boxes nor
// allocates once the slice has grown. Lock models keep 10 to 200 events pending,
// where a binary heap is as fast as any other shape; what costs there is not the
// moves but the mispredicted branches, so the smaller of two children is chosen by
// arithmetic.
type Queue struct {
	heap []Event
}

// Len returns the number of pending events, cancelled ones included.
func (q *Queue) Len() int { return len(q.heap) }

// Reset empties the queue and keeps its memory.
func (q *Queue) Reset() { q.heap = q.heap[:0] }

// Push adds an event, which must not be before time zero.
func (q *Queue) Push(e Event) {
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
	if len(q.heap) == 0 {
		return Forever
	}
	return q.heap[0].At
}

// Pop removes and returns the earliest event. The queue must not be empty.
func (q *Queue) Pop() Event {
	heap := q.heap
	first := heap[0]
	last := len(heap) - 1
	moved := &heap[last] // sinks into the hole at the root
	hole, child := 0, 1
	for child < last {
		if child+1 < last {
			child += before(&heap[child+1], &heap[child])
		}
		if before(&heap[child], moved) == 0 {
			break
		}
		heap[hole] = heap[child]
		hole, child = child, 2*child+1
	}
	heap[hole] = *moved
	q.heap = heap[:last]
	return first
}
