package host

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/clock"
)

// timer waits for an instant of one of the host's clocks. A cancelled or re-armed timer
// leaves its event in the queue; the generation number tells it apart.
type timer struct {
	due     clock.Mono
	process *Process // nil for the server's timers
	tag     int
	gen     uint32
	armed   bool
	by      timekeeper
	sync    bool // the end of an fsync
}

// timekeeper is the clock that a timer is due on.
type timekeeper uint8

const (
	// byClock is the monotonic clock, for what a program asks the kernel for: sleeps,
	// timeouts and deadlines.
	byClock timekeeper = iota
	// byMachine is true time, except that it stands while the machine is suspended, for
	// what processor and disk take: a clock that is wrong makes neither faster or slower.
	byMachine
)

// keeper returns a clock that timers are due on.
func (h *Host) keeper(by timekeeper) *clock.Clock {
	if by == byMachine {
		return &h.machine
	}
	return &h.Clock
}

// After calls the server's Timer with tag once d has passed on the host's monotonic
// clock.
func (h *Host) After(d time.Duration, tag int) { h.At(h.Mono().Add(d), tag) }

// At calls the server's Timer with tag when the host's monotonic clock reads m.
func (h *Host) At(m clock.Mono, tag int) {
	slot := h.newTimer()
	h.timers[slot].tag = tag
	h.arm(slot, m)
}

// newTimer takes a place in the slab, for a timer of the server's until told otherwise.
func (h *Host) newTimer() int32 {
	if k := len(h.freeTimers); k > 0 {
		slot := h.freeTimers[k-1]
		h.freeTimers = h.freeTimers[:k-1]
		return slot
	}
	h.timers = append(h.timers, timer{})
	return int32(len(h.timers) - 1)
}

// freeTimer gives a place back; an event that still waits for it is void.
func (h *Host) freeTimer(slot int32) {
	h.timers[slot] = timer{gen: h.timers[slot].gen + 1}
	h.freeTimers = append(h.freeTimers, slot)
}

// arm schedules the event of a timer, and makes an earlier one void. While the clock stands
// there is none; the timer is armed anew when it goes on.
func (h *Host) arm(slot int32, due clock.Mono) {
	t := &h.timers[slot]
	t.due, t.armed = due, true
	t.gen++
	if at, ok := h.dueAt(t.by, due); ok {
		h.fleet.World.Schedule(sim.ClassTimer, sim.Event{At: at, Target: h.target, Slot: slot, Gen: t.gen, Kind: kindTimer})
	}
}

// live tells a timer's event from that of a cancelled or re-armed one.
func (h *Host) live(e *sim.Event) bool {
	if int(e.Slot) >= len(h.timers) {
		return false
	}
	t := &h.timers[e.Slot]
	return t.gen == e.Gen && t.armed
}

// Void implements [sim.Voider].
func (h *Host) Void(e *sim.Event) bool { return e.Kind == kindTimer && !h.live(e) }

// expire runs what a timer that is due was set for.
func (h *Host) expire(slot int32) {
	t := &h.timers[slot]
	if t.process != nil {
		t.armed = false // the process keeps its place
		t.process.resume()
		return
	}
	if h.Disk.holds(t) {
		h.Disk.delay(slot)
		return
	}
	tag := t.tag
	h.freeTimer(slot)
	if h.Server != nil {
		h.Server.Timer(tag)
	}
}

// dropTimers makes every timer void. Processes keep the places of theirs.
func (h *Host) dropTimers() {
	for slot := range h.timers {
		t := &h.timers[slot]
		if t.armed && t.process == nil {
			h.freeTimer(int32(slot))
		}
		t.armed = false
	}
}
