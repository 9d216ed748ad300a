package scenarios

import (
	"slices"
	"time"

	"fencepost/sim/rng"
)

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
