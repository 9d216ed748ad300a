package reports

import (
	"fmt"
	"math"
	"strings"

	"fencepost/checker/stats"
	"fencepost/scenarios/sweeps"
	"fencepost/sim/rng"
)

// Estimate is a rate that was estimated otherwise than as the share of the trials.
type Estimate struct {
	// Method is the estimator: bias or conditional.
	Method string  `json:"method"`
	Rate   float64 `json:"rate"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	// MeanWeight is that of all trials, 1 but for chance; 0 of conditional trials, which have none.
	MeanWeight float64 `json:"mean_weight,omitempty"`
	// EffectiveTrials and EffectiveHits are Kish's effective sample sizes, of all trials and of the
	// violated ones, LargestShare the part of the estimate that is due to one trial. They are 0 of
	// conditional trials, which all count alike.
	EffectiveTrials float64 `json:"effective_trials,omitempty"`
	EffectiveHits   float64 `json:"effective_hits,omitempty"`
	LargestShare    float64 `json:"largest_share"`
	// Warning says why the estimate is not to be trusted; empty if nothing speaks against it.
	Warning string `json:"warning,omitempty"`
}

// estimateOf is that of a cell's property, by index; nil if it was counted crudely.
func estimateOf(s *sweeps.Sweep, c *sweeps.Cell, property int, name string) *Estimate {
	switch {
	case c.Weighted != nil && c.Weighted[property].Trials() > 0:
		return biased(c.Weighted[property], c.WeightedHigh[property])
	case c.Conditional != nil && name == s.Property && c.Conditional.Trials() > 0:
		return conditional(c.Conditional, c.ConditionalHigh)
	}
	return nil
}

// biased is the estimate of weighted trials, high those of them in which what is unknown counts as
// violated.
func biased(w, high *stats.Weighted) *Estimate {
	return &Estimate{Method: string(sweeps.Biased), Rate: w.Estimate(), Low: gamma(w).Low, High: gamma(high).High, MeanWeight: w.MeanWeight(),
		EffectiveTrials: w.EffectiveTrials(), EffectiveHits: w.EffectiveHits(), LargestShare: w.LargestShare(), Warning: w.Poor()}
}

// gamma is the interval of weighted trials. The bound of all weights is so much larger than those of hits
// that it serves only where there is none.
func gamma(w *stats.Weighted) stats.Interval {
	if w.Hits() == 0 {
		return w.GammaInterval(rng.MostWeight, Confidence)
	}
	return w.GammaInterval(0, Confidence)
}

// fewest is how many conditional trials the interval of Student's t is good for.
const fewest = 100

// conditional is the estimate of conditional trials, high those of them in which what is unknown counts as
// violated.
func conditional(c, high *stats.Conditional) *Estimate {
	e := &Estimate{Method: string(sweeps.Conditional), Rate: c.Estimate(), Low: c.Interval(Confidence).Low, High: high.Interval(Confidence).High,
		LargestShare: c.LargestShare()}
	switch {
	case e.Rate == 0:
		e.Warning = "no length of the rare fault violated anything in any trial"
	case c.Alike():
		e.Warning = "all trials came to one probability, so that nothing tells how far others may be from it"
	case c.Trials() < fewest:
		e.Warning = fmt.Sprintf("%d trials are few for this interval, which is approximate", c.Trials())
	case e.LargestShare > 0.1:
		e.Warning = fmt.Sprintf("one trial makes %.0f %% of the estimate", 100*e.LargestShare)
	}
	return e
}

// text is the estimate in a table.
func (e *Estimate) text(trials int64) string {
	text := fmt.Sprintf("%s of %d %s trials (95 %%)", e.numbers(), trials, e.adjective())
	if e.EffectiveHits > 0 {
		text += fmt.Sprintf(", effective hits %.0f", math.Floor(e.EffectiveHits))
	}
	if e.Warning != "" {
		text += ", POOR"
	}
	return text
}

// numbers are the rate and its interval, with as many digits as that is worth and its ends rounded
// outwards; of no violation the upper end alone.
func (e *Estimate) numbers() string {
	if e.Rate == 0 {
		return fmt.Sprintf("< %g", significant(e.High, 2, math.Ceil))
	}
	digits := 3
	if width := (e.High - e.Low) / e.Rate; width > 0 {
		digits = min(max(digits, 2-int(math.Floor(math.Log10(width)))), 8)
	}
	return fmt.Sprintf("%.*g [%g, %g]", digits, e.Rate, significant(e.Low, digits, math.Floor), significant(e.High, digits, math.Ceil))
}

// significant rounds a number that is not negative to so many digits.
func significant(v float64, digits int, round func(float64) float64) float64 {
	if v == 0 {
		return 0
	}
	power := digits - 1 - int(math.Floor(math.Log10(v)))
	scaled := v * math.Pow10(power)
	if nearest := math.Round(scaled); math.Abs(scaled-nearest) < 1e-6 {
		scaled = nearest // it has no more digits
	}
	return portable(round(scaled) / math.Pow10(power))
}

func (e *Estimate) adjective() string {
	if e.Method == string(sweeps.Biased) {
		return "biased"
	}
	return e.Method
}

// warnings say of which cells the estimate of a property is not to be trusted, and why.
func (t *SweepTable) warnings(property string) (lines []string) {
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Property == property && r.Estimate != nil && r.Estimate.Warning != "" {
			name := strings.Join(append([]string{r.Lock, r.Guard}, r.Values...), " ")
			lines = append(lines, fmt.Sprintf("poor estimate of %s: %s", name, r.Estimate.Warning))
		}
	}
	return lines
}
