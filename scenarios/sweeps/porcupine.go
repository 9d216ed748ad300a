package sweeps

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
