package fault

import (
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

func beginStep(_ *Injector, s *strike) {
	s.changed = s.by != 0
	s.host.Clock.Step(s.by)
}

func beginSlew(_ *Injector, s *strike) {
	s.changed = s.by != 0
	s.host.Slew(s.by, s.length)
}

// beginRate makes the clock run at the action's rate, as far as its layer is concerned.
func beginRate(i *Injector, s *strike) {
	state := &i.states[s.host.ID]
	before := state.rate
	layer := i.plan[s.fault].Layer
	state.rates[layer] = append(state.rates[layer], s)
	i.applyRate(s)
	s.changed = state.rate != before
}

func endRate(i *Injector, s *strike) {
	state := &i.states[s.host.ID]
	layer := i.plan[s.fault].Layer
	state.rates[layer] = without(state.rates[layer], s)
	i.applyRate(s)
}

// applyRate adds up what the layers make of a host's rate. What somebody else makes of
// it, such as a daemon that disciplines the clock, stays.
func (i *Injector) applyRate(s *strike) {
	state := &i.states[s.host.ID]
	sum := int64(0)
	for _, strikes := range state.rates {
		if n := len(strikes); n > 0 {
			sum += strikes[n-1].action.RatePPB
		}
	}
	sum = min(max(sum, -clock.MaxRatePPB), clock.MaxRatePPB)
	state.rate = sum
	s.host.SetBias(sum)
}

func beginFreeze(i *Injector, s *strike) {
	s.changed = true
	i.freeze(s, +1)
}

func endFreeze(i *Injector, s *strike) { i.freeze(s, -1) }

// freeze counts the strikes that freeze the clocks of a host, so that they go on when the
// last of them ends.
func (i *Injector) freeze(s *strike, by int) {
	state := &i.states[s.host.ID]
	if s.action.WallOnly {
		state.wallFrozen += by
	} else {
		state.frozen += by
	}
	s.host.Thaw()
	if state.frozen > 0 {
		s.host.Freeze()
	}
	if state.wallFrozen > 0 {
		s.host.FreezeWall()
	}
}

// beginJitter: the latest jitter of a clock counts.
func beginJitter(i *Injector, s *strike) {
	state := &i.states[s.host.ID]
	state.jitters = append(state.jitters, s)
	s.changed = true
	i.applyJitter(s.host)
}

func endJitter(i *Injector, s *strike) {
	state := &i.states[s.host.ID]
	state.jitters = without(state.jitters, s)
	i.applyJitter(s.host)
}

func (i *Injector) applyJitter(h *host.Host) {
	jitter, state := rng.Dist{}, &i.states[h.ID]
	if n := len(state.jitters); n > 0 {
		jitter = state.jitters[n-1].action.By.Amount
	}
	h.SetJitter(jitter, i.seed)
}
