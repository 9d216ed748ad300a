package host

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/clock"
)

// timer waits for an instant of the host's monotonic clock. A cancelled or re-armed
// timer leaves its event in the queue; the generation number tells it apart.
type timer struct {
	due     clock.Mono
	process *Process // nil for the server's timers
	tag     int
	gen     uint32
	armed   bool
}

// After calls the server's Timer with tag once d has passed on the host's monotonic
// clock.
func (h *Host) After(d time.Duration, tag int) { h.At(h.Mono().Add(d), tag) }

// At calls the server's Timer with tag when the host's monotonic clock reads m.
func (h *Host) At(m clock.Mono, tag int) { h.newTimer(timer{due: m, tag: tag}) }

func (h *Host) newTimer(t timer) int32 {
	var slot int32
	if k := len(h.freeTimers); k > 0 {
		slot = h.freeTimers[k-1]
		h.freeTimers = h.freeTimers[:k-1]
		t.gen = h.timers[slot].gen
		h.timers[slot] = t
	} else {
		slot = int32(len(h.timers))
		h.timers = append(h.timers, t)
	}
	h.timers[slot].armed = true
	h.arm(slot)
	return slot
}

// arm schedules the event of a timer, invalidating an earlier one.
func (h *Host) arm(slot int32) {
	t := &h.timers[slot]
	t.gen++
	now := h.fleet.World.Now()
	h.fleet.World.Schedule(sim.ClassTimer, sim.Event{
		At: h.Clock.When(now, t.due), Target: h.target, Slot: slot, Gen: t.gen, Kind: kindTimer})
}

func (h *Host) stopTimer(slot int32) {
	if h.timers[slot].armed {
		h.timers[slot].armed = false
		h.timers[slot].gen++
		h.freeTimers = append(h.freeTimers, slot)
	}
}

// live tells a timer's event from that of a cancelled or re-armed one.
func (h *Host) live(e sim.Event) bool {
	return int(e.Slot) < len(h.timers) && h.timers[e.Slot].gen == e.Gen && h.timers[e.Slot].armed
}

func (h *Host) expire(e sim.Event) {
	t := h.timers[e.Slot]
	h.stopTimer(e.Slot)
	if t.process != nil {
		t.process.expired(e.Slot)
		return
	}
	if h.Server != nil {
		h.Server.Timer(t.tag)
	}
}
