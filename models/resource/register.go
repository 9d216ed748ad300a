// Package resource is what the lock protects, and the guards in front of it.
//
// Guards follow M. Kleppmann, "How to do distributed locking" (2016), section
// "Making the lock safe with fencing": the storage remembers the highest token and
// rejects a lower one. An equal token passes, since one holder writes more than
// once. The highest token is kept with the data and changed in the same atomic step, unless
// the [Settings] of a resource say otherwise: they are the mistakes to make here.
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
	OpMark  = network.NewOp("mark")
	OpReply = network.NewOp("resource.reply")
)

// Register holds one value that clients read, modify and write. Every write carries a
// value that nobody wrote before, so a value names the write it came from.
//
// A request carries a token, 0 if there is none, and the version that the writer has read.
// The reply has OK set if the request was served, and the value and version after it.
type Register struct {
	// OnIdle, if set, is called when no request is left that has come in.
	OnIdle func()

	host     *host.Host
	recorder *history.Recorder
	guard    Guard
	settings Settings
	value    int64
	kept     kept
	served   map[network.Addr]uint32
	ask      Ask
	pending  int    // requests that take time
	life     uint32 // incarnation of the host that has them
	seed     uint64
	writes   uint64 // whose time was drawn
}

// NewRegister puts a register on a host.
func NewRegister(h *host.Host, r *history.Recorder, g Guard) *Register {
	s := &Register{host: h, recorder: r, guard: g, served: map[network.Addr]uint32{}}
	h.Server = s
	return s
}

// Reset returns to value 0, and no token and version. A crash does not: the register is a
// database, whose value and version are durable before a request is answered, and so is the token
// unless the settings say otherwise.
func (s *Register) Reset() {
	s.value, s.kept, s.pending, s.writes = 0, kept{}, 0, 0
	clear(s.served)
}

// Restart implements [host.Restarter].
func (s *Register) Restart(host.Lost) {
	if s.settings.ForgetsToken {
		s.kept.token = 0
	}
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

// Receive implements [host.Server]. A copy of a read is dropped by every resource: it changes
// nothing, and nobody waits for its answer.
func (s *Register) Receive(m *network.Message) {
	if m.Call != 0 && s.again(m) && (!s.settings.ServesCopies || m.Op == OpRead) {
		return
	}
	if apply := s.applyTime(m); apply > 0 || s.guard.Asks {
		s.takeTime(m, apply)
		return
	}
	passes, why := s.compare(m, s.kept.version)
	s.answer(m, passes, why)
}

// compare is the guard's comparison and what it changes, in one step. With the effect it is one
// step too, unless the settings or a guard that asks say otherwise.
func (s *Register) compare(m *network.Message, arrived int64) (passes bool, why string) {
	if s.guard.rule == nil {
		return true, ""
	}
	return s.guard.rule(&s.kept, request{effectOf(m), m.Token, m.Revision, arrived})
}

func effectOf(m *network.Message) history.Effect {
	switch m.Op {
	case OpWrite:
		return history.WriteEffect
	case OpMark:
		return history.MarkEffect
	}
	return history.ReadEffect
}

func (s *Register) answer(m *network.Message, passes bool, why string) {
	if passes {
		s.serve(m)
	} else {
		s.reject(m, why)
	}
}

// reject answers that a request was not served. The record has the token that its own was compared
// with, or why it was not served, if that was no comparison of which is lower.
func (s *Register) reject(m *network.Message, why string) {
	s.recorder.Add(history.Record{Kind: history.Reject, Effect: effectOf(m), Hold: m.Hold, Token: m.Token, Base: s.kept.token, Text: why})
	s.host.Reply(m, network.Body{Op: OpReply, Value: s.value, Revision: s.shown()})
}

// serve is the effect of a request.
func (s *Register) serve(m *network.Message) {
	done := history.Record{Effect: effectOf(m), Hold: m.Hold, Token: m.Token}
	switch done.Effect {
	case history.WriteEffect:
		done.Kind, done.Value, done.Base = history.Write, m.Value, s.value
		s.recorder.Add(done)
		s.value = m.Value
		s.kept.version++
	case history.MarkEffect:
		done.Kind = history.Mark
		s.recorder.Add(done)
	default:
		done.Kind, done.Value = history.Read, s.value
		s.recorder.Add(done)
	}
	s.host.Reply(m, network.Body{Op: OpReply, OK: true, Value: s.value, Revision: s.shown()})
}

// shown is the version that a reply comes with: none, if the guard compares no versions.
func (s *Register) shown() int64 {
	if !s.guard.Protocol.Versions {
		return 0
	}
	return s.kept.version
}

// Timer implements [host.Server]; a register sets none.
func (s *Register) Timer(int) {}
