package recorded

import (
	"io"

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

// Drawable reports whether [Result.WritePage] can draw the history.
func (r *Result) Drawable() bool { return spec.Drawable(r.judge.spec, r.history) }

// WritePage writes porcupine's page about the history: an HTML file of its own.
func (r *Result) WritePage(w io.Writer) error {
	m := r.judge.spec
	m.DescribeOperation = func(in, out any) string { return r.judge.words(porcupine.Operation{Input: in, Output: out}) }
	m.DescribeState = r.judge.describe
	m.DescribeOperationMetadata = describeOperation
	return spec.WritePage(w, m, r.history, r.judge.options.MaxSteps)
}
