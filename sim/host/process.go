package host

import (
	"fmt"
	"math"
	"slices"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// Process is a sequential program on a host. Its methods are the only way in which
// it may wait, and they do not return once its incarnation has crashed.
type Process struct {
	Name string

	host      *Host
	coroutine *sim.Coroutine
	program   func(p *Process)
	main      func() // runs the program; made once, so that a start allocates nothing
	port      int16
	calls     uint32
	ended     bool

	// What the process waits for; see wait.go.
	waits     waiting
	timer     int32 // its place among the host's timers
	signalled bool
	inbox     []network.Message
	read      int    // how many of the inbox have been taken
	first     uint32 // forReplies: the first call of the round
	round     int    // forReplies: how many calls it has
	wanted    int    // forReplies: how many replies complete it

	asked [remembered]network.Addr // by the last calls; last, to keep the rest together
}

// Go starts a process on the host; it first runs at the current instant, after what
// is being handled now.
func (h *Host) Go(name string, program func(p *Process)) *Process {
	p := h.newProcess(name)
	p.program = program
	p.coroutine = h.fleet.pool.Get(p.main)
	p.wait(byClock, h.Mono(), forTimer)
	return p
}

// Ports is how many ports the host has handed out in this run, one to each process.
func (h *Host) Ports() int { return h.ports }

// callsOfALap is more than the calls of any process, so that all of a process that has a
// port again are later than those of the ports' former owners: no old reply is its own.
const callsOfALap = 1 << 24

// nextPort hands the ports out in turn and, once all were given, again those that no living
// process has, as operating systems do with ephemeral ports.
func (h *Host) nextPort(name string) (port int16, lap int) {
	if len(h.processes) == math.MaxInt16 {
		panic(fmt.Sprintf("host: %s runs %d processes and has no port left for %q", h.Name, len(h.processes), name))
	}
	for {
		port, lap = int16(h.ports%math.MaxInt16)+1, h.ports/math.MaxInt16
		h.ports++
		if lap == 0 || !slices.ContainsFunc(h.processes, func(p *Process) bool { return p.port == port }) {
			return port, lap
		}
	}
}

// newProcess gives the process a port that it alone has.
func (h *Host) newProcess(name string) *Process {
	port, lap := h.nextPort(name)
	var p *Process
	if k := len(h.spare); k > 0 {
		p, h.spare = h.spare[k-1], h.spare[:k-1]
		*p = Process{main: p.main, inbox: p.inbox[:0]}
	} else {
		p = &Process{}
		p.main = func() { p.program(p) }
	}
	p.Name, p.host, p.port, p.calls = name, h, port, uint32(lap*callsOfALap)
	p.timer = h.newTimer()
	h.timers[p.timer].process = p
	h.processes = append(h.processes, p)
	return p
}

// endProcesses kills every process of the host.
func (h *Host) endProcesses() {
	for i := len(h.processes) - 1; i >= 0; i-- {
		p := h.processes[i]
		p.coroutine.Kill()
		h.retire(p)
	}
	h.processes = h.processes[:0]
}

// retire gives the coroutine of an ended process back, once.
func (h *Host) retire(p *Process) {
	if p.ended || p.coroutine.Busy() {
		return // a process that crashes its own host is retired when it unwinds
	}
	p.ended = true
	h.freeTimer(p.timer)
	h.fleet.pool.Put(p.coroutine)
	h.retired = append(h.retired, p)
}

// resume gives control to the process until it waits again or ends.
func (p *Process) resume() {
	p.waits = forNothing
	if !p.coroutine.Resume() {
		return
	}
	h := p.host
	if i := slices.Index(h.processes, p); i >= 0 {
		h.processes = slices.Delete(h.processes, i, i+1)
	}
	h.retire(p)
}

// alive unwinds the caller if the process is dead.
func (p *Process) alive(call string) {
	if p.coroutine.Dead() {
		p.coroutine.CheckAlive(fmt.Sprintf("%s of process %q on host %s", call, p.Name, p.host.Name))
	}
}

// Host returns the machine that the process runs on.
func (p *Process) Host() *Host { return p.host }

// Process returns the process of a name that lives on the host, or nil.
func (h *Host) Process(name string) *Process {
	for _, p := range h.processes {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Port is the process's own port on its host.
func (p *Process) Port() int16 { return p.port }

// Now reads the monotonic clock of the process's host.
func (p *Process) Now() clock.Mono { return p.host.Mono() }

// Wall reads the wall clock of the process's host.
func (p *Process) Wall() clock.Wall { return p.host.Wall() }

// Done reports whether the process has ended or been killed.
func (p *Process) Done() bool { return p.ended }

// Go starts another process on the same host.
func (p *Process) Go(name string, program func(q *Process)) *Process {
	p.alive("Go")
	return p.host.Go(name, program)
}

// Send sends a request and returns the number that its reply will carry. The numbers
// of a process rise by one from call to call.
func (p *Process) Send(to network.Addr, b network.Body) uint32 {
	p.alive("Send")
	p.calls++
	p.asked[p.calls%remembered] = to
	p.host.fleet.Net.Send(network.Addr{Node: p.host.ID, Port: p.port}, to, p.calls, &b)
	return p.calls
}
