package host

import (
	"slices"
	"time"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// Wake is the order in which a host handles what piled up during a pause.
type Wake uint8

const (
	// DueOrder handles everything in the order in which it became due.
	DueOrder Wake = iota
	// TimersFirst handles overdue timers, then messages.
	TimersFirst
	// MessagesFirst handles buffered messages, then overdue timers.
	MessagesFirst
)

// pause is a host's current pause, and what piles up in it.
type pause struct {
	until   sim.Time
	began   clock.Mono
	total   time.Duration // of all pauses that have ended, on the host's clock
	backlog []arrival
	covered uint64
}

// arrival is what became due while the host was paused.
type arrival struct {
	event   sim.Event       // a timer
	message network.Message // or a message
	isTimer bool
}

func (p *pause) keep(a arrival) {
	p.covered++
	p.backlog = append(p.backlog, a)
}

// forget drops what piled up.
func (p *pause) forget() {
	clear(p.backlog)
	p.backlog = p.backlog[:0]
}

// Pause stops the host until an instant of true time; a pause that is already in
// force is extended, never shortened.
func (h *Host) Pause(until sim.Time) {
	switch h.state {
	case Crashed:
		return
	case Running:
		h.state, h.pause.until, h.pause.began = Paused, until, h.Mono()
		if h.fleet.World.Tracing() {
			h.trace("pause", "until "+until.String())
		}
	case Paused:
		if until <= h.pause.until {
			return // the host sleeps on as it would have
		}
		h.pause.until = until
		if len(h.pause.backlog) > 0 {
			h.pause.covered++
		}
	}
	h.fleet.World.Schedule(sim.ClassFault, sim.Event{At: until, Target: h.target, Kind: kindResume})
}

// Covered counts what pauses made late so far: each timer and each message that became
// due in one, and each pause that kept waiting what had become due before it. A pause
// in which it does not rise made no difference to the host.
func (h *Host) Covered() uint64 { return h.pause.covered }

// resume handles what piled up, and stops again where it was if one of those things
// pauses the host anew.
func (h *Host) resume() {
	h.state = Running
	h.trace("resume", "")
	p := &h.pause
	p.total += h.Mono().Sub(p.began)
	p.sort(h.fleet.Wake)
	handled := 0
	for handled < len(p.backlog) && h.state == Running {
		a := &p.backlog[handled]
		handled++
		if !a.isTimer {
			h.receive(&a.message)
		} else if h.live(&a.event) {
			h.expire(a.event.Slot)
		}
	}
	p.backlog = slices.Delete(p.backlog, 0, min(handled, len(p.backlog)))
	if h.state == Paused && len(p.backlog) > 0 {
		p.covered++
	}
}

// sort brings what piled up into the order of the wake policy; within a kind the order
// in which things became due stays.
func (p *pause) sort(wake Wake) {
	if wake == DueOrder {
		return
	}
	rank := func(a *arrival) int {
		if a.isTimer == (wake == TimersFirst) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(p.backlog, func(a, b arrival) int { return rank(&a) - rank(&b) })
}
