package recorded

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
)

// words writes an operation of the model for people, in the words of the history.
func (j *judge) words(op porcupine.Operation) string {
	switch in := op.Input.(type) {
	case spec.LockInput:
		return j.lockWords(in) + answered(op.Output)
	case spec.SectionInput[string]:
		return sectionWords(in) + answered(op.Output)
	}
	return j.spec.DescribeOperation(op.Input, op.Output)
}

func (j *judge) lockWords(in spec.LockInput) string {
	text := in.Op.String()
	if in.Op != spec.Available {
		text += " by " + j.owners.name(in.Owner)
	}
	if in.Permits > 0 {
		text += fmt.Sprintf(" of %d", in.Permits)
	}
	return text
}

// sectionWords writes what was done to a register.
func sectionWords(in spec.SectionInput[string]) string {
	switch {
	case in.Reads && in.Writes:
		return fmt.Sprintf("cas of %s to %s", in.Seen, in.Written)
	case in.Writes:
		return "write of " + in.Written
	}
	return "read of " + in.Seen
}

// answered writes an answer, if it says more than that the operation succeeded.
func answered(out any) string {
	switch out := out.(type) {
	case nil:
		return ""
	case int64:
		return fmt.Sprintf(", token %d", out)
	case spec.Outcome:
		if out == spec.OK {
			return ""
		}
	}
	return fmt.Sprintf(", %v", out)
}

// describe writes a state of the model for people, with the owners' own names.
func (j *judge) describe(state any) string {
	return j.model.state + spec.DescribeState(state, j.owners.name)
}

// describeOperation is what porcupine's page shows when it is pointed at an operation.
func describeOperation(data any) string {
	op := data.(*external.Operation)
	return fmt.Sprintf("line %d, process %s", op.Line, op.Process)
}
