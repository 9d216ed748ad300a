package fault

import (
	"time"

	"fencepost/sim/rng"
)

// lengthKey names a length of the plan: a fault, and an action of its, or -1 for the fault's own.
type lengthKey struct{ fault, action int }

// bias is what draws the rare lengths and firings of a plan too often.
type bias struct {
	*rng.Bias
	index map[lengthKey]int
}

// newBias returns the bias of a plan, which has none inside if nothing random of the plan is rare.
func newBias(plan []Fault) *bias {
	b := &bias{index: map[lengthKey]int{}}
	var durations []rng.RareDuration
	chances := false
	for k := range plan {
		f := &plan[k]
		if !f.Rare {
			continue
		}
		for a := -1; a < len(f.Actions); a++ {
			length := f.Length
			if a >= 0 {
				length = f.Actions[a].Length
			}
			b.index[lengthKey{k, a}] = len(durations)
			durations = append(durations, rng.RareDuration{Dist: length, Most: f.Trigger.most()})
		}
		chances = chances || f.Trigger.Mode == When && f.Trigger.Chance.Num < f.Trigger.Chance.Den
	}
	b.Bias = rng.NewBias(durations, chances)
	return b
}

// most is how often a trigger fires at most.
func (t *Trigger) most() int {
	switch {
	case t.Mode == At, t.Mode == When && t.Nth > 0:
		return 1
	case t.Mode == Every && t.Times > 0:
		return t.Times
	}
	return rng.MostJumps + 1
}

// CanBias reports whether something random of a plan is rare.
func CanBias(plan []Fault) bool { return newBias(plan).Bias != nil }

// Bias makes the following runs draw what is rare too often. The plan must allow it ([CanBias]).
func (i *Injector) Bias() { i.bias = newBias(i.plan) }

// RunBias is the bias of the runs, nil if there is none. Its weight is that of the last one.
func (i *Injector) RunBias() *rng.Bias {
	if i.bias == nil {
		return nil
	}
	return i.bias.Bias
}

// rareLength is a length that was drawn, or what a bias, or who asks what another one would do, puts in
// its place.
func (i *Injector) rareLength(k, action int, of rng.Dist, drawn time.Duration) time.Duration {
	if _, constant := of.IsConstant(); constant || !i.plan[k].Rare {
		return drawn
	}
	if i.bias != nil {
		drawn = i.bias.Duration(i.bias.index[lengthKey{k, action}], drawn)
	}
	if i.Length != nil {
		drawn = i.Length(drawn)
	}
	return drawn
}
