package host

import "fencepost/sim"

// Lost is what a crash takes. Memory is always lost.
type Lost uint8

const (
	// LoseMemory is a process that dies: what it wrote is in the page cache, and whoever
	// starts next reads it, synced or not.
	LoseMemory Lost = iota
	// LoseUnsynced is a machine that dies: what was not synced is gone too.
	LoseUnsynced
	// LoseEverything is a machine that comes back with an empty disk.
	LoseEverything
)

// String returns the words for what is lost.
func (l Lost) String() string { return [...]string{"memory", "unsynced writes", "everything"}[l] }

// Restarter is a [Server] that has something to do when its host comes back. One that is
// none goes on with what it has.
type Restarter interface {
	// Restart begins a new incarnation from what has not been lost.
	Restart(lost Lost)
}

// Crash ends the host's incarnation: memory, processes and timers are gone, and with them
// what it says. A host that is down loses more by a second crash, if that takes more.
func (h *Host) Crash(lost Lost) {
	if h.state == Crashed {
		h.lost = max(h.lost, lost)
		return
	}
	h.disturb()
	if h.halt.force[bySuspend] {
		h.wakeClocks() // whatever ends the suspension
	}
	h.state, h.lost = Crashed, lost
	h.incarnation++
	h.halt.forget()
	h.quota.idle()
	h.dropTimers()
	h.endProcesses()
	h.trace("crash", "")
	if h.fleet.OnCrash != nil {
		h.fleet.OnCrash(h)
	}
}

// Restart begins a new incarnation of a host that has crashed, at once; empty wipes its
// disk before. It does nothing to a host that is not down. Messages that were sent to
// the host before, also while it was down, never reach the new incarnation: there was no
// connection to it.
func (h *Host) Restart(empty bool) {
	if h.state != Crashed {
		return
	}
	h.disturb()
	if empty {
		h.lost = LoseEverything
	}
	h.state = Running
	h.incarnation++
	if h.fleet.World.Tracing() {
		h.trace("restart", "without "+h.lost.String())
	}
	h.restartDaemon()
	if s, ok := h.Server.(Restarter); ok {
		s.Restart(h.lost)
	}
	if h.fleet.OnRestart != nil {
		h.fleet.OnRestart(h)
	}
}

// RestartAt restarts the host at an instant, unless something else has restarted it by
// then; later crashes are not its concern. It does nothing to a host that is not down.
func (h *Host) RestartAt(t sim.Time, empty bool) {
	if h.state != Crashed {
		return
	}
	e := sim.Event{At: t, Target: h.target, Gen: h.incarnation, Kind: kindRestart}
	if empty {
		e.Slot = 1
	}
	h.fleet.World.Schedule(sim.ClassFault, e)
}
