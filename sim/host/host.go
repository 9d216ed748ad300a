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
	incarnation uint32
	processes   []*Process
	retired     []*Process // ended in this run
	spare       []*Process // free for reuse
	ports       int16
	timers      []timer
	freeTimers  []int32
	pause       pause
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
	h.fleet.Net.Send(h.Addr(), to, call, &b)
}

// Reply answers a message to the process or server that sent it.
func (h *Host) Reply(m network.Message, b network.Body) {
	b.Hold = m.Hold
	h.fleet.Net.Send(h.Addr(), m.From, m.Call, &b)
}

// Deliver implements [network.Receiver].
func (h *Host) Deliver(m *network.Message) {
	switch h.state {
	case Running:
		h.receive(m)
	case Paused:
		h.pause.keep(arrival{message: *m})
	}
}

func (h *Host) receive(m *network.Message) {
	if m.To.Port == 0 {
		if h.Server != nil {
			h.Server.Receive(*m)
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
		if h.state == Paused && h.fleet.World.Now() >= h.pause.until {
			h.resume()
		}
	case !h.live(&e) || h.state == Crashed:
	case h.state == Paused:
		h.pause.keep(arrival{event: e, isTimer: true})
	default:
		h.expire(e.Slot)
	}
}

// Crash ends the host's incarnation: memory, processes and timers are gone.
func (h *Host) Crash() {
	if h.state == Crashed {
		return
	}
	h.state = Crashed
	h.incarnation++
	h.pause.forget()
	h.dropTimers()
	h.endProcesses()
	h.trace("crash", "")
	if h.fleet.OnCrash != nil {
		h.fleet.OnCrash(h)
	}
}

func (h *Host) trace(what, text string) {
	if h.fleet.World.Tracing() {
		h.fleet.World.Trace(trace.Record{Who: h.Name, What: what, Text: text})
	}
}
