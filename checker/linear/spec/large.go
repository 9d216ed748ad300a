package spec

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/anishathalye/porcupine"
)

// Large is how many operations of one key are left to porcupine, and drawn. It notes for each
// step which of all operations are in order by then, a bit for each, so that its memory
// grows with the square: 3 GB for 150 000 operations. Longer histories are searched here.
const Large = 10_000

// search is porcupine's search (A. Horn, D. Kroening, Faster linearizability checking via
// P-compositionality, FORTE 2015, https://arxiv.org/abs/1504.00204), step for step, but for how
// it notes what it has seen: as the operations that are not in order yet and were called
// before one that is. These are few, so that the memory grows with the operations.
type search struct {
	step    func(state, in, out any) (bool, any)
	equal   func(a, b any) bool
	ops     []*porcupine.Operation // by their calls
	head    link                   // before the first entry of what is not in order
	order   []taken
	seen    map[string][]any // the states, by what is in order
	longest []int            // an order of as many operations as any that was found
}

// link is an entry of the list of calls and returns.
type link struct {
	op         int
	answer     *link // of a call
	next, prev *link
}

// taken is an operation that was put in order, and what held before.
type taken struct {
	call  *link
	state any
	until int // all that is in order was called before this operation
}

func newSearch(model porcupine.Model, history []porcupine.Operation) *search {
	s := &search{step: model.Step, equal: model.Equal, seen: map[string][]any{}}
	if s.equal == nil {
		s.equal = func(a, b any) bool { return a == b }
	}
	for i := range history {
		s.ops = append(s.ops, &history[i])
	}
	slices.SortStableFunc(s.ops, func(a, b *porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	returns := make([]int, len(s.ops))
	for i := range returns {
		returns[i] = i
	}
	slices.SortStableFunc(returns, func(a, b int) int { return cmp.Compare(s.ops[a].Return, s.ops[b].Return) })
	answers := make([]link, len(s.ops))
	last, next := &s.head, 0
	add := func(l *link) { last.next, l.prev, last = l, last, l }
	for _, i := range returns {
		// What is called in the instant of a return is called before it.
		for ; next < len(s.ops) && s.ops[next].Call <= s.ops[i].Return; next++ {
			add(&link{op: next, answer: &answers[next]})
		}
		answers[i].op = i
		add(&answers[i])
	}
	return s
}

// run reports whether all operations can be put in order.
func (s *search) run(state any) bool {
	until := 0
	for at := s.head.next; s.head.next != nil; {
		if at.answer == nil { // the return of what is not in order: it comes before all that follows
			if len(s.order) > len(s.longest) {
				s.keep()
			}
			if len(s.order) == 0 {
				return false
			}
			last := s.order[len(s.order)-1]
			s.order = s.order[:len(s.order)-1]
			last.call.putBack()
			at, state, until = last.call.next, last.state, last.until
			continue
		}
		op := s.ops[at.op]
		ok, after := s.step(state, op.Input, op.Output)
		if !ok || !s.fresh(at, max(until, at.op+1), after) {
			at = at.next
			continue
		}
		s.order = append(s.order, taken{at, state, until})
		state, until = after, max(until, at.op+1)
		at.takeOut()
		at = s.head.next
	}
	s.keep()
	return true
}

// fresh notes a state with what is in order once an operation is, and reports whether it was
// not noted before.
func (s *search) fresh(with *link, until int, state any) bool {
	key := binary.AppendUvarint(nil, uint64(until))
	for l := s.head.next; l != nil && l.op < until; l = l.next {
		if l != with && l.answer != nil {
			key = binary.AppendUvarint(key, uint64(l.op))
		}
	}
	states := s.seen[string(key)]
	for _, seen := range states {
		if s.equal(seen, state) {
			return false
		}
	}
	s.seen[string(key)] = append(states, state)
	return true
}

func (s *search) keep() {
	s.longest = s.longest[:0]
	for _, t := range s.order {
		s.longest = append(s.longest, t.call.op)
	}
}

// takeOut takes a call and its return out of the list.
func (l *link) takeOut() {
	for _, e := range []*link{l, l.answer} {
		e.prev.next = e.next
		if e.next != nil {
			e.next.prev = e.prev
		}
	}
}

// putBack undoes the last takeOut.
func (l *link) putBack() {
	for _, e := range []*link{l.answer, l} {
		e.prev.next = e
		if e.next != nil {
			e.next.prev = e
		}
	}
}
