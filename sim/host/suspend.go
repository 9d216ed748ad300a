package host

import "fencepost/sim"

// Suspend puts the machine to sleep until an instant of true time; a suspension that is
// already in force is extended, never shortened.
//
// It is a pause whose end the programs notice in another way. The monotonic clock stands
// meanwhile, so timers are late by the whole suspension instead of due when it ends; the
// wall clock has jumped by then. On a host whose clock counts suspended time
// ([clock.Clock.CountsSuspend]) timers come due in the suspension, as in a pause. An fsync
// goes on when the machine does.
func (h *Host) Suspend(until sim.Time) {
	if h.stand(bySuspend, until) {
		now := h.fleet.World.Now()
		h.Clock.Suspend(now)
		h.machine.Suspend(now)
		h.rearmAll()
	}
}

// wakeClocks sets the clocks that stood going again. Timers on them have to be armed anew.
func (h *Host) wakeClocks() {
	now := h.fleet.World.Now()
	h.Clock.Wake(now)
	h.machine.Wake(now)
}

// rearmAll arms the timers on all clocks anew.
func (h *Host) rearmAll() {
	h.rearmWhere(func(*timer) bool { return true })
	h.checkRho()
}

// putOff counts the timers that wait and are late by a suspension.
func (h *Host) putOff() (timers uint64) {
	for i := range h.timers {
		if h.putsOff(&h.timers[i]) {
			timers++
		}
	}
	return timers
}

// putsOff reports whether a suspension makes a timer late: one that is due, by a clock that stands
// still in it, at some later time.
func (h *Host) putsOff(t *timer) bool {
	stands := t.by == byMachine || !h.Clock.CountsSuspend
	return t.armed && stands && t.due > h.keeper(t.by).Mono(h.fleet.World.Now())
}
