// Package redis is a lock that is a key with a time to live on one Redis server.
//
// The protocol is that of the Redis documentation, "Distributed Locks with Redis",
// section "Correct Implementation with a Single Instance": SET key value NX PX ttl
// with a value that nobody else uses, and a script that deletes the key only if it
// still has that value. The server ends the lease by its wall clock, as Redis does; with the
// parameter expiry-clock by a monotonic one.
//
// # Clients
//
// The parameter client chooses the library. None of them keeps a deadline of its own, and
// none is told when the lock expires.
//
//   - bare does what the documentation says and no more. A waiting client tries again after
//     a random delay. The documentation gives no numbers; [Retry] has those of redsync
//     (go-redsync/redsync, redsync.go). The reply timeout is go-redis's default of 3 s
//     (redis/go-redis, Options.ReadTimeout). The parameters acquire, release
//     and extend are what such clients do otherwise. With command-retries it sends a command again that
//     was not answered, as go-redis does: a second SET NX meets the key of the first.
//   - redislock is bsm/redislock on go-redis. Its script enters a lock again that has its own
//     token, so that sending it again does no harm. It does not wait unless asked to.
//   - redisson is Redisson's RLock: a hash with the name of a thread and how often it has
//     entered. Waiters are woken by a message, and a watchdog renews.
//
// # Servers
//
// A server keeps nothing on its disk by default, as Redis does, so that a crash of any kind
// makes it forget the key (the documentation warns of it in "Performance, Crash Recovery
// and fsync"). The parameter persistence gives it an append-only file.
//
// # Left out
//
// A value that the program chooses itself (redislock's Options.Token), locks of several keys,
// tryLock with a limit, and Redisson's LockRenewalFailureListener, which newer versions call
// when a renewal ends with an error. A connection that the server's crash has ended is not
// subscribed anew: the waiter wakes at the end of the lease that it was told.
package redis

import (
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Lock is the single-server lock.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:    "redis",
		Summary: "one Redis server, SET NX PX and a compare-and-delete script",
		Sources: []string{
			"Redis documentation, Distributed Locks with Redis, Correct Implementation with a Single Instance",
			"redis/redis src/t_string.c, src/db.c, src/expire.c, src/server.c, src/aof.c",
			"redis/redis-py pull request 1031 (release: get-del); samcook/RedLock.net Extend.lua, swarthy/redis-semaphore issue 175 (extend: set)",
			"bsm/redislock redislock.go, obtain.lua; redis/go-redis redis.go, error.go",
			"redisson/redisson RedissonLock.java, RedissonFencedLock.java, renewal/RenewalTask.java",
		},
		Promise:      "from the instant the server applies the SET, for the TTL less 1 ms",
		Granted:      "the server applies the SET",
		Token:        "with token: incr, a counter that the script raises which takes the lock (RFencedLock)",
		TokenWith:    models.TokenAsked,
		Removal:      "DEL of the key by another client, or its eviction (redis.conf, maxmemory-policy); no message tells waiters",
		ServiceClock: "wall",
		Notice:       "none",
		Role:         "redis",
		Servers:      1,
		Durable:      Durable,
		Renews:       Renews,
		Disk:         WaitsForDisk,
		Params:       append(ClientParams(), PersistenceParam, ExpiryClockParam),
		Validate:     ValidateClient,
		Steps:        ClientSteps,
		Takeover:     ClientTakeover,
	}
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &system{}
	s.clients = NewClients(e, s)
	s.server = NewServer(e, e.Servers("redis", 1)[0], s.clients)
	if s.clients.acquire == acquireBySet && s.server.file == nil {
		s.clients.foresight = NewForesight(e, Attempt{Timeout: s.clients.timeout}, s.server)
	}
	return s
}

// system is one server and its clients.
type system struct {
	server  *Server
	clients *Clients
}

func (s *system) Reset() {
	s.server.Reset()
	s.clients.Reset()
}

func (s *system) Locker(client int) models.Locker { return s.clients.Locker(client) }

// Remove implements [models.Remover].
func (s *system) Remove(_, order int) { s.server.Order(order) }

// Call implements [Service].
func (s *system) Call(p *host.Process, _ int, b network.Body, timeout time.Duration) (network.Message, error) {
	return p.Call(s.server.Addr(), b, timeout)
}

// Send implements [Service].
func (s *system) Send(p *host.Process, _ int, b network.Body) { p.Send(s.server.Addr(), b) }

// Confirm implements [Service]: there is nobody else to ask.
func (s *system) Confirm(*host.Process, int, history.HoldID) bool { return true }

// Promises implements [Service].
func (s *system) Promises(value int64) bool { return s.server.Promises(value) }
