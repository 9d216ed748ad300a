package reports

import (
	"fencepost/checker/stats"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// Gate is the outcome of a comparison with one or more baselines.
type Gate struct {
	Alpha   float64
	Against []Against
}

// Against is the part of one baseline.
type Against struct {
	Baseline *Baseline
	Scenario *scenarios.Scenario
	Changes  []Change
}

// Change is how one property in one cell differs from the baseline, seed by seed.
type Change struct {
	Lock, Guard string
	Params      map[string]string
	Property    string
	Trials      uint64
	// Before and After count the violated trials.
	Before, After uint64
	// Bad are the seeds that were not violated and are, Good those that were and are not. Open are
	// those that a bound left open then or now; they are in neither.
	Bad, Good, Open sweeps.Seeds
	// P is the probability of so many bad ones, if a change goes either way as likely; Adjusted is
	// what is compared with alpha.
	P, Adjusted float64
	Rose        bool

	plan *scenarios.Plan
}

// Replay is the command that repeats one of its runs.
func (c *Change) Replay(seed uint64) string { return scenarios.ReplayCommand(c.plan, seed) }

// Rose reports whether any rate rose significantly.
func (g *Gate) Rose() bool {
	return g.any(func(c *Change) bool { return c.Rose })
}

// Open reports whether a bound left any seed open.
func (g *Gate) Open() bool {
	return g.any(func(c *Change) bool { return c.Open.Len() > 0 })
}

func (g *Gate) any(is func(*Change) bool) bool {
	for i := range g.Against {
		for k := range g.Against[i].Changes {
			if is(&g.Against[i].Changes[k]) {
				return true
			}
		}
	}
	return false
}

// Judge says which changes are significant rises at the gate's alpha, all of them together. Only
// those are tested of which some seed came out otherwise: the others cannot be significant,
// whatever alpha is.
func (g *Gate) Judge() {
	var p []float64
	var of []*Change
	for i := range g.Against {
		for k := range g.Against[i].Changes {
			c := &g.Against[i].Changes[k]
			c.Adjusted = 1
			if c.Bad.Len()+c.Good.Len() > 0 {
				p, of = append(p, c.P), append(of, c)
			}
		}
	}
	for i, adjusted := range stats.Holm(p) {
		of[i].Adjusted, of[i].Rose = adjusted, adjusted <= g.Alpha
	}
}
