package spec

import (
	"io"
	"slices"
	"sync/atomic"

	"github.com/anishathalye/porcupine"
)

// Longest returns an order of as many operations of a history as a search with at most so
// many steps could put in order: all of them if the history is linearizable. Where a history
// is not, the operations that have no place in it show why. The history is that of one key.
// Of several orders of one length it returns the same each time.
func Longest(model porcupine.Model, history []porcupine.Operation, maxSteps int) []porcupine.Operation {
	verify(model, history)
	model.Partition = nil
	if len(history) > Large {
		return longestOfLarge(bounded(model, maxSteps), history)
	}
	_, info := porcupine.CheckOperationsVerbose(bounded(model, maxSteps), history, 0)
	var longest []int
	for _, order := range info.PartialLinearizations()[0] {
		if len(order) > len(longest) || len(order) == len(longest) && slices.Compare(order, longest) < 0 {
			longest = order
		}
	}
	operations := make([]porcupine.Operation, len(longest))
	for i, id := range longest {
		operations[i] = history[id]
	}
	return operations
}

func longestOfLarge(model porcupine.Model, history []porcupine.Operation) []porcupine.Operation {
	s := newSearch(model, history)
	s.run(model.Init())
	operations := make([]porcupine.Operation, len(s.longest))
	for i, at := range s.longest {
		operations[i] = *s.ops[at]
	}
	return operations
}

// Drawable reports whether [WritePage] draws a history: whether it has at most [Large] operations
// of each key. A page with more would need a multiple of the memory.
func Drawable(model porcupine.Model, history []porcupine.Operation) bool {
	if len(history) <= Large || model.Partition == nil {
		return len(history) <= Large
	}
	return !slices.ContainsFunc(model.Partition(history), func(g []porcupine.Operation) bool { return len(g) > Large })
}

// WritePage writes porcupine's page about a history that is [Drawable]: an HTML file of its own that draws the
// operations over time, the orders that were found and the states that they lead to. Its
// bytes are not the same each time.
func WritePage(w io.Writer, model porcupine.Model, history []porcupine.Operation, maxSteps int) error {
	verify(model, history)
	_, info := porcupine.CheckOperationsVerbose(bounded(model, maxSteps), history, 0)
	return porcupine.Visualize(model, info, w)
}

// bounded refuses each step past the bound, so that a search ends soon after it. Keys are
// searched at the same time and share the bound.
func bounded(model porcupine.Model, maxSteps int) porcupine.Model {
	var steps atomic.Int64
	step := model.Step
	model.StepContext = nil // porcupine would prefer it to Step
	model.Step = func(state, in, out any) (bool, any) {
		if steps.Add(1) > int64(maxSteps) {
			return false, state
		}
		return step(state, in, out)
	}
	return model
}
