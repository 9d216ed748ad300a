package host

import (
	"errors"
	"fmt"
	"time"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/network"
	"fencepost/sim/trace"
)

// ErrTimeout is what a call returns when its deadline passes first. The request may
// still be on its way and may still be served: the error is indefinite.
var ErrTimeout = errors.New("timed out")

// Forever is a wait that only a signal or a message ends: longer than any run.
const Forever = time.Duration(sim.Forever / 2)

// waiting says what may wake a process.
type waiting uint8

const (
	forNothing waiting = iota
	forTimer           // a timer alone
	forSignal          // a timer or a signal
	forMessage         // a timer or a message
	forReplies         // a timer or the last reply of a round
)

// Step marks a named point of local code, where a fault can be placed. It costs a
// little CPU time.
func (p *Process) Step(name string) {
	p.alive("Step")
	f := p.host.fleet
	if f.World.Tracing() {
		f.World.Trace(trace.Record{Who: p.host.Name, What: "step", Text: p.Name + " " + name})
	}
	if f.Observer != nil {
		f.Observer.ReachedStep(p.host, p, name)
		p.alive("Step")
	}
	p.spend(f.StepCost)
}

// Sleep waits until d has passed on the host's monotonic clock.
func (p *Process) Sleep(d time.Duration) {
	p.alive("Sleep")
	p.sleep(d, forTimer)
}

// SleepUnlessSignalled waits like Sleep, but a signal ends it early. It reports
// whether there was a signal.
func (p *Process) SleepUnlessSignalled(d time.Duration) bool {
	p.alive("Sleep")
	if !p.signalled {
		p.sleep(d, forSignal)
	}
	return p.TakeSignal()
}

// Signal wakes the process from a wait that heeds signals, now or, if it is in none,
// when it next enters one. It is the simulator's condition variable between
// processes of one host.
func (p *Process) Signal() {
	if p.ended || p.host.state == Crashed {
		return
	}
	p.signalled = true
	if p.waits == forSignal {
		p.wait(byClock, p.Now(), forTimer)
	}
}

// TakeSignal reports whether a signal is pending and clears it.
func (p *Process) TakeSignal() bool {
	was := p.signalled
	p.signalled = false
	return was
}

// Recv waits for the next message to the process. It returns false when the deadline
// passes first. It does not tell of resets.
func (p *Process) Recv(deadline clock.Mono) (network.Message, bool) {
	for {
		m, ok := p.recv(deadline)
		if !ok || m.Op != network.OpReset {
			return m, ok
		}
	}
}

// recv waits for the next message or the notice of a reset.
func (p *Process) recv(deadline clock.Mono) (network.Message, bool) {
	p.alive("Recv")
	if p.read == len(p.inbox) && !p.passed(deadline) {
		p.waitUntil(deadline, forMessage)
	}
	if p.read == len(p.inbox) {
		return network.Message{}, false
	}
	m := p.inbox[p.read]
	if p.read++; p.read == len(p.inbox) {
		p.inbox, p.read = p.inbox[:0], 0
	}
	return m, true
}

// Call sends a request and waits for its reply.
func (p *Process) Call(to network.Addr, b network.Body, timeout time.Duration) (network.Message, error) {
	call := p.Send(to, b)
	return p.Reply(call, p.Now().Add(timeout))
}

// Reply waits for the reply to a request that was sent. Replies to earlier requests
// that come late are dropped, as a client library drops what it no longer waits for. The
// reset of the connection that the request went over ends the wait with [ErrReset].
func (p *Process) Reply(call uint32, deadline clock.Mono) (network.Message, error) {
	for {
		m, ok := p.recv(deadline)
		switch {
		case !ok:
			return network.Message{}, ErrTimeout
		case m.Op == network.OpReset:
			if p.endedBy(m.From, m.Call, call) {
				return network.Message{}, ErrReset
			}
		case m.Call == call:
			return m, nil
		}
	}
}

// ReplyToAny waits for the reply to one of several requests that were sent, as [Process.Reply] does, and
// returns the number of the one that was answered or whose connection was reset.
func (p *Process) ReplyToAny(calls []uint32, deadline clock.Mono) (uint32, network.Message, error) {
	for {
		m, ok := p.recv(deadline)
		if !ok {
			return 0, network.Message{}, ErrTimeout
		}
		for _, call := range calls {
			if m.Op == network.OpReset && p.endedBy(m.From, m.Call, call) {
				return call, network.Message{}, ErrReset
			}
			if m.Op != network.OpReset && m.Call == call {
				return call, m, nil
			}
		}
	}
}

// Gather waits for the replies to a round of requests: n of them, sent one after the
// other, of which first was the number of the first. It returns what came before the
// deadline, in order of arrival, valid until the process next waits. Messages that
// belong to earlier calls are dropped, as by [Process.Reply]. The process sleeps until
// the round is complete, which saves it a switch a reply. It does not wait for the reply
// to a request whose connection is reset.
func (p *Process) Gather(first uint32, n int, deadline clock.Mono) []network.Message {
	p.alive("Gather")
	if n > remembered {
		panic(fmt.Sprintf("host: process %q on host %s waits for %d calls at once, it remembers %d", p.Name, p.host.Name, n, remembered))
	}
	kept, wanted := p.inbox[:0], n
	for _, m := range p.inbox[p.read:] {
		if m.Op == network.OpReset {
			wanted -= p.giveUp(&m, first, n, kept)
		} else if m.Call >= first {
			kept = append(kept, m)
		}
	}
	p.inbox, p.read = kept, 0
	if len(p.inbox) < wanted && !p.passed(deadline) {
		p.first, p.round, p.wanted = first, n, wanted
		p.waitUntil(deadline, forReplies)
	}
	p.read = len(p.inbox)
	return p.inbox
}

// receive puts a message into the inbox and wakes the process if that is what it
// waits for.
func (p *Process) receive(m *network.Message) {
	switch {
	case p.waits == forReplies && m.Op == network.OpReset:
		p.wanted -= p.giveUp(m, p.first, p.round, p.inbox)
	case p.waits == forReplies && m.Call < p.first:
		return
	default:
		if p.read > 0 && p.read == len(p.inbox) {
			p.inbox, p.read = p.inbox[:0], 0
		}
		p.inbox = append(p.inbox, *m)
	}
	if p.waits == forMessage || p.waits == forReplies && len(p.inbox) >= p.wanted {
		p.resume()
	}
}

// passed reports whether a deadline has passed for the process. After a pause it has
// not, whatever the clock says, as long as the timer that was set for it has not been
// handled: what became due before it comes first.
func (p *Process) passed(deadline clock.Mono) bool {
	t := &p.host.timers[p.timer]
	return p.Now() >= deadline && !(t.armed && t.by == byClock && t.due == deadline)
}

// sleep suspends the process until d has passed or something else wakes it.
func (p *Process) sleep(d time.Duration, w waiting) {
	p.waitUntil(p.Now().Add(max(d, 0)), w)
}

func (p *Process) waitUntil(due clock.Mono, w waiting) {
	p.wait(byClock, due, w)
	p.coroutine.Suspend()
}

// wait arms the process's timer and says what else may wake it. A message that wakes
// the process leaves the timer armed: whoever takes one reply after the other until one
// deadline arms it once. An event that comes at the right instant already serves.
func (p *Process) wait(by timekeeper, due clock.Mono, w waiting) {
	p.waits = w
	h := p.host
	t := &h.timers[p.timer]
	if t.armed && t.due == due {
		if t.by == by {
			return
		}
		is, _ := h.dueAt(t.by, due)
		if at, ok := h.dueAt(by, due); ok && at == is && at != sim.Forever {
			t.by = by
			return
		}
	}
	t.by = by
	h.arm(p.timer, due)
	if h.halt.force[bySuspend] && h.putsOff(&h.timers[p.timer]) {
		h.halt.covered++ // it waits in a step on which the suspension fell
	}
}
