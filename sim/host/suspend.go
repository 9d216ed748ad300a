package host

import "fencepost/sim"

// Suspend puts the machine to sleep until an instant of true time; a suspension that is
// already in force is extended, never shortened.
//
// It is a pause whose end the programs notice in another way. The monotonic clock stands
// meanwhile, so timers are late by the whole suspension instead of due when it ends; the
// wall clock has jumped by then. On a host whose clock counts suspended time
// ([clock.Clock.CountsSuspend]) timers come due in the suspension, as in a pause.
func (h *Host) Suspend(until sim.Time) {
	if h.stand(bySuspend, until) {
		h.asleepFrom = h.gap()
		h.Clock.Suspend(h.fleet.World.Now())
		h.rearm()
	}
}

// wakeClock sets the monotonic clock going again. Timers that would have come due had it
// not stood were put off.
func (h *Host) wakeClock() {
	h.Clock.Wake(h.fleet.World.Now())
	now, slept := h.Mono(), h.gap()-h.asleepFrom
	for i := range h.timers {
		if t := &h.timers[i]; t.armed && t.due > now && t.due.Sub(now) <= slept {
			h.halt.covered++
		}
	}
	h.rearm()
}
