package host

import (
	"fmt"
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
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

// Freeze makes the host's clocks stand still. No timer comes due, and local code takes
// time on the monotonic clock, so no process gets past its next step; servers answer.
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

// SetJitter makes what the host's programs read from the wall clock be off by a draw of
// d, either way; see [clock.Clock.SetJitter].
func (h *Host) SetJitter(d rng.Dist, seed uint64) {
	h.Clock.SetJitter(d, rng.Hash(seed, rng.HashString("clock.jitter"), h.key), h.fleet.World.Digest())
}

// BeyondRho counts the changes after which the host's monotonic clock deviated by more
// than the bound that the fleet declares. The promises of leases that rest on the bound
// are worth nothing then.
func (h *Host) BeyondRho() uint64 { return h.beyondRho }

// gap is how far the boottime clock is ahead of the monotonic one.
func (h *Host) gap() time.Duration {
	now := h.fleet.World.Now()
	return h.Clock.Boottime(now).Sub(h.Clock.Mono(now))
}

// rearm arms all timers that wait anew, after a change of the clock. Those that are due
// already stay where they are, in the order in which they became due.
func (h *Host) rearm() {
	now := h.Mono()
	for slot := range h.timers {
		if t := &h.timers[slot]; t.armed && t.due > now {
			h.arm(int32(slot), t.due)
		}
	}
	if rho := h.fleet.RhoPPB; rho > 0 {
		h.checkRho(rho, h.Clock.DeviationPPB(h.fleet.World.Now()))
	}
}

func (h *Host) checkRho(rho, deviation int64) {
	if deviation <= rho {
		return
	}
	h.beyondRho++
	if h.fleet.World.Tracing() {
		h.trace("clock", fmt.Sprintf("deviates by %d ppb, the declared bound is %d", deviation, rho))
	}
}

// dueAt is when a timer comes due, false if its clock stands and it never will.
func (h *Host) dueAt(t *timer) (at sim.Time, ok bool) {
	at = h.Clock.When(h.fleet.World.Now(), t.due)
	return at, at != sim.Forever || !h.Clock.Stands()
}
