package redis

import "fencepost/sim/network"

// Commands and scripts that set, extend and delete the key for the client whose value it has.
var (
	// OpSet is SET key value NX PX ttl; the reply is OK or nil.
	OpSet = network.NewOp("set")
	// OpDelete is the script that deletes the key if it holds the value.
	OpDelete = network.NewOp("delete")
	// OpExtend is the script that sets the key's TTL anew if it holds the value.
	OpExtend = network.NewOp("extend")
	// OpObtain is bsm/redislock's script that sets the key, or overwrites it if it holds the
	// value already.
	OpObtain = network.NewOp("redislock.obtain")
	// OpExtendOrSet is a script that sets the key's TTL anew if it holds the value, and sets the
	// key if there is none (RedLock.net's Extend.lua and, for package redlock, redsync's
	// touchWithSetNXScript and redlock-rb's LOCK_SCRIPT).
	OpExtendOrSet = network.NewOp("extend-or-set")
)

func (s *Server) set(m *network.Message) changeKind {
	if s.present {
		return unchanged
	}
	s.present = true
	s.start(Key{Value: m.Value, Hold: m.Hold, TTL: m.TTL})
	return keySet
}

// extend is PEXPIRE under the same condition as a delete.
func (s *Server) extend(m *network.Message) changeKind {
	if !s.has(m.Value) {
		return unchanged
	}
	s.start(Key{Value: s.key.Value, Hold: s.key.Hold, TTL: m.TTL})
	return keyExtended
}

// obtain is obtain.lua of bsm/redislock: a client whose reply was lost finds its own key.
func (s *Server) obtain(m *network.Message) changeKind {
	if s.has(m.Value) {
		return s.extend(m)
	}
	return s.set(m)
}

func (s *Server) delete(m *network.Message) changeKind {
	if !s.has(m.Value) {
		return unchanged
	}
	s.present = false
	return keyReleased
}

func (s *Server) extendOrSet(m *network.Message) changeKind {
	if s.present {
		return s.extend(m)
	}
	return s.set(m)
}
