package recorded

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
)

// Evidence shows why a history has no order.
type Evidence struct {
	// Until is the line of the return up to which the operations have no order, and At its
	// time. Shortest says that up to the return before it they have one.
	Until    int
	At       int64
	Shortest bool
	// Order is a longest order of some of these operations, of Of that were to be ordered.
	Order []Step
	Of    int
	// State is what the model is in after the order.
	State string
	// NoPlace are the operations that had returned and have no place in the order.
	NoPlace []Step
}

// Step is one operation of an order.
type Step struct {
	Line    int
	Text    string // the operation in words
	Process string
	Owner   string
	Call    int64
	Return  int64 // Never if it had not returned
}

// evidence finds the shortest prefix of a key's operations that has no order, and a longest
// order of it.
func (j *judge) evidence(ops []prepared) *Evidence {
	until, shortest := j.prefix(ops)
	history := j.record(ops, until).history
	e := &Evidence{At: until, Shortest: shortest, Of: len(history)}
	for i := range ops {
		if ops[i].Return == until {
			e.Until = max(e.Until, ops[i].End)
		}
	}
	state := j.spec.Init()
	ordered := map[any]bool{}
	for _, op := range spec.Longest(j.spec, history, j.options.MaxSteps) {
		_, state = j.spec.Step(state, op.Input, op.Output)
		e.Order = append(e.Order, j.step(op))
		ordered[identity(op)] = true
	}
	e.State = j.describe(state)
	for _, op := range history {
		if op.Return != spec.Never && !ordered[identity(op)] {
			e.NoPlace = append(e.NoPlace, j.step(op))
		}
	}
	return e
}

// identity tells operations apart: a lease's end comes from the same line as its acquire.
func identity(op porcupine.Operation) any {
	type key struct {
		op   *external.Operation
		call int64
		lock spec.LockOp
	}
	in, _ := op.Input.(spec.LockInput)
	return key{op.Metadata.(*external.Operation), op.Call, in.Op}
}

func (j *judge) step(op porcupine.Operation) Step {
	recorded := op.Metadata.(*external.Operation)
	return Step{Line: recorded.Line, Text: j.words(op), Process: recorded.Process, Owner: recorded.Owner, Call: op.Call, Return: op.Return}
}

// words writes an operation of the model for people.
func (j *judge) words(op porcupine.Operation) string {
	in, ok := op.Input.(spec.LockInput)
	if !ok {
		return j.spec.DescribeOperation(op.Input, op.Output)
	}
	text := in.Op.String()
	if in.Op != spec.Available {
		text += " by " + j.owners.name(in.Owner)
	}
	if in.Permits > 0 {
		text += fmt.Sprintf(" of %d", in.Permits)
	}
	switch out := op.Output.(type) {
	case nil:
	case int64:
		text += fmt.Sprintf(", token %d", out)
	case spec.Outcome:
		if out != spec.OK {
			text += ", " + out.String()
		}
	default:
		text += fmt.Sprintf(", %v", out)
	}
	return text
}

// describe writes a state of the model for people.
func (j *judge) describe(state any) string {
	if holder, ok := state.(spec.Owner); ok {
		if holder == spec.Nobody {
			return "nobody holds it"
		}
		return "the holder is " + j.owners.name(holder)
	}
	return fmt.Sprint(state)
}

// Legend says which owner a number stands for, where the model's states show numbers.
func (r *Result) Legend() (names []string) {
	if !r.judge.model.beliefs {
		return nil
	}
	o := r.judge.owners
	for _, n := range slices.Sorted(maps.Keys(o.names)) {
		if o.names[n] != n.String() {
			names = append(names, fmt.Sprintf("%d is %s", n, o.names[n]))
		}
	}
	return names
}

// WritePage writes porcupine's page about the history: an HTML file of its own.
func (r *Result) WritePage(w io.Writer) error {
	m := r.judge.spec
	m.DescribeOperation = func(in, out any) string { return r.judge.words(porcupine.Operation{Input: in, Output: out}) }
	m.DescribeState = r.judge.describe
	m.DescribeOperationMetadata = func(data any) string {
		op := data.(*external.Operation)
		return fmt.Sprintf("line %d, process %s", op.Line, op.Process)
	}
	return spec.WritePage(w, m, r.history, r.judge.options.MaxSteps)
}
