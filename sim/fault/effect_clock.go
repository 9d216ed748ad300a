package fault

import (
	"math/bits"

	"fencepost/sim/clock"
)

func beginStep(_ *Injector, s *strike) {
	s.changed = s.by != 0
	s.host.Clock.Step(s.by)
}

// beginSlew makes the clock gain evenly. Strikes on one clock add up, and so does what the
// clock's own daemon does.
func beginSlew(i *Injector, s *strike) {
	state := &i.states[s.host.ID]
	s.changed = s.by != 0
	state.slews = append(state.slews, s)
	i.applyRate(s)
}

func endSlew(i *Injector, s *strike) {
	state := &i.states[s.host.ID]
	state.slews = without(state.slews, s)
	i.applyRate(s)
}

// gainPPB is the rate at which a slew moves a clock. No clock runs backwards, or at more
// than twice its rate: a slew moves it by less than it lasts.
func (s *strike) gainPPB() int64 {
	by, length := min(uint64(s.by.Abs()), uint64(s.length)), uint64(s.length)
	if length == 0 {
		return 0
	}
	hi, lo := bits.Mul64(by, 1e9)
	rate, _ := bits.Div64(hi, lo, length)
	ppb := min(int64(rate), clock.MaxRatePPB)
	if s.by < 0 {
		return -ppb
	}
	return ppb
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
	for _, slew := range state.slews {
		sum += slew.gainPPB()
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

func beginJitter(i *Injector, s *strike) {
	s.jitter = clock.Jitter{Dist: s.action.By.Amount, Key: i.key("fault.jitter", s)}
	s.host.AddJitter(&s.jitter)
}

func endJitter(_ *Injector, s *strike) { s.host.RemoveJitter(&s.jitter) }

// jittered: a program read the wall clock.
func jittered(s *strike) bool { return s.jitter.Reads > 0 }
