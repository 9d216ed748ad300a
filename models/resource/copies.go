package resource

import (
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// last is the last request of a process that was taken, by the number of its call and by its key:
// the value that a write or an effect carries, which a client that sends it again repeats; it is 0 for
// a read and a mark.
type last struct {
	call   uint32
	key    int64
	life   uint32 // incarnation of the host that took it
	done   bool
	answer network.Body
}

// again reports whether a request is a copy of one that was taken, and needs nothing any more.
//
// Calls of a process rise and come in order, so a number that is not above the last one is that of
// a copy that the network has made: nobody waits for its answer. A copy that the client has made is
// answered as the request was. A resource that serves each request once does so by an idempotency
// key (IETF, draft-ietf-httpapi-idempotency-key-header). While the first is being applied, a copy
// gets no answer here; that draft has an error for it, after which a client would ask once more. A
// crash takes the key of what had not taken effect, so that a copy of what it took is served.
//
// Reads and marks have no key. A read changes no data: a copy of the network's is dropped, one of the
// client's is another read. A mark that the client sends again sets the token anew, even if another
// holder has set its own since; a copy of the network's is dropped, unless copies are served.
func (s *Store) again(m *network.Message) bool {
	before, ok := s.served[m.From]
	life := s.host.Incarnation()
	keyed := m.Value != 0 && m.Value == before.key && (before.done || before.life == life)
	switch {
	case !ok:
	case m.Call <= before.call:
		if !s.settings.ServesCopies || m.Op == OpRead {
			return true
		}
	case keyed && !s.settings.ServesCopies:
		if before.done {
			s.host.Reply(m, before.answer)
		}
		before.call = m.Call
		s.served[m.From] = before
		return true
	}
	if !ok || m.Call > before.call {
		s.served[m.From] = last{call: m.Call, key: m.Value, life: life}
	}
	return false
}

// keep keeps the answer to a request for copies of it.
func (s *Store) keep(m *network.Message, b network.Body) {
	if before := s.served[m.From]; m.Value != 0 && before.key == m.Value {
		before.done, before.answer = true, b
		s.served[m.From] = before
	}
}

var _ host.Server = (*Store)(nil)
