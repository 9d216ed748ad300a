package host

import (
	"slices"

	"fencepost/sim"
)

// Wake is the order in which a host handles what piled up while it stood still.
type Wake uint8

const (
	// DueOrder handles everything in the order in which it became due.
	DueOrder Wake = iota
	// TimersFirst handles overdue timers, then messages.
	TimersFirst
	// MessagesFirst handles buffered messages, then overdue timers.
	MessagesFirst
)

// Pause stops the host until an instant of true time; a pause that is already in
// force is extended, never shortened.
func (h *Host) Pause(until sim.Time) { h.stand(byPause, until) }

// resume handles what piled up, and stops again where it was if one of those things
// halts the host anew.
func (h *Host) resume() {
	h.trace("resume", "")
	s := &h.halt
	now := h.fleet.World.Now()
	s.total += now.Sub(s.began)
	h.quota.charge(now, false)
	s.sort(h.fleet.Wake)
	handled := 0
	for handled < len(s.backlog) && h.state == Running {
		a := &s.backlog[handled]
		handled++
		if !a.isTimer {
			h.receive(&a.message)
		} else {
			h.handle(&a.event)
		}
	}
	s.backlog = slices.Delete(s.backlog, 0, min(handled, len(s.backlog)))
	if h.state != Running && s.holdsUp() {
		s.covered++
	}
	h.planThrottle()
}

// sort brings what piled up into the order of the wake policy; within a kind the order
// in which things became due stays.
func (s *halt) sort(wake Wake) {
	if wake == DueOrder {
		return
	}
	rank := func(a *arrival) int {
		if a.isTimer == (wake == TimersFirst) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(s.backlog, func(a, b arrival) int { return rank(&a) - rank(&b) })
}
