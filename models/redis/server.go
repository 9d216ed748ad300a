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
	// OpReply answers either.
	OpReply = network.NewOp("redis.reply")
)

// Granularity is that of Redis's TTLs: time is read from gettimeofday and truncated
// to milliseconds, so a key may live up to 1 ms less than its TTL (redis/redis
// src/server.c, mstime).
const Granularity = time.Millisecond

// Watcher is told what a server does with the lock key.
type Watcher interface {
	// KeySet: the key was set for a hold.
	KeySet(server int, hold history.HoldID, ttl time.Duration)
	// KeyGone: the key of a hold is no longer there; why is "expired" or "released".
	KeyGone(server int, hold history.HoldID, why string)
}

// Server is one Redis server with the one key that is the lock.
//
// A relative TTL becomes an absolute time on the server's wall clock when the SET is
// executed; the key is gone for whoever touches it once now > that time, in whole
// milliseconds (redis/redis src/db.c, keyIsExpired). When the active cycle deletes it
// from memory makes no difference to a lock, and is left out.
type Server struct {
	index   int
	host    *host.Host
	watcher Watcher

	present bool
	value   int64
	until   int64 // wall clock, milliseconds
	hold    history.HoldID
}

// NewServer puts a server on a host.
func NewServer(index int, h *host.Host, w Watcher) *Server {
	s := &Server{index: index, host: h, watcher: w}
	h.Server = s
	return s
}

// Reset empties the server.
func (s *Server) Reset() { s.present, s.value, s.until, s.hold = false, 0, 0, 0 }

// Addr is where requests go.
func (s *Server) Addr() network.Addr { return s.host.Addr() }

// Receive implements [host.Server].
func (s *Server) Receive(m network.Message) {
	s.expireIfDue()
	ok := false
	switch m.Op {
	case OpSet:
		ok = s.set(m)
	case OpDelete:
		ok = s.delete(m)
	}
	s.host.Reply(m, network.Body{Op: OpReply, OK: ok})
}

// expireIfDue is lazy expiry: now > when, strictly.
func (s *Server) expireIfDue() {
	if s.present && s.host.Wall().Milli() > s.until {
		s.present = false
		s.watcher.KeyGone(s.index, s.hold, "expired")
	}
}

func (s *Server) set(m network.Message) bool {
	if s.present {
		return false
	}
	s.present, s.value, s.hold = true, m.Value, m.Hold
	s.until = s.host.Wall().Milli() + m.TTL.Milliseconds()
	s.watcher.KeySet(s.index, m.Hold, m.TTL)
	return true
}

func (s *Server) delete(m network.Message) bool {
	if !s.present || s.value != m.Value {
		return false
	}
	s.present = false
	s.watcher.KeyGone(s.index, s.hold, "released")
	return true
}

// Timer implements [host.Server]; a server sets none.
func (s *Server) Timer(int) {}

// PromiseEnd is when the promise of a key that is set now ends in true time.
func PromiseEnd(e *models.Env, start sim.Time, ttl time.Duration) sim.Time {
	return e.PromiseEnd(start, ttl, Granularity)
}
