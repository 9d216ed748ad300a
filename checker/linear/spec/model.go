package spec

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"
)

// input is what the inputs of all models have in common.
type input interface {
	fmt.Stringer
	key() string
}

// newModel makes a model of a step with types. States are values that nobody changes. A step
// looks at its output before it looks at the state, so that [Check] finds a wrong one.
func newModel[S any, I input](name string, start S, step func(state S, in I, out any) (bool, S)) porcupine.Model {
	return porcupine.Model{
		Partition:      partition,
		PartitionEvent: partitionEvents,
		Init:           func() any { return start },
		Step: func(state, in, out any) (bool, any) {
			typed, is := in.(I)
			if !is {
				panic(fmt.Sprintf("spec: an input of %s has to be %T, not %s", name, typed, told(in)))
			}
			ok, next := step(state.(S), typed, out)
			return ok, next
		},
		DescribeOperation: describe,
	}
}

// describe writes an operation as "acquire(disk, 1) -> 34".
func describe(in, out any) string {
	if out == nil {
		return fmt.Sprint(in)
	}
	return fmt.Sprintf("%v -> %v", in, out)
}

// call writes a call with its key, if it has one, and its arguments.
func call(key, name string, args ...any) string {
	var words []string
	if key != "" {
		words = append(words, key)
	}
	for _, a := range args {
		words = append(words, fmt.Sprint(a))
	}
	return name + "(" + strings.Join(words, ", ") + ")"
}
