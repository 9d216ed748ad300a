package redis

import (
	"time"

	"fencepost/sim/history"
	"fencepost/sim/network"
)

// Replication is what a server that is one of several asks and tells.
type Replication interface {
	// LacksReplicas reports whether a master has too few replicas to run a write
	// (redis.conf, min-replicas-to-write).
	LacksReplicas() bool
	// Changed is told of each write of a master, when it has been done.
	Changed()
}

// Replicate makes a server one of several.
func (s *Server) Replicate(r Replication) { s.replication = r }

// refuses reports whether the server runs no writes: READONLY or NOREPLICAS.
func (s *Server) refuses() bool {
	return s.replica || s.replication != nil && s.replication.LacksReplicas()
}

// Replica reports whether the server follows a master.
func (s *Server) Replica() bool { return s.replica }

// Follow makes the server a replica. It runs no writes of clients, and lets no key expire by
// itself: it waits for the delete that its master sends (redis/redis src/db.c,
// expireIfNeeded). What it promised is its master's concern.
func (s *Server) Follow() { s.replica, s.told = true, false }

// Lead makes the server a master with the keys that it has. It counts as having promised
// them, and lets them expire.
func (s *Server) Lead() {
	s.replica, s.known, s.told = false, s.key, s.present
	s.scheduleCycle()
}

// Has reports whether the server has the lock's key for a hold.
func (s *Server) Has(hold history.HoldID) bool { return s.present && s.key.Hold == hold }

// noExpiry is the TTL in a message about a key that never expires.
const noExpiry = time.Duration(-1)

// Save writes what the server holds into a message to a replica. An expiry is an absolute
// time (src/t_string.c, PXAT), which the replica will judge by its own clock.
func (s *Server) Save(b *network.Body) {
	b.OK, b.Value, b.Hold, b.Key, b.Token = s.present, s.key.Value, s.key.Hold, int64(s.entries), s.counter
	if b.TTL = noExpiry; s.until != never {
		b.TTL = time.Duration(s.until) * time.Millisecond
	}
}

// Load replaces what a replica holds by what a message says.
func (s *Server) Load(m *network.Message) {
	s.keyspace = keyspace{present: m.OK, key: Key{Value: m.Value, Hold: m.Hold}, entries: int(m.Key), counter: m.Token, until: never}
	if m.TTL != noExpiry {
		s.until = m.TTL.Milliseconds()
	}
	s.changed()
	s.persist()
}
