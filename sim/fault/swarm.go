package fault

import (
	"math"
	"time"

	"fencepost/sim/rng"
)

// swarm is the mix of the random layer's kinds that a seed has chosen. Which faults are
// left out matters as much as which are in: a fault that is always present may hide what
// another would show, so half of the kinds are switched off in a run and the others are
// made more or less frequent (A. Groce et al., Swarm Testing, ISSTA 2012).
type swarm struct {
	on     bool
	weight map[Kind]int // of each kind of the random layer in this run; 0 is off
}

// weights are what a kind that is on may get, in quarters: how many times as often.
var weights = [...]int{1, 2, 4, 8, 16}

// draw chooses the mix of a seed. A kind's weight depends on the seed and its name
// alone, so that a fault that is added to a scenario leaves the others as they were.
func (w *swarm) draw(i *Injector) {
	if !w.on {
		return
	}
	for k := range i.plan {
		f := &i.plan[k]
		if f.Layer != Random {
			continue
		}
		kind := f.Actions[0].Kind
		s := rng.New(rng.Hash(i.seed, rng.HashString("fault.swarm"), rng.HashString(string(kind))), i.fleet.World.Digest())
		weight := 0
		if s.Ratio(1, 2) {
			weight = weights[s.Int64N(int64(len(weights)))]
		}
		w.weight[kind] = weight
	}
}

// of returns the weight of a fault in quarters; a joint fault goes by its first action.
func (w *swarm) of(f *Fault) int {
	if !w.on || f.Layer != Random {
		return 4
	}
	return w.weight[f.Actions[0].Kind]
}

// stretch makes the gaps of a fault longer or shorter.
func (w *swarm) stretch(f *Fault, gap time.Duration) time.Duration {
	if weight := time.Duration(w.of(f)); weight != 4 {
		return gap/weight*4 + gap%weight*4/weight
	}
	return gap
}

// scale makes a fault's probability higher or lower.
func (w *swarm) scale(f *Fault, c rng.Chance) rng.Chance {
	weight := int64(w.of(f))
	if weight == 4 || c.Den > math.MaxInt64/16 {
		return c
	}
	return rng.Chance{Num: min(c.Num*weight, 4*c.Den), Den: 4 * c.Den}
}

// off reports whether the swarm has switched a fault off.
func (i *Injector) off(k int) bool { return i.swarm.of(&i.plan[k]) == 0 }
