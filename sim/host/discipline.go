package host

import (
	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/rng"
)

// Discipline gives the host the clock of a preset: its offset and rate at once, and in
// the course of the run what happens to it. It is called at time zero, after the fleet
// and the world were reset. All draws are keyed by the seed, the host's name and what is
// drawn, so that no host shifts another's.
//
// A time daemon is a program of the host's: it stops with it, polls late when it goes on,
// dies in a crash and starts anew with it. (A host is a machine here. What stops or kills
// one process of several would leave a daemon alone, for the seconds that a pause takes a
// difference below a poll.) Its timers run on true time, since the error
// of the clock that it keeps right is no part of what it is for. Bumps, leap seconds and
// the wandering of a crystal happen whatever the host does.
func (h *Host) Discipline(p clock.PresetInfo, seed uint64) {
	w := h.fleet.World
	if w.Now() != 0 {
		panic("host: " + h.Name + " is given a clock after the run has begun")
	}
	h.course.Begin(&h.Clock, p, rng.Hash(seed, rng.HashString("clock"), h.key), w.Digest())
	h.rearm()
	for turn := range clock.Turn(clock.Turns) {
		h.scheduleTurn(turn, h.course.First(turn, 0))
	}
}

// ClockChanges counts what the course of the host's clock has changed since the run
// began; see [clock.Course.Changes].
func (h *Host) ClockChanges() uint64 { return h.course.Changes() }

func (h *Host) scheduleTurn(turn clock.Turn, at sim.Time) {
	if at == sim.Forever {
		return
	}
	e := sim.Event{At: at, Target: h.target, Slot: int32(turn), Kind: kindClock}
	class := sim.ClassFault
	if turn == clock.Poll {
		e.Gen, class = h.incarnation, sim.ClassTimer
	}
	h.fleet.World.Schedule(class, e)
}

// turnDue is an event of the clock's course. A daemon that stands still polls when it
// goes on; that is no difference that a halt made to the host's programs.
func (h *Host) turnDue(e *sim.Event) {
	if clock.Turn(e.Slot) == clock.Poll {
		switch {
		case e.Gen != h.incarnation:
			return // the daemon died with its host
		case h.state != Running:
			h.halt.backlog = append(h.halt.backlog, arrival{event: *e, isTimer: true})
			return
		}
	}
	h.takeTurn(clock.Turn(e.Slot))
}

func (h *Host) takeTurn(turn clock.Turn) {
	now := h.fleet.World.Now()
	h.disturb()
	before := h.Clock.Wall(now)
	h.course.Take(turn, &h.Clock, now)
	h.rearm()
	if by := h.Clock.Wall(now).Sub(before); by != 0 && h.fleet.OnClockStep != nil {
		h.fleet.OnClockStep(h, by)
	}
	h.scheduleTurn(turn, h.course.Next(turn, now))
}

// restartDaemon starts the time daemon with its host.
func (h *Host) restartDaemon() {
	h.course.Restart()
	h.scheduleTurn(clock.Poll, h.course.First(clock.Poll, h.fleet.World.Now()))
}
