package redis

import (
	"math"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

var (
	// OpReply answers each command.
	OpReply = network.NewOp("redis.reply")
	// OpRefused answers a command that was not run: READONLY or NOREPLICAS.
	OpRefused = network.NewOp("redis.refused")
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
	// KeyGone: the key is no longer there; why is "expired", "released", "lost", which is
	// noticed when the server is back, [history.ForeignRelease] or [history.Removed].
	KeyGone(k Key, why string)
}

// Key is the lock key as one server has it: under which value it was set, and for whom.
type Key struct {
	Value int64
	Hold  history.HoldID
	TTL   time.Duration
	Since sim.Time // when the TTL began
	Token int64    // what INCR returned when it was set, 0 if it was not asked
}

// keyspace is what a server holds: the lock key, or nothing, and the counter of tokens.
type keyspace struct {
	present bool
	key     Key
	until   int64 // milliseconds of the clock by which keys expire
	entries int   // how often its owner has entered a lock that is a hash
	counter int64 // a key of its own, which never expires
}

// never is the expiry of a key without a TTL.
const never = math.MaxInt64

// Server is one Redis server with the one key that is the lock.
//
// A relative TTL becomes an absolute time on the server's wall clock, or on its monotonic one
// ([ExpiryClockParam]), when the SET is executed; the key is gone for whoever touches it once now > that time, in whole
// milliseconds (redis/redis src/db.c, keyIsExpired), or when the active cycle finds it.
type Server struct {
	env       *models.Env
	host      *host.Host
	watcher   Watcher
	monotonic bool // keys expire by the monotonic clock

	keyspace
	cycle       clock.Mono // when the active cycle is next to look at the key; 0 is never
	subscribers []network.Addr
	latches     []latch
	file        *appendOnly // nil is a server that keeps nothing

	replica     bool
	replication Replication // nil is a server that is alone
	// known is the key that the watcher has been told of, if any. A key that comes back from
	// an old file is known to nobody: its hold is over.
	known Key
	told  bool
}

// NewServer puts a server on a host. The parameters have that of [PersistenceParam], and may
// have that of [ExpiryClockParam].
func NewServer(e *models.Env, h *host.Host, w Watcher) *Server {
	s := &Server{env: e, host: h, watcher: w, monotonic: monotonicExpiry(e.Params)}
	if policy := Persistence(e.Params.Choice(PersistenceParam.Name)); policy != NoPersistence {
		s.file = &appendOnly{policy: policy}
	}
	h.Server = s
	return s
}

// Reset empties the server.
func (s *Server) Reset() {
	s.keyspace, s.known, s.told = keyspace{}, Key{}, false
	s.cycle, s.subscribers, s.latches, s.replica = 0, s.subscribers[:0], s.latches[:0], false
	if s.file != nil {
		s.host.Disk.Configure(s.env.Fsync, s.env.Seed, "redis.fsync", rng.HashString(s.host.Name))
		s.file.reset(s.host.Wall().Milli())
	}
}

// Addr is where requests go.
func (s *Server) Addr() network.Addr { return s.host.Addr() }

// Receive implements [host.Server].
func (s *Server) Receive(m *network.Message) {
	if s.file != nil && s.file.policy == Always {
		s.receiveAlways(m)
		return
	}
	reply, what := s.execute(m)
	if s.file != nil {
		s.flush()
	}
	s.tell(what, &s.key)
	s.host.Reply(m, reply)
}

// changeKind is what a command has done to the lock key.
type changeKind uint8

const (
	unchanged changeKind = iota
	keySet
	keyBegun // set without a TTL, by a client that is not done
	keyExtended
	keyReleased
	keyTaken    // deleted by somebody else
	keyEntered  // of an earlier hold of the same thread, which was never told of it
	keyUnlocked // deleted, and waiters are told
	// keyOverwritten: somebody else had it.
	keyOverwritten
)

// execute runs a command.
func (s *Server) execute(m *network.Message) (reply network.Body, what changeKind) {
	reply.Op = OpReply
	switch {
	case m.Op == OpSubscribe || m.Op == OpUnsubscribe:
		s.subscription(m)
		reply.OK = true
		return reply, unchanged
	case m.Op == OpGet:
		reply.OK = s.get(m)
		return reply, unchanged
	case s.refuses():
		reply.Op = OpRefused
		return reply, unchanged
	}
	s.expireIfDue()
	switch m.Op {
	case OpSet:
		what = s.set(m)
	case OpExtend:
		what = s.extend(m)
	case OpDelete:
		what = s.delete(m)
	case OpObtain:
		what = s.obtain(m)
	case OpLock:
		what = s.lock(m, &reply)
	case OpUnlock:
		what = s.unlock(m, &reply)
	case OpUnlatch:
		s.unlatch(m)
		reply.OK = true
	case OpExtendOrSet:
		what = s.extendOrSet(m)
	default:
		what = s.plain(m)
	}
	if what != unchanged {
		s.changed()
		reply.OK = true
	}
	return reply, what
}

func (s *Server) has(value int64) bool { return s.present && s.key.Value == value }

// start lets the TTL of a key begin.
func (s *Server) start(k Key) {
	k.Since = s.host.World().Now()
	s.key, s.until = k, s.now().Milli()+k.TTL.Milliseconds()
	s.scheduleCycle()
}

// changed has the file and the replicas, if there are any, take in what has been done.
func (s *Server) changed() {
	if s.file != nil {
		s.file.buffered = true
	}
	if s.replication != nil && !s.replica {
		s.replication.Changed()
	}
}

// tell tells the watcher what has been done to a key.
func (s *Server) tell(what changeKind, k *Key) {
	switch what {
	case keySet:
		s.known, s.told = *k, true
		s.watcher.KeySet(*k)
	case keyExtended:
		if s.told {
			s.watcher.KeyExtended(*k)
		}
	case keyEntered:
		s.gone(&s.known, Reentered)
		s.tell(keySet, k)
	case keyOverwritten:
		s.gone(&s.known, history.ForeignRelease)
		s.tell(keySet, k)
	case keyReleased:
		s.gone(k, "released")
	case keyUnlocked:
		s.gone(k, "released")
		s.publish()
	case keyTaken:
		s.gone(k, history.ForeignRelease)
	}
}

// gone tells the watcher that the key it knows of is no longer there.
func (s *Server) gone(k *Key, why string) {
	if s.told {
		s.told = false
		s.watcher.KeyGone(*k, why)
	}
}

// Promises reports whether the lock is known to be set under a value.
func (s *Server) Promises(value int64) bool { return s.told && s.known.Value == value }

// PromiseEnd is when the promise of a key that is set now ends in true time.
func PromiseEnd(e *models.Env, start sim.Time, ttl time.Duration) sim.Time {
	return e.PromiseEnd(start, ttl, Granularity)
}
