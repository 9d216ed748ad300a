package redis

import (
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Messages of a Redis server, as far as locks need them.
var (
	// OpSet is SET key value NX PX ttl; the reply is OK or nil.
	OpSet = network.NewOp("set")
	// OpDelete is the script that deletes the key if it holds the value.
	OpDelete = network.NewOp("delete")
	// OpExtend is the script that sets the key's TTL anew if it holds the value.
	OpExtend = network.NewOp("extend")
	// OpReply answers each of them.
	OpReply = network.NewOp("redis.reply")
)

// Granularity is that of Redis's TTLs. Time is read from gettimeofday and truncated to
// milliseconds (redis/redis src/server.c, mstime), and the active cycle deletes a key as
// soon as now >= when (src/expire.c, activeExpireCycleTryExpire), so a key may live up
// to 1 ms less than its TTL.
const Granularity = time.Millisecond

// Watcher is told what a server does with the lock key.
type Watcher interface {
	// KeySet: the key was set.
	KeySet(k Key)
	// KeyExtended: the key's TTL was set anew.
	KeyExtended(k Key)
	// KeyGone: the key is no longer there; why is "expired", "released" or "lost", which is
	// noticed when the server is back.
	KeyGone(k Key, why string)
}

// Key is the lock key as one server has it: under which value it was set, and for whom.
type Key struct {
	Value int64
	Hold  history.HoldID
	TTL   time.Duration
}

// Server is one Redis server with the one key that is the lock.
//
// A relative TTL becomes an absolute time on the server's wall clock when the SET is
// executed; the key is gone for whoever touches it once now > that time, in whole
// milliseconds (redis/redis src/db.c, keyIsExpired). The active cycle, which may
// delete it up to 1 ms earlier, is left out; the promise is shorter by that much.
type Server struct {
	host    *host.Host
	watcher Watcher

	present bool
	key     Key
	until   int64 // wall clock, milliseconds
}

// NewServer puts a server on a host.
func NewServer(h *host.Host, w Watcher) *Server {
	s := &Server{host: h, watcher: w}
	h.Server = s
	return s
}

// Reset empties the server.
func (s *Server) Reset() { s.present, s.key, s.until = false, Key{}, 0 }

// Addr is where requests go.
func (s *Server) Addr() network.Addr { return s.host.Addr() }

// Receive implements [host.Server].
func (s *Server) Receive(m *network.Message) {
	s.expireIfDue()
	ok := false
	switch m.Op {
	case OpSet:
		ok = s.set(m)
	case OpDelete:
		ok = s.delete(m)
	case OpExtend:
		ok = s.extend(m)
	}
	s.host.Reply(m, network.Body{Op: OpReply, OK: ok})
}

// expireIfDue is lazy expiry: now > when, strictly.
func (s *Server) expireIfDue() {
	if s.present && s.host.Wall().Milli() > s.until {
		s.present = false
		s.watcher.KeyGone(s.key, "expired")
	}
}

func (s *Server) set(m *network.Message) bool {
	if s.present {
		return false
	}
	s.present, s.key = true, Key{m.Value, m.Hold, m.TTL}
	s.until = s.host.Wall().Milli() + m.TTL.Milliseconds()
	s.watcher.KeySet(s.key)
	return true
}

func (s *Server) delete(m *network.Message) bool {
	if !s.present || s.key.Value != m.Value {
		return false
	}
	s.present = false
	s.watcher.KeyGone(s.key, "released")
	return true
}

// extend is PEXPIRE under the same condition as a delete.
func (s *Server) extend(m *network.Message) bool {
	if !s.present || s.key.Value != m.Value {
		return false
	}
	s.key.TTL = m.TTL
	s.until = s.host.Wall().Milli() + m.TTL.Milliseconds()
	s.watcher.KeyExtended(s.key)
	return true
}

// Restart implements [host.Restarter]. A server keeps nothing: it runs without persistence,
// as redis.io's page on Redlock warns of (section "Performance, Crash Recovery and
// fsync"), so that after a crash of any kind the key is gone.
func (s *Server) Restart(host.Lost) {
	s.expireIfDue()
	if s.present {
		s.present = false
		s.watcher.KeyGone(s.key, "lost")
	}
}

// Timer implements [host.Server]; a server sets none.
func (s *Server) Timer(int) {}

// PromiseEnd is when the promise of a key that is set now ends in true time.
func PromiseEnd(e *models.Env, start sim.Time, ttl time.Duration) sim.Time {
	return e.PromiseEnd(start, ttl, Granularity)
}
