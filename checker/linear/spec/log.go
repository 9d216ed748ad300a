package spec

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// LogInput is the input of one operation on a [Log].
type LogInput[V comparable] struct {
	Key    string // which log, if there are several
	Append bool   // it appends Value; otherwise it reads all
	Value  V
}

// Log is a list that is appended to and read as a whole. It starts empty.
//
// Inputs are [LogInput]; the output of an append is the index of the new entry, an int
// from 0, or [Unknown] if it was not told; that of a read is a []V. If it is not known
// whether an append took effect, its Return is [Never]. Leave out what failed for sure,
// and reads without an answer.
func Log[V comparable]() porcupine.Model {
	m := newModel("a log", logState[V]{}, func(s logState[V], in LogInput[V], out any) (bool, logState[V]) {
		if in.Append {
			index, tells := outputUnlessUnknown[int](out, in, "Unknown or the index of the entry")
			return !tells || index == s.length, logState[V]{&logEntry[V]{s.last, in.Value}, s.length + 1}
		}
		return s.equals(output[[]V](out, in, "the entries")), s
	})
	m.Equal = func(a, b any) bool { return a.(logState[V]).same(b.(logState[V])) }
	return m
}

// logState is a list from its last entry backwards: states share what they have in
// common, so that an append copies nothing.
type logState[V comparable] struct {
	last   *logEntry[V]
	length int
}

type logEntry[V comparable] struct {
	before *logEntry[V]
	value  V
}

func (s logState[V]) equals(values []V) bool {
	if len(values) != s.length {
		return false
	}
	e := s.last
	for i := s.length - 1; i >= 0; i-- {
		if e.value != values[i] {
			return false
		}
		e = e.before
	}
	return true
}

// same compares two lists, down to where they are one.
func (s logState[V]) same(t logState[V]) bool {
	if s.length != t.length {
		return false
	}
	a, b := s.last, t.last
	for a != b && a.value == b.value {
		a, b = a.before, b.before
	}
	return a == b
}

// String writes the entries in order.
func (s logState[V]) String() string {
	values := make([]V, s.length)
	for i, e := s.length-1, s.last; e != nil; i, e = i-1, e.before {
		values[i] = e.value
	}
	return fmt.Sprint(values)
}

// String writes the call.
func (in LogInput[V]) String() string {
	if in.Append {
		return call(in.Key, "append", in.Value)
	}
	return call(in.Key, "read")
}

func (in LogInput[V]) key() string { return in.Key }
