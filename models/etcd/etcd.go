// Package etcd is the lock of etcd's own client library, concurrency.Mutex, on a cluster
// that runs etcd's consensus code. It is version 3.5.13 and later by default; parameters
// give it what earlier ones did, and what an operator can switch on (variants.go).
//
// Servers: a replicated map of lock keys with create revisions, and leases. Grant,
// revoke, the lock transaction and the delete go through raft; the renewal of a lease
// does not. Only the leader's lessor has deadlines (server/lease/lessor.go).
//
// Client: one session per client, made at its first acquire and used again until it is
// lost (client/v3/concurrency/session.go); the key of a lock is the prefix and the
// session's lease, the lock is held by the key with the smallest create revision, and
// everybody else waits for the key right before his own (mutex.go, key.go).
//
// # What the application does
//
// Lock returns an error when the session has expired or a request timed out. So does
// Unlock. A write that was sent is not sent again: the client library repeats reads,
// grants and revocations, but a Txn or a Delete only if it surely was not sent
// (client/v3/retry.go, isSafeRetryMutableRPC). It may still take effect later.
//
// After an error the application closes the session, as the documented usage "defer
// session.Close()" does, and it tries again with a new session, which Acquire does for
// it. That is not only tidy: the key of a lock is named after the session's lease, so a
// late Delete or Txn of an earlier cycle would otherwise hit the key of a later one.
//
// Whether it looks at the session while it works is its own affair. Nothing in the library
// stops it.
//
// # Connections
//
// Client i talks to member i modulo the number of members, and goes on to the next one
// when a request is not answered in time, or its connection is reset. A member that is down
// is silent here, as a machine without power is. A process that dies alone is one whose
// connections are reset as well: requests and watches go on at once. A keepalive that is
// under way does not hear of the reset; it is sent again 500 ms later, as in the source, but
// to the same member, and leaves that after the timeout.
//
// A member that has forwarded a renewal to a silent leader waits for 7 s. That is so on
// a connection that both know, and to a leader whose process alone stands still. A new
// connection to a machine that is down is given up after 2 s, and one is needed after
// 5 s without use (server/etcdserver/api/rafthttp, ConnReadTimeout): there the model
// waits for 5 s too long, and a session may be lost that would survive.
//
// # Left out
//
// Authentication, compaction, the close of a session when its client ends, and the streams
// that a member without a leader ends on its own account
// (server/etcdserver/api/v3rpc/interceptor.go).
//
// TryLock, which takes part in no queue, and the lock service that runs this code on a member
// (server/etcdserver/api/v3lock/lock.go), whose callers keep their lease alive themselves, or
// nobody does. IsOwner is for keys of etcd's own; the token here is for other resources.
//
// Of leases: a new leader with more than 1000 of them spreads their ends (lessor.go, Promote),
// and no run has so many. A pass does not wait for its checkpoints to be committed, several of
// which are one entry in etcd. A renewal whose clearing entry is lost with the leader is
// answered with success after 7 s there, although nobody knows of it (Renew, raftRequestOnce);
// here it goes to the new leader. Everything that a member has applied is in its backend; in
// etcd that commits every 100 ms.
//
// Between a heartbeat that makes raft a follower and the demotion of its lessor, raft hands
// over a revocation of an old leader's also if no disk holds it up. That takes microseconds,
// here nothing.
//
// Also the wait for the applied index before a leader renews, of up to 1 s
// (v3_server.go, waitAppliedIndex; leasehttp/http.go, ServeHTTP). Entries are applied at
// the instant at which they are known to be committed, so there is nothing to wait for.
// A real leader whose apply loop lags by more than a second refuses renewals, and
// sessions are lost that survive here; none is renewed that would not be here.
package etcd

import (
	"time"

	"fencepost/models"
	"fencepost/models/raftkv"
	"fencepost/models/tenure"
	"fencepost/sim/host"
)

// Lock is etcd's mutex.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:    "etcd",
		Summary: "etcd's concurrency.Mutex on a session lease, over the real raft code",
		Sources: []string{
			"etcd-io/etcd, client/v3/concurrency: session.go, mutex.go, key.go",
			"etcd-io/etcd, client/v3/lease.go (keepalive and its deadline)",
			"etcd-io/etcd, server/lease/lessor.go, server/etcdserver: v3_server.go, server.go, raft.go",
			"etcd-io/etcd, issues 11456 (client 3.4), 12528 and 15247 (leader-check off), 9888 (checkpoint)",
			"go.etcd.io/raft/v3 (elections, replication, read index)",
		},
		Promise:      "from the last grant or renewal of the session's lease that a member answered, for the lease's TTL",
		Granted:      "the first member applies the transaction that makes the key the oldest",
		Token:        "create revision of the lock key",
		Removal:      "another client deletes the oldest key (etcdctl del); its lease lives on, and its owner's session with it",
		ServiceClock: "monotonic",
		Durable:      models.Always,
		Renews:       models.Always,
		Disk:         models.Always,
		Notice:       "the session's Done channel closes: on a reply without TTL, or up to 1 s after the client's own deadline",
		Role:         "etcd",
		Servers:      3,
		Leader:       true,
		Params:       params,
		Steps:        steps,
		Takeover:     takeover,
	}
}

// System is etcd in a world.
type System struct {
	env      *models.Env
	cluster  *raftkv.Cluster
	servers  []*server
	clients  []*library
	reporter reporter
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &System{env: e}
	s.reporter = reporter{tenure.New(e, 0), e}
	s.cluster = raftkv.New(e, e.Servers("etcd", e.Params.Int("servers")), timing, func(m *raftkv.Member) raftkv.App {
		srv := &server{member: m, reporter: &s.reporter}
		s.servers = append(s.servers, srv)
		return srv
	})
	for i := range e.Clients {
		s.clients = append(s.clients, &library{system: s, index: i})
	}
	return s
}

// Reset implements [models.System].
func (s *System) Reset() {
	s.reporter.Reset()
	for _, srv := range s.servers {
		srv.requests, srv.readTag, srv.attempts, srv.kept = 0, 0, 0, 0
	}
	s.cluster.Reset()
	for client := range s.clients {
		s.Locker(client)
	}
}

// Locker implements [models.System].
func (s *System) Locker(client int) models.Locker {
	l := s.clients[client]
	*l = library{system: s, index: client, endpoint: client}
	return l
}

// Leader implements [models.Elected].
func (s *System) Leader() (server int, ok bool) { return s.cluster.LeaderIndex() }

// Remove implements [models.Remover].
func (s *System) Remove(server, order int) { s.cluster.Order(server, order) }

// Restart starts a server anew from what it has synced, at once: the outage of a process
// that nobody's connections notice, which tests stage.
func (s *System) Restart(server int) { s.cluster.Members()[server].Restart(host.LoseUnsynced) }

// ttlSeconds is the TTL that a session asks for, in whole seconds.
func ttlSeconds(p models.Params) int64 {
	return int64((p.Duration("ttl") + time.Second - 1) / time.Second)
}

// negotiated is the TTL that the servers make of a request: at least one and a half
// election timeouts, in whole seconds (server/etcdserver/server.go, NewServer,
// minTTL).
func negotiated(seconds int64) time.Duration {
	const minTTL = (3*electionTimeout/2 + time.Second - 1) / time.Second
	return time.Duration(max(seconds, int64(minTTL))) * time.Second
}
