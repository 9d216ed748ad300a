package spec

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// output is what an operation was answered, as the model wants it. It stops a search that
// has something else: no answer about such a history would mean anything.
func output[T any, I input](out any, in I, what string) T {
	v, is := out.(T)
	if !is {
		panic(fmt.Sprintf("spec: the output of %v has to be %s, of type %T, not %s", in, what, v, told(out)))
	}
	return v
}

// outputUnlessUnknown is an output that may be [Unknown] instead, and whether it is not.
func outputUnlessUnknown[T any, I input](out any, in I, what string) (v T, tells bool) {
	if out == Unknown {
		return v, false
	}
	return output[T](out, in, what), true
}

// outcome is an output that is an [Outcome].
func outcome[I input](out any, in I) Outcome {
	o := output[Outcome](out, in, "OK, Failed or Unknown")
	if o > Unknown {
		panic(fmt.Sprintf("spec: the output of %v has to be OK, Failed or Unknown, not %v", in, o))
	}
	return o
}

// told writes a value with its type.
func told(v any) string {
	if v == nil {
		return "nil"
	}
	return fmt.Sprintf("%v, of type %T", v, v)
}

// verify asks the model once about each operation before the search. porcupine searches in
// goroutines of its own, where a model that stops on a wrong input or output ends the
// process; here the caller sees it.
func verify(model porcupine.Model, history []porcupine.Operation) {
	start := model.Init()
	for i := range history {
		model.Step(start, history[i].Input, history[i].Output)
	}
}
