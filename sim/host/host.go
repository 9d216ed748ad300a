// Package host is a machine with a clock, a server or some processes, and a state:
// running, paused or crashed.
//
// A pause stops the whole host but not its clocks and not the network: arrivals
// queue and timers become due, and all of it is handled late, on resume, in the
// order that the fleet's [Wake] says. A crash ends every process and forgets every
// timer; timers and messages of an older incarnation never reach a newer one.
package host

import (
	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/network"
	"fencepost/sim/trace"
)

// State is what a host is doing.
type State uint8

const (
	Running State = iota
	Paused
	Crashed
)

// String returns the word for the state.
func (s State) String() string { return [...]string{"running", "paused", "crashed"}[s] }

// Server is the program of a host that answers messages: a handler, not a
// sequential process.
type Server interface {
	// Receive handles a message for port 0.
	Receive(m network.Message)
	// Timer handles a timer set with [Host.After].
	Timer(tag int)
}

// Host is one machine.
type Host struct {
	ID     network.NodeID
	Name   string
	Clock  clock.Clock
	Server Server

	fleet       *Fleet
	target      sim.TargetID
	state       State
	pausedUntil sim.Time
	incarnation uint32
	processes   []*Process
	retired     []*Process // ended in this run
	spare       []*Process // free for reuse
	ports       int16
	backlog     []arrival
	timers      []timer
	freeTimers  []int32
	touched     bool // something became due while the host was paused
}

// arrival is what became due while the host was paused.
type arrival struct {
	event   sim.Event       // a timer
	message network.Message // or a message
	isTimer bool
}

// Event kinds of a host.
const (
	kindTimer uint16 = iota
	kindResume
)

// World returns the world that the host lives in.
func (h *Host) World() *sim.World { return h.fleet.World }

// State returns what the host is doing.
func (h *Host) State() State { return h.state }

// Incarnation counts the host's crashes.
func (h *Host) Incarnation() uint32 { return h.incarnation }

// Mono reads the host's monotonic clock.
func (h *Host) Mono() clock.Mono { return h.Clock.Mono(h.fleet.World.Now()) }

// Wall reads the host's wall clock.
func (h *Host) Wall() clock.Wall { return h.Clock.Wall(h.fleet.World.Now()) }

// Addr is the address of the host's server.
func (h *Host) Addr() network.Addr { return network.Addr{Node: h.ID} }

// Send sends a message from the host's server.
func (h *Host) Send(to network.Addr, call uint32, b network.Body) {
	h.fleet.Net.Send(network.Message{From: h.Addr(), To: to, Call: call, Body: b})
}

// Reply answers a message to the process or server that sent it.
func (h *Host) Reply(m network.Message, b network.Body) {
	b.Hold = m.Hold
	h.Send(m.From, m.Call, b)
}

// Deliver implements [network.Receiver].
func (h *Host) Deliver(m network.Message) {
	switch h.state {
	case Crashed:
	case Paused:
		h.touched = true
		h.backlog = append(h.backlog, arrival{message: m})
	case Running:
		h.receive(m)
	}
}

func (h *Host) receive(m network.Message) {
	if m.To.Port == 0 {
		if h.Server != nil {
			h.Server.Receive(m)
		}
		return
	}
	for _, p := range h.processes {
		if p.port == m.To.Port {
			p.receive(m)
			return
		}
	}
}

// Fire implements [sim.Target].
func (h *Host) Fire(e sim.Event) {
	switch {
	case e.Kind == kindResume:
		if h.state == Paused && h.fleet.World.Now() >= h.pausedUntil {
			h.resume()
		}
	case !h.live(e) || h.state == Crashed:
	case h.state == Paused:
		h.touched = true
		h.backlog = append(h.backlog, arrival{event: e, isTimer: true})
	default:
		h.expire(e)
	}
}

// Pause stops the host until an instant of true time; a pause that is already in
// force is extended, never shortened.
func (h *Host) Pause(until sim.Time) {
	if h.state == Crashed {
		return
	}
	if until > h.pausedUntil || h.state == Running {
		h.pausedUntil = until
	}
	if h.state == Running {
		h.state, h.touched = Paused, false
		h.trace("pause", "until "+until.String())
	}
	h.fleet.World.Schedule(sim.ClassFault, sim.Event{At: until, Target: h.target, Kind: kindResume})
}

// TouchedByPause reports whether anything became due during the last pause.
func (h *Host) TouchedByPause() bool { return h.touched }

// resume handles what piled up, and stops again where it was if one of those things
// pauses the host anew.
func (h *Host) resume() {
	h.state = Running
	h.trace("resume", "")
	pending := order(h.backlog, h.fleet.Wake)
	for i := range pending {
		if h.state != Running {
			h.backlog = append(h.backlog[:0], pending[i:]...)
			return
		}
		if a := pending[i]; a.isTimer {
			if h.live(a.event) {
				h.expire(a.event)
			}
		} else {
			h.receive(a.message)
		}
	}
	h.backlog = h.backlog[:0]
}

// order sorts what piled up by the wake policy; within a kind the order in which
// things became due stays.
func order(backlog []arrival, wake Wake) []arrival {
	if wake == DueOrder {
		return backlog
	}
	first := wake == TimersFirst
	sorted := make([]arrival, 0, len(backlog))
	for _, timers := range []bool{first, !first} {
		for _, a := range backlog {
			if a.isTimer == timers {
				sorted = append(sorted, a)
			}
		}
	}
	return sorted
}

// Crash ends the host's incarnation: memory, processes and timers are gone.
func (h *Host) Crash() {
	if h.state == Crashed {
		return
	}
	h.state = Crashed
	h.incarnation++
	h.backlog = h.backlog[:0]
	for slot := range h.timers {
		h.stopTimer(int32(slot))
	}
	h.endProcesses()
	h.trace("crash", "")
	if h.fleet.OnCrash != nil {
		h.fleet.OnCrash(h)
	}
}

// SetRate changes the rate of the host's clocks; timers that wait are armed anew,
// since they are due at an instant of local time.
func (h *Host) SetRate(ppb int64) {
	h.Clock.SetRate(h.fleet.World.Now(), ppb)
	for slot := range h.timers {
		if h.timers[slot].armed {
			h.arm(int32(slot))
		}
	}
}

func (h *Host) trace(what, text string) {
	if h.fleet.World.Tracing() {
		h.fleet.World.Trace(trace.Record{Who: h.Name, What: what, Text: text})
	}
}
