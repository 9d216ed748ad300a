// Package linear asks porcupine whether a run's histories are linearizable. It can be
// used alone, on any record of the vocabulary in sim/history.
//
// # The lock history
//
// Each successful hold is one acquire and one release of an owner-aware mutex. The
// acquire is called at [history.Attempt] and returns at [history.BeliefBegin]; the
// release is called at [history.BeliefEnd] and returns at [history.ReleaseEnd], or
// never; after a crash it is called at [history.Crash] and never returns. An open belief
// has no release. Failed acquires are left out: they change
// nothing. Times are sequence numbers of the record, which are unique.
//
// Under these rules a history is linearizable exactly if no two beliefs overlap.
// If beliefs do not overlap, linearize each acquire at its return and each release at
// its call: the order is acquire, release, acquire, release, which a mutex allows. If
// the beliefs of A and B overlap, say B's acquire returns inside A's belief, then A's
// release is called after B's acquire returned and so comes after it; a mutex needs
// A's release before B's acquire, or B's release before A's acquire. The latter
// would have to come before A's acquire returned, but B's release is called after
// B's acquire returned, which is after A's acquire returned. So no order exists.
//
// # The resource history
//
// Each critical section is one atomic operation on a register, from its first
// request to its last effect, with what the resource itself says it read and wrote;
// requests that the guard refused, or that never arrived, had no effect. One audit
// read ends the history. As single reads and writes, a lost update is linearizable:
// only sections show the harm.
//
// For sections that read once and then write at most once, each a value of its own, a
// history is linearizable exactly if no update is lost, that is if each write replaces
// the value that its section had read. If so, linearize each section at its last
// effect. If not, consider the first write that replaces another value than it saw.
// Every write before it replaced what it saw, so each of those values but the last has
// been replaced by a section that saw it. What the late write saw is one of them: two
// sections saw one value and both replaced it, and in no order do both see it, since no
// value comes back.
package linear

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"fencepost/sim/history"
)

// Answer is what the search found.
type Answer uint8

const (
	// Linearizable: an order exists.
	Linearizable Answer = iota
	// NotLinearizable: no order exists.
	NotLinearizable
	// Unknown: the bound on the steps of the search was reached.
	Unknown
)

// MaxSteps bounds the search. It counts calls of the model's step function rather
// than time, so that the answer does not depend on the machine.
const MaxSteps = 1_000_000

// Checker holds the memory that checks reuse. The zero value is ready.
type Checker struct {
	// Bound replaces MaxSteps if it is not zero.
	Bound int

	operations []porcupine.Operation
	sections   []section
	index      []int   // by hold: position in operations or sections, plus one
	calls      []int64 // by hold: when acquire was called
}

// operation is the input of one operation of either model.
type operation struct {
	hold    history.HoldID
	release bool // of the mutex
	reads   bool // of the register
	writes  bool
	seen    int64
	written int64
}

// Lock checks the lock history.
func (c *Checker) Lock(h *history.Recorder) Answer {
	c.collectLock(h)
	return c.check(func() any { return history.HoldID(0) }, stepMutex)
}

// stepMutex is a mutex that knows its owner; 0 is nobody.
func stepMutex(state, input any) (bool, any) {
	owner, op := state.(history.HoldID), input.(operation)
	if op.release {
		return owner == op.hold, history.HoldID(0)
	}
	return owner == 0, op.hold
}

// Resource checks the resource history against a register that starts with value 0
// and holds audit at the end.
func (c *Checker) Resource(h *history.Recorder, audit int64) Answer {
	c.collectSections(h, audit)
	return c.check(func() any { return int64(0) }, stepRegister)
}

// stepRegister is a register whose operations read, write or do both.
func stepRegister(state, input any) (bool, any) {
	value, op := state.(int64), input.(operation)
	if op.reads && op.seen != value {
		return false, value
	}
	if op.writes {
		value = op.written
	}
	return true, value
}

// check searches for an order. Its steps are counted, and past the bound every one is
// refused, so that the search ends soon; its answer is then discarded.
func (c *Checker) check(start func() any, step func(state, input any) (bool, any)) Answer {
	bound := c.Bound
	if bound == 0 {
		bound = MaxSteps
	}
	steps := 0
	ok := porcupine.CheckOperations(porcupine.Model{
		Init: start,
		Step: func(state, input, _ any) (bool, any) {
			if steps++; steps > bound {
				return false, state
			}
			return step(state, input)
		},
	}, c.operations)
	switch {
	case steps > bound:
		return Unknown
	case ok:
		return Linearizable
	}
	return NotLinearizable
}

// String returns the word for the answer.
func (a Answer) String() string {
	switch a {
	case Linearizable:
		return "linearizable"
	case NotLinearizable:
		return "not linearizable"
	case Unknown:
		return "unknown"
	}
	return fmt.Sprintf("Answer(%d)", uint8(a))
}
