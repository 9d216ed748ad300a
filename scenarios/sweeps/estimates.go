package sweeps

import (
	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/scenarios"
)

// estimates are what a sweep with another estimator than crude has counted. Those called high take what
// is unknown for violated, the others for sound.
type estimates struct {
	// Weighted are by property.
	Weighted     []*stats.Weighted `json:"weighted,omitempty"`
	WeightedHigh []*stats.Weighted `json:"weighted_high,omitempty"`
	// Conditional is of the sweep's property.
	Conditional     *stats.Conditional `json:"conditional,omitempty"`
	ConditionalHigh *stats.Conditional `json:"conditional_high,omitempty"`
}

func newEstimates(e Estimator) (s estimates) {
	switch e {
	case Biased:
		for range checker.Properties {
			s.Weighted, s.WeightedHigh = append(s.Weighted, &stats.Weighted{}), append(s.WeightedHigh, &stats.Weighted{})
		}
	case Conditional:
		s.Conditional, s.ConditionalHigh = &stats.Conditional{}, &stats.Conditional{}
	}
	return s
}

// weigh counts a biased run.
func (s *estimates) weigh(t *scenarios.Trial, r *scenarios.Result) {
	for i, w := range s.Weighted {
		status := r.Verdict.Of(checker.Properties[i])
		if status == checker.NotApplicable {
			continue
		}
		w.Add(t.Weight(), status == checker.Violated)
		s.WeightedHigh[i].Add(t.Weight(), status == checker.Violated || status == checker.Unknown)
	}
}

func (s *estimates) add(o *estimates) {
	for i := range o.Weighted {
		s.Weighted[i].Merge(o.Weighted[i])
		s.WeightedHigh[i].Merge(o.WeightedHigh[i])
	}
	if o.Conditional != nil {
		s.Conditional.Merge(o.Conditional)
		s.ConditionalHigh.Merge(o.ConditionalHigh)
	}
}

// like reports whether two have counted the same kinds of things.
func (s *estimates) like(o *estimates) bool {
	return len(s.Weighted) == len(o.Weighted) && len(s.WeightedHigh) == len(o.WeightedHigh) &&
		(s.Conditional == nil) == (o.Conditional == nil) && (s.ConditionalHigh == nil) == (o.ConditionalHigh == nil)
}
