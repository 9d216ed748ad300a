package spec

import "github.com/anishathalye/porcupine"

// RegisterInput is the input of one operation on a [Register].
type RegisterInput[V comparable] struct {
	Key   string // which register, if there are several
	Write bool   // it writes Value; otherwise it reads
	Value V
}

// Register is a value that is read and written. It starts with initial.
//
// Inputs are [RegisterInput]; the output of a read is the value, that of a write is
// ignored. Leave out reads without an answer and writes that failed for sure; a write
// whose outcome is unknown has the Return [Never]. If each write writes another value,
// more errors are found and the search is shorter.
//
// A register cannot show a lost update: two clients who both read 1 and then both write 2
// are linearizable. For read-modify-write use [Section].
func Register[V comparable](initial V) porcupine.Model {
	return newModel("a register", initial, func(value V, in RegisterInput[V], out any) (bool, V) {
		if in.Write {
			return true, in.Value
		}
		return output[V](out, in, "the value") == value, value
	})
}

// String writes the call.
func (in RegisterInput[V]) String() string {
	if in.Write {
		return call(in.Key, "write", in.Value)
	}
	return call(in.Key, "read")
}

func (in RegisterInput[V]) key() string { return in.Key }
