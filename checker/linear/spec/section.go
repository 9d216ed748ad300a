package spec

import "github.com/anishathalye/porcupine"

// SectionInput is one critical section on a value: what it saw and what it made of it.
type SectionInput[V comparable] struct {
	Key     string // which value, if there are several
	Reads   bool   // it read Seen first
	Writes  bool   // it wrote Written last
	Seen    V
	Written V
}

// Section is a value on which critical sections work, each of them as if alone. It starts
// with initial. Use it to ask whether a lock saved its users from lost updates.
//
// Inputs are [SectionInput]; outputs are an [Outcome]. A section spans from its first
// request to its last effect. Let each write a value that no other writes, and end the
// history with a read of the final value, called after all else has returned. A section
// whose write was refused only reads. If it is not known whether the write took effect,
// the output is [Unknown] and the Return [Never]. [Failed] says that the value was not
// what the section had seen, as a compare-and-set would.
//
// An update is lost if a write replaces another value than its section had read. For sections
// that read once, the newest value, and then write at most once, each a value of its own, a
// history with such a last read is linearizable exactly if no update is lost. If none is, let
// each section take effect with its last effect: what it read is there, at a read because that
// saw the newest value. If one is, consider the first write that replaces another value than
// its section saw. Each write before it replaced what it saw, so each of those values but the
// last was replaced by a section that had seen it. What the late write saw is one of them: two
// sections saw one value and both replaced it, and in no order do both see it, since no value
// comes back.
//
// A stale read, which saw a value that had been replaced, undoes half of this. A lost update
// still leaves no order. But there may be none though no update is lost: `replace(0, 1)`, then
// `see(0)`, then a last read of 1. So where a read can be stale, as from a replica or a cache,
// a history that is not linearizable says that an update was lost or a read was stale, and not
// which: a section that wrote on a stale read lost an update, one that only read harmed nothing.
func Section[V comparable](initial V) porcupine.Model {
	return newModel("a section", initial, func(value V, in SectionInput[V], out any) (bool, V) {
		next := value
		if in.Writes {
			next = in.Written
		}
		return settle(outcome(out, in), !in.Reads || in.Seen == value, value, next)
	})
}

// String writes what the section did.
func (in SectionInput[V]) String() string {
	switch {
	case in.Reads && in.Writes:
		return call(in.Key, "replace", in.Seen, in.Written)
	case in.Writes:
		return call(in.Key, "write", in.Written)
	}
	return call(in.Key, "read", in.Seen)
}

func (in SectionInput[V]) key() string { return in.Key }
