package redis

import (
	"time"

	"fencepost/sim/network"
)

// The latch of Redisson's unlock (redisson/redisson RedissonBaseLock.java, unlockInnerAsync;
// issue 6748): the script keeps what it has answered under the number of its request, in a key
// with a TTL, and a copy of the request is answered with that and does nothing. The client
// deletes the key when it has the answer. A copy that comes after that unlocks again.

// OpUnlatch is that DEL, for which nobody waits.
var OpUnlatch = network.NewOp("redisson.unlatch")

// Unlock is the request of an owner with a number of its own. The latch lives for as long as commands of a client are sent again: retryAttempts times its timeout
// and retryInterval (RedissonBaseLock.java, unlockInnerAsync; BaseConfig.java).
func Unlock(owner, number int64, ttl, timeout time.Duration) network.Body {
	const retryInterval = 1500 * time.Millisecond
	kept := RedissonRetries * (timeout + retryInterval)
	return network.Body{Op: OpUnlock, Value: owner, Key: number, TTL: ttl, Revision: kept.Milliseconds()}
}

// Unlatch is what follows the answer to an [Unlock].
func Unlatch(unlock network.Body) network.Body {
	return network.Body{Op: OpUnlatch, Value: unlock.Value, Key: unlock.Key, Hold: unlock.Hold}
}

// latch is an unlock that has been answered. It is neither written to a file nor replicated,
// since no copy of a request reaches another server, nor the same after a restart.
type latch struct {
	owner, number int64
	until         int64 // milliseconds of the clock by which keys expire
}

// latched reports whether an unlock is the copy of one whose latch is there.
func (s *Server) latched(m *network.Message) bool {
	now := s.now().Milli()
	for _, l := range s.latches {
		if l.owner == m.Value && l.number == m.Key && now <= l.until {
			return true
		}
	}
	return false
}

// latch keeps the answer to an unlock, and drops those that are over.
func (s *Server) latch(m *network.Message) {
	s.unlatch(m)
	s.latches = append(s.latches, latch{m.Value, m.Key, s.now().Milli() + m.Revision})
}

// unlatch deletes the latch of an unlock, and those that are over.
func (s *Server) unlatch(m *network.Message) {
	now, kept := s.now().Milli(), s.latches[:0]
	for _, l := range s.latches {
		if now <= l.until && (l.owner != m.Value || l.number != m.Key) {
			kept = append(kept, l)
		}
	}
	s.latches = kept
}
