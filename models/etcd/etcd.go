// Package etcd is the lock of etcd's own client library, concurrency.Mutex of version
// 3.5 and later, on a cluster that runs etcd's consensus code.
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
// # Connections
//
// Client i talks to member i modulo the number of members, and goes on to the next one
// when a request is not answered in time. A member that is down is silent here, as a
// machine without power is, and stays down; a process that dies alone would reset its
// connections, and its clients would go on at once.
//
// A member that has forwarded a renewal to a silent leader waits for 7 s. That is so on
// a connection that both know, and to a leader whose process alone stands still. A new
// connection to a machine that is down is given up after 2 s, and one is needed after
// 5 s without use (server/etcdserver/api/rafthttp, ConnReadTimeout): there the model
// waits for 5 s too long, and a session may be lost that would survive.
//
// # Left out
//
// Lease checkpoints (off by default), the limit of 1000 revocations a second,
// authentication, compaction, the close of a session when its client ends, and the
// streams that a member without a leader ends on its own account
// (server/etcdserver/api/v3rpc/interceptor.go).
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
	"fencepost/sim/history"
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
			"go.etcd.io/raft/v3 (elections, replication, read index)",
		},
		Promise:      "from the last grant or renewal of the session's lease that a member answered, for the lease's TTL",
		Granted:      "the first member applies the transaction that makes the key the oldest",
		Token:        "create revision of the lock key",
		ServiceClock: "monotonic",
		Durable:      models.Always,
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
	s.reporter.env = e
	s.cluster = raftkv.New(e, e.Servers("etcd", e.Params.Int("servers")), raftkv.Etcd, func(m *raftkv.Member) raftkv.App {
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
	s.reporter.reset()
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
func (s *System) Leader() (server int, ok bool) {
	if m := s.cluster.Leader(); m != nil {
		return int(m.ID) - 1, true
	}
	return 0, false
}

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
	const minTTL = (3*raftkv.ElectionTimeout/2 + time.Second - 1) / time.Second
	return time.Duration(max(seconds, int64(minTTL))) * time.Second
}

// note puts a remark into the record.
func note(e *models.Env, h *host.Host, hold history.HoldID, text string) {
	e.Recorder.Add(history.Record{Kind: history.Note, Hold: hold, Local: time.Duration(h.Mono()), Text: text})
}
