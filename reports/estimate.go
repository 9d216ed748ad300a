package reports

import (
	"fmt"
	"math"
	"strings"

	"fencepost/checker/stats"
	"fencepost/scenarios"
)

// Estimate is a rate that was estimated otherwise than as the share of the trials.
type Estimate struct {
	// Method is the estimator: bias or conditional.
	Method string  `json:"method"`
	Rate   float64 `json:"rate"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
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
func estimateOf(s *scenarios.Sweep, c *scenarios.Cell, property int, name string) *Estimate {
	switch {
	case c.Weighted != nil && c.Weighted[property].Trials() > 0:
		return biased(c.Weighted[property])
	case c.Conditional != nil && name == s.Property && c.Conditional.Trials() > 0:
		return conditional(c.Conditional)
	}
	return nil
}

func biased(w *stats.Weighted) *Estimate {
	in := w.GammaInterval(0, Confidence)
	return &Estimate{Method: string(scenarios.Biased), Rate: w.Estimate(), Low: in.Low, High: in.High,
		EffectiveTrials: w.EffectiveTrials(), EffectiveHits: w.EffectiveHits(), LargestShare: w.LargestShare(), Warning: w.Poor()}
}

// fewest is how many conditional trials the interval of Student's t is good for.
const fewest = 100

func conditional(c *stats.Conditional) *Estimate {
	in := c.StudentInterval(Confidence)
	e := &Estimate{Method: string(scenarios.Conditional), Rate: c.Estimate(), Low: in.Low, High: in.High, LargestShare: c.LargestShare()}
	switch {
	case c.Trials() < fewest:
		e.Warning = fmt.Sprintf("%d trials are few for this interval, which is approximate", c.Trials())
	case e.LargestShare > 0.1:
		e.Warning = fmt.Sprintf("one trial makes %.0f %% of the estimate", 100*e.LargestShare)
	}
	return e
}

// text is the estimate in a table, with as many digits as its interval is worth.
func (e *Estimate) text(trials int64) string {
	if e.Rate == 0 {
		return fmt.Sprintf("< %.2g of %d %s trials (95 %%)", e.High, trials, e.adjective())
	}
	digits := 3
	if width := (e.High - e.Low) / e.Rate; width > 0 {
		digits = min(max(digits, 2-int(math.Floor(math.Log10(width)))), 8)
	}
	text := fmt.Sprintf("%.*g [%.*g, %.*g] of %d %s trials (95 %%)", digits, e.Rate, digits, e.Low, digits, e.High, trials, e.adjective())
	if e.EffectiveHits > 0 {
		text += fmt.Sprintf(", effective hits %.0f", math.Floor(e.EffectiveHits))
	}
	if e.Warning != "" {
		text += ", POOR"
	}
	return text
}

func (e *Estimate) adjective() string {
	if e.Method == string(scenarios.Biased) {
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
