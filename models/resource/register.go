// Package resource is what the lock protects, and the guards in front of it.
//
// Guards follow M. Kleppmann, "How to do distributed locking" (2016), section
// "Making the lock safe with fencing": the storage remembers the highest token and
// rejects a lower one. An equal token passes, since one holder writes more than
// once. The highest token is kept with the data and changed in the same atomic step.
package resource

import (
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Messages of a resource.
var (
	OpRead  = network.NewOp("read")
	OpWrite = network.NewOp("write")
	OpReply = network.NewOp("resource.reply")
)

// Register holds one value that clients read, modify and write. Every write carries a
// value that nobody wrote before, so a value names the write it came from.
//
// A request carries the hold's fencing token, 0 if the lock has none. The reply has
// OK set if the request was served, and the value after it.
type Register struct {
	host     *host.Host
	recorder *history.Recorder
	guard    Guard
	value    int64
	highest  int64 // the highest token served by a checked request
	served   map[network.Addr]uint32
	ask      Ask
}

// NewRegister puts a register on a host.
func NewRegister(h *host.Host, r *history.Recorder, g Guard) *Register {
	s := &Register{host: h, recorder: r, guard: g, served: map[network.Addr]uint32{}}
	h.Server = s
	return s
}

// Reset returns to value 0 and no token. A crash does not: the register is a database, whose
// value and highest token are durable before a request is answered.
func (s *Register) Reset() {
	s.value, s.highest = 0, 0
	clear(s.served)
}

// again reports whether a request is a copy of one that was served. Calls of a process
// rise and come in order, so a number that is not above the last one is that of a copy. A
// resource that serves each request once is what an idempotency key makes of one (IETF,
// draft-ietf-httpapi-idempotency-key-header).
func (s *Register) again(m *network.Message) bool {
	if last, ok := s.served[m.From]; ok && m.Call <= last {
		return true
	}
	s.served[m.From] = m.Call
	return false
}

// Addr is where requests go.
func (s *Register) Addr() network.Addr { return s.host.Addr() }

// Value is the ground truth, as an audit at the end of a run reads it.
func (s *Register) Value() int64 { return s.value }

// Receive implements [host.Server].
func (s *Register) Receive(m *network.Message) {
	if m.Call != 0 && s.again(m) {
		return
	}
	switch {
	case s.guard.Asks:
		s.askFirst(m)
	case s.rejects(effectOf(m), m.Token):
		s.reject(m, "")
	default:
		s.serve(m)
	}
}

func effectOf(m *network.Message) history.Effect {
	if m.Op == OpWrite {
		return history.WriteEffect
	}
	return history.ReadEffect
}

// reject answers that a request was not served. The record has the highest token, or why it was
// not, if that was no comparison.
func (s *Register) reject(m *network.Message, why string) {
	s.recorder.Add(history.Record{Kind: history.Reject, Effect: effectOf(m), Hold: m.Hold, Token: m.Token, Base: s.highest, Text: why})
	s.host.Reply(m, network.Body{Op: OpReply, Value: s.value})
}

// serve is the effect of a request.
func (s *Register) serve(m *network.Message) {
	if m.Op == OpWrite {
		s.recorder.Add(history.Record{Kind: history.Write, Effect: history.WriteEffect, Hold: m.Hold, Token: m.Token, Value: m.Value, Base: s.value})
		s.value = m.Value
	} else {
		s.recorder.Add(history.Record{Kind: history.Read, Effect: history.ReadEffect, Hold: m.Hold, Token: m.Token, Value: s.value})
	}
	s.host.Reply(m, network.Body{Op: OpReply, OK: true, Value: s.value})
}

// rejects compares the token and raises the highest, in one step with the effect.
func (s *Register) rejects(e history.Effect, token int64) bool {
	if !s.guard.checks[e] {
		return false
	}
	if token < s.highest {
		return true
	}
	s.highest = token
	return false
}

// Timer implements [host.Server]; a register sets none.
func (s *Register) Timer(int) {}
