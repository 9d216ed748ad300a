package redis

import "fencepost/sim/network"

// Commands of clients that use no script: they do not ask whose key it is.
var (
	// OpSetNX is SETNX key value: a key without a TTL.
	OpSetNX = network.NewOp("setnx")
	// OpExpire is PEXPIRE key ttl, whosever key it is.
	OpExpire = network.NewOp("pexpire")
	// OpSetAny is SET key value XX PX ttl: a key that is there, whosever it is.
	OpSetAny = network.NewOp("set-xx")
	// OpGet is GET key; the reply is OK if it is the client's value. A replica answers it, too.
	OpGet = network.NewOp("get")
	// OpDel is DEL key, whosever key it is. It carries the client's value for the record
	// only.
	OpDel = network.NewOp("del")
)

// get is what a client learns that compares the key's value with its own.
func (s *Server) get(m *network.Message) bool { return s.has(m.Value) && !s.overdue() }

// plain runs one of them.
func (s *Server) plain(m *network.Message) changeKind {
	switch {
	case m.Op == OpSetNX && !s.present:
		s.present, s.key, s.until = true, Key{Value: m.Value, Hold: m.Hold}, never
		return keyBegun
	case m.Op == OpExpire && s.present:
		begun := s.until == never
		s.start(Key{Value: s.key.Value, Hold: s.key.Hold, TTL: m.TTL})
		if begun {
			return keySet
		}
		return keyExtended
	case m.Op == OpSetAny && s.present:
		own := s.has(m.Value)
		s.start(Key{Value: m.Value, Hold: m.Hold, TTL: m.TTL})
		if own {
			return keyExtended
		}
		return keyOverwritten
	case m.Op == OpDel && s.has(m.Value):
		s.present = false
		return keyReleased
	case m.Op == OpDel && s.present:
		s.present = false
		return keyTaken
	}
	return unchanged
}
