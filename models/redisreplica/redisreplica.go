// Package redisreplica is the lock of package redis on a master with replicas, between which
// Sentinels fail over.
//
// # Replication
//
// It is asynchronous: the master answers and then sends what it has done (redis/redis
// src/replication.c; the Redis documentation warns of it in "Distributed Locks with Redis",
// section "Why Failover-based Implementations Are Not Enough"). An expiry travels as an
// absolute time. A replica lets nothing expire until it is promoted; then it judges what it
// has by its own wall clock, so that one whose clock is ahead by S ends the locks S early.
// What the old master had not sent is lost: locks, renewals, releases, and counts of tokens.
//
// A replica acknowledges once a second, or when it is asked. WAIT asks, and counts; it undoes
// nothing. With wait-replicas a client that is told too few takes its lock back. Redisson
// does so by itself (command/CommandAsyncService.java, syncedEval; checkLockSyncedSlaves is
// on): it waits up to 1 s for as many replicas as are connected to the master, is content with
// one, and asks for none if none is connected. A master with fewer than min-replicas replicas
// that have acknowledged lately runs no writes.
//
// A master that comes back without its data before anybody has noticed hands its emptiness
// on to its replicas (Redis documentation, Replication, "Safety of replication when master
// has persistence turned off").
//
// # Sentinels
//
// Each server's host runs a Sentinel too, as in "Example 2: basic setup with three boxes" of
// the Sentinel documentation, so that a crash, a pause or a partition of a host meets both.
// They follow redis/redis src/sentinel.c: a ping a second, subjectively down after down-after
// without a valid reply, objectively down if quorum Sentinels say so, a vote in an epoch,
// which takes a majority and at least quorum, a replica chosen by offset and then run id,
// REPLICAOF NO ONE, the others one by one. All of it goes by wall clocks; a periodic timer
// that finds its clock moved back, or by more than 2 s, makes a Sentinel stand aside for 30 s
// (TILT). An old master that comes back is made a replica after 8 s, and discards what only
// it had.
//
// # Clients
//
// They are those of package redis. They ask Sentinels for the master before their first
// command and after each that failed, take the first answer, and hear of a switch from the
// Sentinel that has answered them (redis/go-redis, sentinel.go, sentinelFailover; Redis
// documentation, Guidelines for Redis clients with support for Redis Sentinel). go-redis, and so
// redislock, asks that one alone from then on, and as long as its host is silent no command gets through.
// A switch that it hears of ends commands that wait for the old master, and they are sent again.
//
// # Left out
//
// Priorities of replicas (all have the default), the discovery of servers and Sentinels and
// hellos that go through the servers, the reconnection of Sentinels' links, scripts and manual
// failovers, diskless or slow synchronization (a replica has its master's data in one
// message), partial resynchronization after a break (it is always full, which comes to the
// same for one key), chained replicas, Redis Cluster. A waiter of Redisson is not subscribed
// anew at the new master, and sleeps until the end of the lease that it was told. A command of another
// client than go-redis that waits for the old master when the switch is announced waits for its timeout. With
// appendfsync always, what a replica is sent does not wait for the master's fsync. Redisson, which remembers how many
// replicas are connected until WAIT tells it otherwise, is told anew each time, does not WAIT
// after renewals and unlocks, and sends no WAITAOF, which it does where the master keeps an
// append-only file.
package redisreplica

import (
	"slices"
	"time"

	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim/host"
)

// Lock is the lock on replicated servers.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:    "redis-replica",
		Summary: "a Redis master with asynchronous replicas and Sentinels that fail over",
		Sources: []string{
			"Redis documentation, Distributed Locks with Redis, Why Failover-based Implementations Are Not Enough",
			"Redis documentation, High availability with Redis Sentinel; Replication; WAIT",
			"redis/redis src/sentinel.c, src/replication.c, src/expire.c",
			"redis/go-redis sentinel.go; redisson/redisson command/CommandAsyncService.java",
		},
		Promise:      "from the instant a master applies the SET, for the TTL less 1 ms, whatever becomes of the master",
		Granted:      "a master applies the SET, also one that has been replaced and does not know",
		Token:        "with token: incr, a counter on the master that the script raises which takes the lock (RFencedLock)",
		TokenWith:    models.TokenAsked,
		Removal:      "DEL of the key on the master by another client, or its eviction there, which replicas are sent like any write; a replica refuses it",
		Renews:       redis.Renews,
		ServiceClock: "wall",
		Notice:       "none",
		Role:         "redis",
		Servers:      3,
		Leader:       true,
		Disk:         redis.WaitsForDisk,
		Params:       slices.Concat(redis.ClientParams(), []models.Param{redis.PersistenceParam}, params),
		Validate:     validate,
		Steps: slices.Concat(redis.ClientSteps, []models.Step{
			{Name: stepResolve, Doc: "the client does not know the master: no Sentinel has been asked"},
			{Name: stepWait, Doc: "the client waits for replicas: the lock has been granted and WAIT has not been sent"},
		}),
		Takeover: takeover,
	}
}

// takeover is that of one server with one failover in between: at worst the master is lost
// when the lease is about to expire. A failover takes the silence that makes a server down
// and, at most, a ping, an exchange of opinions, the random start of the vote, two looks at
// the replica that is promoted and a hello, of 1 to 2 s each; then a client's command to the
// old master times out. A vote that fails is not allowed for.
func takeover(p models.Params) time.Duration {
	const failover = pingPeriod + askPeriod + maxDesync + 2*infoPeriodFast + helloPeriod
	return redis.ClientTakeover(p) + p.Duration("down-after") + failover*time.Millisecond + redis.Timeout(p)
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &system{settings: settingsOf(e.Params), env: e}
	s.clients = redis.NewClients(e, s)
	s.links = make([]link, len(e.Clients))
	for i, h := range e.Servers("redis", e.Params.Int("servers")) {
		s.boxes = append(s.boxes, newBox(s, i, h))
	}
	return s
}

// system is hosts with a server and a Sentinel each, and the clients.
type system struct {
	settings
	env     *models.Env
	boxes   []*box
	clients *redis.Clients
	links   []link // of the clients, by index
	record  record
}

func (s *system) Reset() {
	s.record = record{owners: s.record.owners[:0]}
	for _, b := range s.boxes {
		b.reset()
	}
	s.clients.Reset()
	for i := range s.links {
		s.links[i].none()
	}
}

func (s *system) Locker(client int) models.Locker {
	s.links[client].none()
	return s.clients.Locker(client)
}

// Leader implements [models.Elected]: the server that became master last, if it runs.
func (s *system) Leader() (server int, ok bool) {
	return s.record.master, s.boxes[s.record.master].host.State() != host.Crashed
}

// Remove implements [models.Remover]: whoever names no server asks the master.
func (s *system) Remove(server, order int) {
	if server == models.AnyServer {
		server = s.record.master
	}
	s.boxes[server].server.Order(order)
}

// nobody is the number of no server.
const nobody = -1
