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
// For sections that read once and then write at most once, each a value of its own, a
// history with such a last read is linearizable exactly if no update is lost, that is if
// each write replaces the value that its section had read. If so, let each section take
// effect with its last effect. If not, consider the first write that replaces another
// value than its section saw. Each write before it replaced what it saw, so each of those
// values but the last was replaced by a section that had seen it. What the late write saw
// is one of them: two sections saw one value and both replaced it, and in no order do both
// see it, since no value comes back.
func Section[V comparable](initial V) porcupine.Model {
	return newModel(initial, func(value V, in SectionInput[V], out any) (bool, V) {
		next := value
		if in.Writes {
			next = in.Written
		}
		return settle(out.(Outcome), !in.Reads || in.Seen == value, value, next)
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
	return call(in.Key, "see", in.Seen)
}

func (in SectionInput[V]) key() string { return in.Key }
