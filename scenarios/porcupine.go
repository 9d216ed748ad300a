package scenarios

import (
	"strings"

	"fencepost/checker"
)

// Porcupine says in which trials of a sweep porcupine is asked.
type Porcupine string

const (
	// PorcupineSampled: where a monitor has found a violation, and on each thousandth seed. A
	// contradiction is an internal error as ever. The answers are not counted, since they would be
	// rates of trials that were picked by what came of them.
	PorcupineSampled Porcupine = "sampled"
	// PorcupineAll: in all trials, and its answers are counted.
	PorcupineAll Porcupine = "all"
	// PorcupineNone: the monitors judge alone.
	PorcupineNone Porcupine = "none"
)

// Porcupines are the accepted words, the first of which is what a sweep does unless told otherwise.
var Porcupines = []string{string(PorcupineSampled), string(PorcupineAll), string(PorcupineNone)}

// Answers reports whether a property is an answer of porcupine's, so that its rate needs all trials.
func Answers(property string) bool { return strings.HasPrefix(property, checker.Linearizable) }

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
