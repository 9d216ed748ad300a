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
	OpRead   = network.NewOp("read")
	OpWrite  = network.NewOp("write")
	OpMark   = network.NewOp("mark")
	OpEffect = network.NewOp("effect")
	OpReply  = network.NewOp("resource.reply")
)

// Store is what the lock protects: objects of one kind, on one host. Every write carries a value
// that nobody wrote before, so a value names the write that it came from.
//
// A request carries the object's number as its key, a token, 0 if there is none, the version that
// the writer has read, and what the object is to hold, if that is more than the value. The reply
// has OK set if the request was served, and what the object holds, and its version, after it.
type Store struct {
	// OnIdle, if set, is called when no request is left that has come in.
	OnIdle func()

	host     *host.Host
	recorder *history.Recorder
	guard    Guard
	settings Settings
	objects  []object
	served   map[network.Addr]last
	ask      Ask
	pending  int    // requests that take time
	life     uint32 // incarnation of the host that has them
	seed     uint64
	drawn    uint64 // times
}

// NewStore puts what the lock protects on a host.
func NewStore(h *host.Host, r *history.Recorder, g Guard, settings Settings) *Store {
	s := &Store{host: h, recorder: r, guard: g, settings: settings, served: map[network.Addr]last{}}
	h.Server = s
	s.Reset(0)
	return s
}

// Reset returns to the start of a run with a seed: value 0, and no token and version. A crash does
// not: the store is a database, whose values and versions are durable before a request is answered,
// and so is the token unless the settings say otherwise.
func (s *Store) Reset(seed uint64) {
	s.objects = s.objects[:0]
	for range s.settings.Count() {
		s.objects = append(s.objects, s.settings.start())
	}
	s.seed, s.drawn, s.pending = seed, 0, 0
	clear(s.served)
}

// Restart implements [host.Restarter].
func (s *Store) Restart(host.Lost) {
	if s.settings.ForgetsToken {
		for i := range s.objects {
			s.objects[i].kept.token = 0
		}
	}
}

// Addr is where requests go.
func (s *Store) Addr() network.Addr { return s.host.Addr() }

// Audit appends the value of each object: the ground truth, as it is read at the end of a run.
func (s *Store) Audit(values []int64) []int64 {
	for i := range s.objects {
		values = append(values, s.objects[i].value)
	}
	return values
}

// Receive implements [host.Server].
func (s *Store) Receive(m *network.Message) {
	if m.Call != 0 && s.again(m) {
		return
	}
	if apply := s.applyTime(m); apply > 0 || s.asks(m) {
		s.takeTime(m, apply)
		return
	}
	passes, why := s.compare(m, s.object(m).kept.version)
	s.answer(m, passes, why)
}

func (s *Store) object(m *network.Message) *object { return &s.objects[m.Key] }

// compare is the guard's comparison and what it changes, in one step. With the effect it is one
// step too, unless the settings or a guard that asks say otherwise.
func (s *Store) compare(m *network.Message, arrived int64) (passes bool, why string) {
	if s.guard.rule == nil || s.unguarded(m) {
		return true, ""
	}
	e := effectOf(m)
	if e == history.OutsideEffect {
		e = history.WriteEffect
	}
	return s.guard.rule(&s.object(m).kept, request{e, m.Token, m.Revision, arrived})
}

// unguarded reports whether the guard does not see the request: it stands before the data.
func (s *Store) unguarded(m *network.Message) bool {
	return m.Op == OpEffect && !s.settings.GuardsEffect
}

// asks reports whether the lock service is asked about the request.
func (s *Store) asks(m *network.Message) bool { return s.guard.Asks && !s.unguarded(m) }

func effectOf(m *network.Message) history.Effect { return EffectOf(m.Op) }

// EffectOf is the effect that requests of a class ask for.
func EffectOf(op *network.Op) history.Effect {
	switch op {
	case OpRead:
		return history.ReadEffect
	case OpWrite:
		return history.WriteEffect
	case OpMark:
		return history.MarkEffect
	case OpEffect:
		return history.OutsideEffect
	}
	return history.NoEffect
}

func (s *Store) answer(m *network.Message, passes bool, why string) {
	if passes {
		s.serve(m)
	} else {
		s.reject(m, why)
	}
}

// reject answers that a request was not served. The record has the token that its own was compared
// with, or why it was not served, if that was no comparison of which is lower.
func (s *Store) reject(m *network.Message, why string) {
	o := s.object(m)
	s.recorder.Add(history.Record{Kind: history.Reject, Effect: effectOf(m), Object: uint8(m.Key), Hold: m.Hold, Token: m.Token,
		Value: m.Value, Base: o.kept.token, Text: why})
	s.reply(m, network.Body{Value: o.value})
}

// serve is the effect of a request.
func (s *Store) serve(m *network.Message) {
	o := s.object(m)
	done := history.Record{Effect: effectOf(m), Object: uint8(m.Key), Hold: m.Hold, Token: m.Token, Change: s.settings.Kind.info().Change}
	answer := network.Body{OK: true}
	switch done.Effect {
	case history.WriteEffect:
		done.Kind, done.Value, done.Base = history.Write, m.Value, o.value
		done.Change = s.settings.write(o, m.Value, m.Content)
		done.Content = o.content
		s.recorder.Add(done)
	case history.MarkEffect:
		done.Kind = history.Mark
		s.recorder.Add(done)
	case history.OutsideEffect:
		answer.TTL = s.perform(m)
	default:
		done.Kind, done.Value, done.Content = history.Read, o.value, o.content
		s.recorder.Add(done)
	}
	answer.Value, answer.Content = o.value, o.content
	s.reply(m, answer)
}

// reply answers a request. It tells the version, if the guard compares versions.
func (s *Store) reply(m *network.Message, b network.Body) {
	b.Op = OpReply
	if s.guard.Protocol.Versions {
		b.Revision = s.object(m).kept.version
	}
	s.keep(m, b)
	s.host.Reply(m, b)
}

// Timer implements [host.Server]; a store sets none.
func (s *Store) Timer(int) {}
