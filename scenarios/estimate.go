package scenarios

import (
	"fmt"
	"slices"
	"time"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/sim/fault"
	"fencepost/sim/rng"
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
		return "no fault has `rare: true` and a random length or a probability"
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

// conditionally returns the probability that a property is violated, over the length of the one rare
// fault, when everything else is drawn as under a seed. The verdict is asked for at lengths that are
// exceeded with ever smaller probabilities; where it changes between two of them the place is found by
// bisection. So it is taken to change once at most from one of them to the next.
func (t *Trial) conditionally(seed uint64, property string) (float64, error) {
	violated := func(length time.Duration) (bool, error) {
		draws := 0
		t.injector.Length = func(time.Duration) time.Duration {
			draws++
			return length
		}
		defer func() { t.injector.Length = nil }()
		r, err := t.Run(seed)
		if err == nil && draws > 1 {
			err = fmt.Errorf("the rare fault fired %d times in one run: the estimate %s is for one that fires once", draws, Conditional)
		}
		return r.Verdict.Of(property) == checker.Violated, err
	}
	return rareLength(t.Plan).integrate(violated)
}

// rareLength is the distribution of the one rare length.
func rareLength(p *Plan) *ladder {
	for i := range p.faults {
		if of := p.faults[i].RareLengths(); len(of) == 1 {
			return newLadder(of[0])
		}
	}
	return nil
}

// ladder are lengths that are exceeded with ever smaller probabilities.
type ladder struct {
	of    rng.Dist
	rungs []time.Duration
}

// exceededWith are those probabilities.
var exceededWith = []float64{0.999, 0.9, 0.7, 0.5, 0.3, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}

// finest is how closely the length is found at which a verdict changes.
const finest = 50 * time.Microsecond

func newLadder(of rng.Dist) *ladder {
	l := &ladder{of: of}
	for _, p := range exceededWith {
		if x := of.Exceeded(p); !slices.Contains(l.rungs, x) {
			l.rungs = append(l.rungs, x)
		}
	}
	return l
}

// integrate returns the probability of the lengths of which something is true.
func (l *ladder) integrate(is func(time.Duration) (bool, error)) (q float64, err error) {
	below := 1.0 // the probability of exceeding what was looked at
	was := false
	for i, rung := range l.rungs {
		now, err := is(rung)
		if err != nil {
			return 0, err
		}
		if i > 0 && now != was {
			at, err := change(l.rungs[i-1], rung, was, is)
			if err != nil {
				return 0, err
			}
			above := l.of.Survival(at)
			if was {
				q += below - above
			}
			below = above
		}
		was = now
		above := l.of.Survival(rung)
		if was {
			q += below - above
		}
		below = above
	}
	if was {
		q += below
	}
	return min(max(q, 0), 1), nil
}

// change finds the length, between two, at which something is no longer as it was at the first.
func change(from, to time.Duration, was bool, is func(time.Duration) (bool, error)) (time.Duration, error) {
	for to-from > finest {
		middle := from + (to-from)/2
		now, err := is(middle)
		if err != nil {
			return 0, err
		}
		if now == was {
			from = middle
		} else {
			to = middle
		}
	}
	return from + (to-from)/2, nil
}

// estimates are what a sweep with another estimator than crude has counted.
type estimates struct {
	// Weighted are by property.
	Weighted []*stats.Weighted `json:"weighted,omitempty"`
	// Conditional is of the sweep's property.
	Conditional *stats.Conditional `json:"conditional,omitempty"`
}

func newEstimates(e Estimator) (s estimates) {
	switch e {
	case Biased:
		for range checker.Properties {
			s.Weighted = append(s.Weighted, &stats.Weighted{})
		}
	case Conditional:
		s.Conditional = &stats.Conditional{}
	}
	return s
}

// weigh counts a biased run.
func (s *estimates) weigh(t *Trial, r *Result) {
	for i, w := range s.Weighted {
		if status := r.Verdict.Of(checker.Properties[i]); status != checker.NotApplicable {
			w.Add(t.Weight(), status == checker.Violated)
		}
	}
}

func (s *estimates) add(o *estimates) {
	for i, w := range o.Weighted {
		s.Weighted[i].Merge(w)
	}
	if o.Conditional != nil {
		s.Conditional.Merge(o.Conditional)
	}
}
