package spec

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// Answer is what a search found.
type Answer uint8

const (
	// Linearizable: an order exists.
	Linearizable Answer = iota
	// NotLinearizable: no order exists.
	NotLinearizable
	// Undecided: the bound on the steps of the search was reached.
	Undecided
)

// String returns the word for the answer.
func (a Answer) String() string {
	if words := [...]string{"linearizable", "not linearizable", "unknown"}; int(a) < len(words) {
		return words[a]
	}
	return fmt.Sprintf("Answer(%d)", uint8(a))
}

// Check searches for an order of a history that a model allows, with at most so many
// calls of the model's step. The bound is counted rather than timed, and keys are
// searched one after the other, so that the answer is the same on every machine. (With
// porcupine.CheckOperations the keys share the processors, and a bound is a time.) An input
// or an output that is not of the types that the model wants is a panic with what it wants.
func Check(model porcupine.Model, history []porcupine.Operation, maxSteps int) Answer {
	verify(model, history)
	groups := [][]porcupine.Operation{history}
	if model.Partition != nil {
		groups = model.Partition(history)
		model.Partition = nil
	}
	steps := 0
	step := model.Step
	model.StepContext = nil // porcupine would prefer it to Step
	model.Step = func(state, in, out any) (bool, any) {
		// Past the bound every step is refused, so that the search ends soon.
		if steps++; steps > maxSteps {
			return false, state
		}
		return step(state, in, out)
	}
	for _, g := range groups {
		ok := ordered(model, g)
		switch {
		case steps > maxSteps:
			return Undecided
		case !ok:
			return NotLinearizable
		}
	}
	return Linearizable
}

// ordered asks porcupine, or searches here what is too large for it.
func ordered(model porcupine.Model, history []porcupine.Operation) bool {
	if len(history) > Large {
		return newSearch(model, history).run(model.Init())
	}
	return porcupine.CheckOperations(model, history)
}
