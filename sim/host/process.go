package host

import (
	"errors"
	"time"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/network"
	"fencepost/sim/trace"
)

// ErrTimeout is what a call returns when its deadline passes first. The request may
// still be on its way and may still be served: the error is indefinite.
var ErrTimeout = errors.New("timed out")

// Process is a sequential program on a host. Its methods are the only way in which
// it may wait, and they do not return once its incarnation has crashed.
type Process struct {
	Name string

	host      *Host
	coroutine *sim.Coroutine
	port      int16
	calls     uint32
	inbox     []network.Message
	signalled bool
	waits     waiting
	timer     int32
	ended     bool
}

// waiting says what may wake a process.
type waiting uint8

const (
	forNothing waiting = iota
	forTimer           // a timer alone
	forSignal          // a timer or a signal
	forMessage         // a timer or a message
)

// Go starts a process on the host; it first runs at the current instant, after what
// is being handled now.
func (h *Host) Go(name string, program func(p *Process)) *Process {
	p := h.newProcess(name)
	p.coroutine = h.fleet.pool.Get(func() { program(p) })
	p.sleep(0, forTimer)
	return p
}

func (h *Host) newProcess(name string) *Process {
	h.ports++
	var p *Process
	if k := len(h.spare); k > 0 {
		p, h.spare = h.spare[k-1], h.spare[:k-1]
		*p = Process{inbox: p.inbox[:0]}
	} else {
		p = &Process{}
	}
	p.Name, p.host, p.port = name, h, h.ports
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
	for i, other := range h.processes {
		if other == p {
			h.processes = append(h.processes[:i], h.processes[i+1:]...)
			break
		}
	}
	h.retire(p)
}

// Host returns the machine that the process runs on.
func (p *Process) Host() *Host { return p.host }

// Now reads the monotonic clock of the process's host.
func (p *Process) Now() clock.Mono { return p.host.Mono() }

// Wall reads the wall clock of the process's host.
func (p *Process) Wall() clock.Wall { return p.host.Wall() }

// Done reports whether the process has ended or been killed.
func (p *Process) Done() bool { return p.ended }

// Go starts another process on the same host.
func (p *Process) Go(name string, program func(q *Process)) *Process {
	p.coroutine.CheckAlive("Go")
	return p.host.Go(name, program)
}

// Step marks a named point of local code, where a fault can be placed. It costs a
// little CPU time.
func (p *Process) Step(name string) {
	p.coroutine.CheckAlive("Step")
	f := p.host.fleet
	if f.World.Tracing() {
		f.World.Trace(trace.Record{Who: p.host.Name, What: "step", Text: p.Name + " " + name})
	}
	if f.Observer != nil {
		f.Observer.ReachedStep(p.host, p, name)
		p.coroutine.CheckAlive("Step")
	}
	p.sleep(f.StepCost, forTimer)
	p.suspend()
}

// Sleep waits until d has passed on the host's monotonic clock.
func (p *Process) Sleep(d time.Duration) {
	p.coroutine.CheckAlive("Sleep")
	p.sleep(d, forTimer)
	p.suspend()
}

// SleepUnlessSignalled waits like Sleep, but a signal ends it early. It reports
// whether there was a signal.
func (p *Process) SleepUnlessSignalled(d time.Duration) bool {
	p.coroutine.CheckAlive("Sleep")
	if !p.signalled {
		p.sleep(d, forSignal)
		p.suspend()
	}
	return p.TakeSignal()
}

// Signal wakes the process from a wait that heeds signals, now or, if it is in none,
// when it next enters one. It is the simulator's condition variable between
// processes of one host.
func (p *Process) Signal() {
	if p.ended {
		return
	}
	p.signalled = true
	if p.waits == forSignal {
		p.host.stopTimer(p.timer)
		p.sleep(0, forTimer)
	}
}

// TakeSignal reports whether a signal is pending and clears it.
func (p *Process) TakeSignal() bool {
	was := p.signalled
	p.signalled = false
	return was
}

// Send sends a request and returns the number that its reply will carry.
func (p *Process) Send(to network.Addr, b network.Body) uint32 {
	p.coroutine.CheckAlive("Send")
	p.calls++
	p.host.fleet.Net.Send(network.Message{
		From: network.Addr{Node: p.host.ID, Port: p.port}, To: to, Call: p.calls, Body: b})
	return p.calls
}

// Recv waits for the next message to the process. It returns false when the deadline
// passes first.
func (p *Process) Recv(deadline clock.Mono) (network.Message, bool) {
	p.coroutine.CheckAlive("Recv")
	if len(p.inbox) == 0 && p.Now() < deadline {
		p.sleep(deadline.Sub(p.Now()), forMessage)
		p.suspend()
	}
	if len(p.inbox) == 0 {
		return network.Message{}, false
	}
	m := p.inbox[0]
	p.inbox = p.inbox[:copy(p.inbox, p.inbox[1:])]
	return m, true
}

// Call sends a request and waits for its reply.
func (p *Process) Call(to network.Addr, b network.Body, timeout time.Duration) (network.Message, error) {
	call := p.Send(to, b)
	return p.Reply(call, p.Now().Add(timeout))
}

// Reply waits for the reply to a request that was sent. Replies to earlier requests
// that come late are dropped, as a client library drops what it no longer waits for.
func (p *Process) Reply(call uint32, deadline clock.Mono) (network.Message, error) {
	for {
		m, ok := p.Recv(deadline)
		if !ok {
			return network.Message{}, ErrTimeout
		}
		if m.Call == call {
			return m, nil
		}
	}
}

// sleep arms the process's timer and says what may wake it.
func (p *Process) sleep(d time.Duration, w waiting) {
	p.waits = w
	p.timer = p.host.newTimer(timer{due: p.Now().Add(max(d, 0)), process: p})
}

func (p *Process) suspend() { p.coroutine.Suspend() }

// receive puts a message into the inbox and wakes the process if it waits for one.
func (p *Process) receive(m network.Message) {
	p.inbox = append(p.inbox, m)
	if p.waits == forMessage {
		p.host.stopTimer(p.timer)
		p.resume()
	}
}

// expired wakes the process because its timer is due.
func (p *Process) expired(slot int32) {
	if slot == p.timer {
		p.resume()
	}
}
