// Package linear asks porcupine whether a run's histories are linearizable. It records
// them as the models of package spec want them, from any record of the vocabulary in
// sim/history. Package spec can be used without it.
//
// # The lock history
//
// It is that of a [spec.Mutex] whose owners are the holds. An acquire is called at
// [history.Attempt] and returns at [history.BeliefBegin]; the release is called at
// [history.BeliefEnd] and returns at [history.ReleaseEnd], or never; after a crash it is
// called at [history.Crash] and never returns. A belief that its library suspends and
// resumes is a release and another acquire. Times are sequence numbers of the record,
// which are unique. So these are the recording rules of package spec, and what is proved
// there holds here: the history is linearizable exactly if no two beliefs overlap.
//
// # The token history
//
// It is that of a [spec.FencedMutex], recorded as the lock history, with the token of each
// belief. A belief in the token that its hold had before is a resume; beliefs without a
// token are left out. Where beliefs overlap, no fenced mutex allows it, whatever the tokens.
// Where none do, the history is linearizable exactly if the tokens rise from belief to
// belief, but for a hold that resumes with its token before any other hold believes:
//
// Number the beliefs as they come. The i-th release is called after the first i acquires have
// returned, so that at least i acquires precede it in each order. Acquires and releases take
// turns, so the release that comes at the p-th place among the releases is preceded by exactly
// p acquires. Hence each release has the place of its belief, and precisely the acquires of the
// beliefs up to its own precede it. There is but one order, that of the beliefs, and it is one
// of the model's exactly if the model takes each token after the one before it.
//
// # The resource history
//
// It is that of a [spec.Section] on a register with value 0. Each critical section spans
// from its first request to its last effect, with what the resource itself says it read
// and wrote; requests that the guard refused, or that never arrived, had no effect. One
// audit read ends the history. As single reads and writes, a lost update is linearizable:
// only sections show the harm. Sections read, and then write at most one value, one of their
// own; of reads that are sent again the last one before the write counts.
//
// A write may be served more than once. While its value is still there, nothing changes, and
// the section only becomes longer. When another has replaced it, the section is in the history
// a second time, with the same values, at that instant alone: it does what it did, on what it
// read, once more.
//
// If each read saw the newest value, the history is linearizable exactly if no update is lost.
// Where no section is there twice, that is the proof at [spec.Section], with each section that
// writes taking effect when its write is first served. Where one is,
//
//   - an update is lost: the second service replaces the write of another section, which this
//     one has not read. The monitor counts it, as it does each write that replaces what its
//     section has neither read nor written.
//   - there is no order. Suppose there is, and take in it the first section after which the
//     register has a value that it has had before, and had not meanwhile. Such a section exists:
//     the second of two that write the same value is preceded by another value, the one that it
//     read, which is not the one that it writes. The value that comes back is not the initial
//     one, which nobody writes. So it was written before by the same section, which had read the
//     same value then. That value was there before the first of the two, and is there again
//     before the second. So it has come back earlier, which contradicts the choice.
//
// If a lock protects several objects, a section is one operation on each of them: with the
// object as its key, from its first request for that object to its last effect there, and
// once more if a write there is served again. Operations on different objects are independent,
// so each is searched by itself, and what is proved above holds for each: the history is
// linearizable exactly if no update of any object is lost.
package linear

import (
	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
	"fencepost/sim/history"
)

// Answer is what the search found.
type Answer = spec.Answer

// The answers, under the names that verdicts use.
const (
	Linearizable    = spec.Linearizable
	NotLinearizable = spec.NotLinearizable
	Unknown         = spec.Undecided
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
	index      []int   // by hold, and object: position in operations or sections, plus one
	objects    int     // that sections are on
	calls      []int64 // by hold: when acquire was called
	told       []told  // by hold
	audit      []int64 // of the resource history that was checked last
}

var (
	mutex    = spec.Mutex()
	register = spec.Section(int64(0))
)

// Lock checks the lock history.
func (c *Checker) Lock(h *history.Recorder) Answer {
	c.collectLock(h)
	return c.check(mutex)
}

// Resource checks the resource history against registers that start with value 0 and hold
// audit at the end, one for each object.
func (c *Checker) Resource(h *history.Recorder, audit ...int64) Answer {
	c.audit = append(c.audit[:0], audit...)
	c.collectSections(h, audit)
	return c.check(register)
}

func (c *Checker) check(model porcupine.Model) Answer {
	bound := c.Bound
	if bound == 0 {
		bound = MaxSteps
	}
	return spec.Check(model, c.operations, bound)
}
