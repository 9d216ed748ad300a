package scenarios

import "fencepost/checker"

// sampleEvery is how far the seeds are apart on which porcupine is asked whatever the monitors say.
// The first seed is one of them, so that a small sweep has one too.
const sampleEvery = 1000

// confirm says when porcupine confirms a run whose answers are left out. The seed alone decides, and
// what happens in the run, so that it does not depend on the workers.
func (p *Plan) confirm(seed uint64) checker.Confirm {
	switch {
	case !p.SampleLinear:
		return checker.ConfirmNothing
	case seed%sampleEvery == 1:
		return checker.ConfirmAll
	}
	return checker.ConfirmViolations
}
