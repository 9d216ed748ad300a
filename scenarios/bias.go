package scenarios

import (
	"fmt"
	"maps"

	"fencepost/sim/fault"
)

// estimateParam and its value stand among the parameters of a run in which what is rare is drawn too often,
// in its token too: it is another run than the one of its seed without that.
const (
	estimateParam = "estimate"
	biased        = "bias"
)

// WithBias are parameters under which what faults declare rare is drawn too often, so that each run has a
// weight ([rng.Bias]).
func WithBias(values map[string]string) map[string]string {
	with := maps.Clone(values)
	if with == nil {
		with = map[string]string{}
	}
	with[estimateParam] = biased
	return with
}

// readEstimate takes it from the parameters.
func (in *Instance) readEstimate(value string) error {
	if value != biased {
		return &Error{File: in.Scenario.File, Message: fmt.Sprintf("%s=%s: accepted: %s", estimateParam, value, biased)}
	}
	in.biased = true
	return nil
}

// notBiased says why a plan cannot be run with a bias; empty if it can.
func (p *Plan) notBiased() string {
	if fault.CanBias(p.faults) {
		return ""
	}
	return "no fault has `rare: true` and a probability, or a random length with a tail: values that fewer than one draw in ten exceeds, and some do"
}

// Weight is that of the last run, 1 without a bias.
func (t *Trial) Weight() float64 {
	if b := t.injector.RunBias(); b != nil {
		return b.Weight()
	}
	return 1
}
