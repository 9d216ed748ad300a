package host

import (
	"fmt"
	"time"

	"fencepost/sim"
	"fencepost/sim/clock"
)

// SetRate changes the rate of the host's clocks; timers that wait are armed anew,
// since they are due at an instant of local time.
func (h *Host) SetRate(ppb int64) {
	h.disturb()
	h.Clock.SetRate(h.fleet.World.Now(), ppb)
	h.rearm()
}

// SetBias adds to the rate of the host's clocks; see [clock.Clock.SetBias].
func (h *Host) SetBias(ppb int64) {
	h.disturb()
	h.Clock.SetBias(h.fleet.World.Now(), ppb)
	h.rearm()
}

// Slew makes the host's clocks gain by, evenly over a length of true time; see
// [clock.Clock.Slew].
func (h *Host) Slew(by, length time.Duration) {
	h.disturb()
	h.Clock.Slew(h.fleet.World.Now(), by, length)
	h.rearm()
}

// Freeze makes the host's clocks stand still. No sleep and no deadline comes to its end;
// what takes processor or disk goes on, and servers answer.
func (h *Host) Freeze() {
	h.disturb()
	h.Clock.Freeze(h.fleet.World.Now())
	h.rearm()
}

// FreezeWall makes the wall clock alone stand still.
func (h *Host) FreezeWall() { h.Clock.FreezeWall(h.fleet.World.Now()) }

// Thaw sets clocks that stand going again, from where they stand.
func (h *Host) Thaw() {
	h.disturb()
	h.Clock.Thaw(h.fleet.World.Now())
	h.rearm()
}

// AddJitter makes what the host's programs read from the wall clock be off by a draw of the
// jitter's, either way, on top of the others that are in force; see [clock.Jitter].
func (h *Host) AddJitter(j *clock.Jitter) { h.Clock.AddJitter(j, h.fleet.World.Digest()) }

// RemoveJitter ends a jitter, if it is in force.
func (h *Host) RemoveJitter(j *clock.Jitter) { h.Clock.RemoveJitter(j) }

// BeyondRho counts the changes after which the host's monotonic clock deviated by more
// than the bound that the fleet declares, as one that stands does. The promises of leases that rest on the bound
// are worth nothing then.
func (h *Host) BeyondRho() uint64 { return h.beyondRho }

// rearm arms the timers on the host's monotonic clock anew, after a change of it.
func (h *Host) rearm() {
	h.rearmWhere(func(t *timer) bool { return t.by == byClock })
	h.checkRho()
}

// rearmWhere arms timers anew. Those that are due already stay where they are, in the order
// in which they became due.
func (h *Host) rearmWhere(concerned func(t *timer) bool) {
	now := h.fleet.World.Now()
	for slot := range h.timers {
		if t := &h.timers[slot]; t.armed && concerned(t) && t.due > h.keeper(t.by).Mono(now) {
			h.arm(int32(slot), t.due)
		}
	}
}

func (h *Host) checkRho() {
	rho := h.fleet.RhoPPB
	if rho <= 0 {
		return
	}
	deviation := h.Clock.DeviationPPB(h.fleet.World.Now())
	if deviation <= rho {
		return
	}
	h.beyondRho++
	if h.fleet.World.Tracing() {
		h.trace("clock", fmt.Sprintf("deviates by %d ppb, the declared bound is %d", deviation, rho))
	}
}

// dueAt is when one of the host's clocks reads what a timer is due at, false if the clock
// stands and never will.
func (h *Host) dueAt(by timekeeper, due clock.Mono) (at sim.Time, ok bool) {
	c := h.keeper(by)
	at = c.When(h.fleet.World.Now(), due)
	return at, at != sim.Forever || !c.Stands()
}
