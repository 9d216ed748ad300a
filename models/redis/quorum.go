package redis

import "fencepost/sim/network"

// OpExtendOrSet is a script of libraries that keep one lock on a majority of servers (package
// redlock): it sets the key's TTL anew if it holds the value, and sets the key if there is
// none (redsync's touchWithSetNXScript, redlock-rb's LOCK_SCRIPT).
var OpExtendOrSet = network.NewOp("extend-or-set")

func (s *Server) extendOrSet(m *network.Message) changeKind {
	if s.present {
		return s.extend(m)
	}
	return s.set(m)
}
