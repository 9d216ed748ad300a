// Package host is a machine with clocks, a disk, a server or some processes, and a state.
//
// # Standing still
//
// A pause stops the whole host but not its clocks and not the network: arrivals
// queue and timers become due, and all of it is handled late, on resume, in the
// order that the fleet's [Wake] says. It stands for a stopped process, a collection of
// garbage, a hypervisor that takes the processors away: the kernel, or the host's virtio
// rings, hold what comes in. A CPU quota does the same, by its own schedule
// ([Host.SetQuota]).
//
// A suspension ([Host.Suspend]) stops the monotonic clock too, and its end finds the wall
// clock jumped. The machine's network card is off then and what arrives is lost; but
// messages stand for what TCP carries, and the sender's TCP sends again what is not
// acknowledged. Arrivals of a suspension therefore queue as in a pause and are handled on
// resume. That is early by up to the sender's retransmission timeout, which has grown to
// about the length of the suspension, and too kind where the sender has given the
// connection up (15 retransmissions, about 15 minutes: tcp_retries2,
// https://docs.kernel.org/networking/ip-sysctl.html).
//
// A host may stand still for several causes at once and goes on when the last is over.
//
// # Crash and restart
//
// A crash ends every process and forgets every timer; timers and messages of an older
// incarnation never reach a newer one. Each crash and each restart begins a new
// incarnation, so that what is sent to a host that is down is lost too. A reply that a
// peer sends to the server's address once it is back does arrive, although it answers the
// old incarnation: programs number their calls. The clocks run on through a crash, since
// no program carries a reading of the monotonic clock across one.
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
	// Suspended: the machine sleeps.
	Suspended
	// Throttled: the CPU quota is used up.
	Throttled
)

// String returns the word for the state.
func (s State) String() string {
	return [...]string{"running", "paused", "crashed", "suspended", "throttled"}[s]
}

// Server is the program of a host that answers messages: a handler, not a
// sequential process.
type Server interface {
	// Receive handles a message for port 0; it is valid during the call.
	Receive(m *network.Message)
	// Timer handles a timer set with [Host.After].
	Timer(tag int)
}

// Host is one machine.
type Host struct {
	ID     network.NodeID
	Name   string
	Clock  clock.Clock
	Server Server
	Disk   Disk

	key         uint64 // the name's, for randomness
	fleet       *Fleet
	target      sim.TargetID
	state       State
	incarnation uint32
	processes   []*Process
	retired     []*Process // ended in this run
	spare       []*Process // free for reuse
	ports       int        // handed out in this run, or passed over since a living process has them
	timers      []timer
	freeTimers  []int32
	halt        halt
	machine     clock.Clock // that of what the machine does; see [timekeeper]
	lost        Lost        // by the crash in force
	quota       quota
	course      clock.Course
	beyondRho   uint64
}

// Event kinds of a host.
const (
	kindTimer uint16 = iota
	kindResume
	kindRestart
	kindThrottle
	kindClock
)

// World returns the world that the host lives in.
func (h *Host) World() *sim.World { return h.fleet.World }

// State returns what the host is doing.
func (h *Host) State() State { return h.state }

// Incarnation counts the host's crashes and restarts.
func (h *Host) Incarnation() uint32 { return h.incarnation }

// Mono reads the host's monotonic clock.
func (h *Host) Mono() clock.Mono { return h.Clock.Mono(h.fleet.World.Now()) }

// Wall reads the host's wall clock, as a program does: with its jitter.
func (h *Host) Wall() clock.Wall { return h.Clock.ReadWall(h.fleet.World.Now()) }

// Addr is the address of the host's server.
func (h *Host) Addr() network.Addr { return network.Addr{Node: h.ID} }

// Send sends a message from the host's server.
func (h *Host) Send(to network.Addr, call uint32, b network.Body) {
	h.fleet.Net.Send(h.Addr(), to, call, &b)
}

// Reply answers a message to the process or server that sent it.
func (h *Host) Reply(m *network.Message, b network.Body) {
	b.Hold = m.Hold
	h.fleet.Net.Send(h.Addr(), m.From, m.Call, &b)
}

// Deliver implements [network.Receiver].
func (h *Host) Deliver(m *network.Message) {
	switch h.state {
	case Running:
		h.receive(m)
	case Crashed:
	default:
		h.halt.keep(arrival{message: *m})
	}
}

func (h *Host) receive(m *network.Message) {
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
	switch e.Kind {
	case kindTimer:
		h.timerDue(&e)
	case kindResume:
		if e.Gen == h.incarnation {
			h.lapse()
		}
	case kindRestart:
		if e.Gen == h.incarnation {
			h.Restart(e.Slot == 1)
		}
	case kindThrottle:
		if e.Gen == h.quota.gen {
			h.throttle()
		}
	case kindClock:
		h.turnDue(&e)
	}
}

func (h *Host) timerDue(e *sim.Event) {
	switch {
	case !h.live(e) || h.state == Crashed:
	case h.state != Running:
		h.halt.keep(arrival{event: *e, isTimer: true})
	default:
		h.expire(e.Slot)
	}
}

// handle does late what an event asked for.
func (h *Host) handle(e *sim.Event) {
	switch {
	case e.Kind == kindClock:
		h.takeTurn(clock.Turn(e.Slot))
	case h.live(e):
		h.expire(e.Slot)
	}
}

func (h *Host) trace(what, text string) {
	if h.fleet.World.Tracing() {
		h.fleet.World.Trace(trace.Record{Who: h.Name, What: what, Text: text})
	}
}
