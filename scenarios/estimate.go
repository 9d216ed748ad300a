package scenarios

import (
	"fmt"

	"fencepost/sim/fault"
)

// Estimator is how a sweep estimates the rates of violations.
type Estimator string

const (
	// Crude: the share of the trials.
	Crude Estimator = "crude"
	// Biased: what faults declare rare is drawn too often, and each trial has a weight ([rng.Bias]).
	Biased Estimator = "bias"
	// Conditional: each trial comes to a probability, that of the lengths of its one rare fault under
	// which the property is violated, all else being as it was drawn.
	Conditional Estimator = "conditional"
)

// Estimators are the accepted words, the first of which is what a sweep does unless told otherwise.
var Estimators = []string{string(Crude), string(Biased), string(Conditional)}

// estimateParam is what stands among the parameters of a run that is drawn with a bias, in its token
// too: it is another run than the one of its seed without.
const estimateParam = "estimate"

// readEstimate takes it from the parameters.
func (in *Instance) readEstimate(value string) error {
	if value != string(Biased) {
		return &Error{File: in.Scenario.File, Message: fmt.Sprintf("%s=%s: accepted: %s", estimateParam, value, Biased)}
	}
	in.biased = true
	return nil
}

// cannotBe says why a plan cannot be estimated so; empty if it can. Only what is declared rare may be biased,
// or integrated.
func (p *Plan) cannotBe(e Estimator) string {
	switch {
	case e == Biased && !fault.CanBias(p.faults):
		return "no fault has `rare: true` and a probability, or a random length with a tail: values that fewer than one draw in ten exceeds, and some do"
	case e != Conditional:
		return ""
	}
	lengths := 0
	for i := range p.faults {
		lengths += len(p.faults[i].RareLengths())
	}
	if lengths != 1 {
		return fmt.Sprintf("%d faults have `rare: true` and a random length: exactly one is integrated", lengths)
	}
	return ""
}

// Weight is that of the last run, 1 without a bias.
func (t *Trial) Weight() float64 {
	if b := t.injector.RunBias(); b != nil {
		return b.Weight()
	}
	return 1
}
