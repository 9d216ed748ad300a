package host

import (
	"slices"
	"time"

	"fencepost/sim"
	"fencepost/sim/network"
)

// cause is why a host stands still. Several may be in force at once; the host goes on
// when none is.
type cause uint8

const (
	bySuspend cause = iota
	byPause
	byQuota
	causes
)

// halt is a host's standing still, and what piles up meanwhile.
type halt struct {
	force   [causes]bool
	until   [causes]sim.Time // of those in force
	began   sim.Time
	total   time.Duration // of all halts that have ended
	backlog []arrival
	covered uint64
}

// arrival is what became due while the host stood still.
type arrival struct {
	event   sim.Event       // a timer, or a poll of the time daemon
	message network.Message // or a message
	isTimer bool
}

// keep puts a timer or a message off until the host goes on.
func (s *halt) keep(a arrival) {
	s.covered++
	s.backlog = append(s.backlog, a)
}

// holdsUp reports whether something piles up that the host's programs would have had: the
// poll of a time daemon is none.
func (s *halt) holdsUp() bool {
	return slices.ContainsFunc(s.backlog, func(a arrival) bool { return a.event.Kind != kindClock })
}

// forget drops what piled up and every cause.
func (s *halt) forget() {
	clear(s.backlog)
	s.backlog = s.backlog[:0]
	s.force = [causes]bool{}
}

// state is what the host is doing: of several causes the one that stops most.
func (s *halt) state() State {
	for why, state := range [causes]State{Suspended, Paused, Throttled} {
		if s.force[why] {
			return state
		}
	}
	return Running
}

// outlasts reports whether an instant lies beyond all that is in force, if anything is.
func (s *halt) outlasts(until sim.Time) bool {
	for why, in := range s.force {
		if in && until <= s.until[why] {
			return false
		}
	}
	return true
}

// stand makes the host stand still until an instant. A halt of the same cause that is in
// force is extended, never shortened. It reports whether one has begun.
func (h *Host) stand(why cause, until sim.Time) (begun bool) {
	s := &h.halt
	if h.state == Crashed || s.force[why] && until <= s.until[why] {
		return false // the host stands on as it would have
	}
	h.disturb()
	h.cover(why, until)
	if h.state == Running {
		s.began = h.fleet.World.Now()
		h.quota.charge(s.began, true)
	}
	begun = !s.force[why]
	s.force[why], s.until[why] = true, until
	h.state = s.state()
	h.planThrottle()
	if begun && h.fleet.World.Tracing() {
		h.trace([causes]string{"suspend", "pause", "throttle"}[why], "until "+until.String())
	}
	h.wakeAt(until)
	return begun
}

// cover counts what a halt, or its extension, makes late of what waits or goes on when it
// begins.
func (h *Host) cover(why cause, until sim.Time) {
	s := &h.halt
	switch {
	case until <= h.fleet.World.Now():
		return
	case why == bySuspend:
		s.covered += h.putOff()
	case s.outlasts(until):
		s.covered += uint64(h.quota.busy)
	}
	if h.state != Running && s.holdsUp() && s.outlasts(until) {
		s.covered++
	}
}

// wakeAt has the host look at an instant whether it may go on.
func (h *Host) wakeAt(t sim.Time) {
	h.fleet.World.Schedule(sim.ClassFault, sim.Event{At: t, Target: h.target, Gen: h.incarnation, Kind: kindResume})
}

// lapse ends the causes whose time is over, and the halt with the last of them.
func (h *Host) lapse() {
	s, now := &h.halt, h.fleet.World.Now()
	if h.state == Running || h.state == Crashed {
		return
	}
	for why := range causes {
		if s.force[why] && s.until[why] <= now {
			s.force[why] = false
			if why == bySuspend {
				h.wakeClocks()
				h.rearmAll()
			}
		}
	}
	if h.state = s.state(); h.state == Running {
		h.resume()
	}
}

// StandsUntil returns until when pauses in force keep the host standing, and until when
// suspensions keep it asleep; each is 0 if there is none. Another pause that ends no later
// than either changes nothing, nor does a suspension that ends no later than asleep.
func (h *Host) StandsUntil() (paused, asleep sim.Time) {
	s := &h.halt
	if s.force[byPause] {
		paused = s.until[byPause]
	}
	if s.force[bySuspend] {
		asleep = s.until[bySuspend]
	}
	return paused, asleep
}

// Covered counts what pauses, suspensions and throttling made late so far: each timer and
// each message that became due in one, each piece of work that one fell into, each timer
// that a suspension put off, and each halt that kept waiting what had become due before
// it. A halt in which it does not rise made no difference to the host.
func (h *Host) Covered() uint64 { return h.halt.covered }
