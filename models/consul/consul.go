// Package consul is the lock of Consul's Go client, api.Lock, on a key that a session of
// three servers holds.
//
// Servers: sessions, the key and the health of nodes go through raft. What ends a session by
// itself is the leader's: a timer in its memory of twice the TTL, set at the creation of the
// session and at each renewal, which does not go through raft, and set anew in full by a new
// leader (agent/consul/session_ttl.go). The documentation promises the TTL alone. Whatever
// ends a session takes its key away, and then nobody may have that for the lock-delay,
// which is in each server's memory, counted from its own apply (state/session.go,
// state/delay_ce.go). The leader alone asks for it, before it proposes an acquire
// (kvs_endpoint.go, kvsPreApply), so one that is in the log already gets by. A key that is
// released has no delay.
//
// A session is also bound to serfHealth, the gossip's opinion of the node on which it was
// made, unless its maker says otherwise. A node that answers no probe for some 6 s loses its
// sessions, however long their TTL is (leader.go, handleFailedMember).
//
// Client: each Lock makes a session, which a process of its own renews every half of the TTL
// (api/session.go, RenewPeriodic). It waits for the key with blocking reads and takes it. A
// refusal of a key that is free is a lock-delay, for which it sleeps for 5 s. After that a
// monitor reads the key, blocking and consistent, and closes the channel that Lock has
// returned when the session does not hold the key or a read fails (api/lock.go). There is no
// local deadline.
//
// # Tokens
//
// The key's LockIndex rises with each holder, until a session with behavior: delete takes
// the key along: then it begins again at 1. The key's ModifyIndex, an index of the log, does
// not go back. PUT with acquire answers true or false only; an application that fences
// reads the key after that, or acquires with the verb lock of a transaction, which returns the
// entry (api/kv.go, KVLock). The model's acquire returns it.
//
// # Agents
//
// A client's process talks to the agent on its machine, which is a process of its own and
// forwards to one server; client i's to server i modulo their number. Servers that do not lead
// forward to the leader, reads included. The model's agent is a part of the client's host,
// so that whatever cuts the client off cuts its agent off. Two things follow:
//
//   - A connection that falls silent counts as dead when a keepalive of its multiplexer is not
//     answered, every 30 s and for 10 s. Until then all requests on it hang, those that a
//     server has forwarded to a leader that is no more like others (hashicorp/consul issue
//     9788 shows it in a log). A request that fails is tried again by the agent where that is
//     safe.
//   - What a pause of a client's host stops is a question that the parameter agent answers.
//     With own-process it stops the client's process alone, as a collection of garbage does,
//     and the agent beside it still answers the gossip's probes; a machine that sleeps or
//     crashes takes it along. With same-host a pause stops the machine, as a hypervisor
//     does, and a long one costs the session, by its check.
//
// # What the application does
//
// When Lock returns an error it calls Lock again, with a new session, after 5 s. While it works
// it waits for the channel to close, for which the check timer stands; how soon it looks at the
// channel is the scenario's affair. With deadline: ttl it also stops when no renewal was
// answered for a TTL, as one that renews by itself can.
//
// # Left out
//
// The leader's lease: a leader that is cut off steps down after 2.5 s, where raft's
// check-quorum takes 5 to 10 s. It answers renewals and plain reads for so much longer here,
// which no promise rests on, since its successor's timers run for twice the TTL.
//
// A leader whose disk stalls. Consul's goes on sending heartbeats, from goroutines of their own,
// and leads on while all writes hang (hashicorp/raft, replication.go, heartbeat; its issue 503).
// Here consensus is etcd's, whose loop stands still with the disk: another server is elected,
// the old leader goes on renewing sessions for as long as the stall lasts, and they expire at
// its successor. Stalls of more than an election timeout are etcd's here and not Consul's.
//
// The gossip is the leader's alone. It probes each agent once a second, which is what each of
// the nodes does to another one in turn, and lets other servers probe for it. Left out are
// agents that probe each other and vouch for a client that no server reaches; confirmations,
// without which a suspicion may last up to 24 s; more than ten nodes, with which it lasts
// longer; an overloaded node's patience with itself (Lifeguard); and what a new leader's
// gossip knew before.
//
// An agent knows by gossip which servers are down, and says at once that there are none
// when it is cut off; here it passes over servers that have crashed, and tries to reach one
// for 10 s when it is cut off. Servers are not told when a connection is reset, so that
// the crash of a leader is always that of its machine.
//
// Sessions that are made at a server instead of an agent, whose node is the server
// (hashicorp/consul issue 20424), checks of services, changes of the TTL by the servers,
// transactions, ACLs, several datacenters, snapshots (but for the parameter restore), and
// raft's leadership transfer.
package consul

import (
	"fencepost/models"
	"fencepost/models/raftkv"
	"fencepost/models/tenure"
	"fencepost/sim/rng"
)

// Lock is Consul's lock.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:    "consul",
		Summary: "Consul's api.Lock: a key held by a session, which serfHealth or its TTL ends",
		Sources: []string{
			"hashicorp/consul, api: lock.go, session.go",
			"hashicorp/consul, agent/consul: session_ttl.go, session_endpoint.go, kvs_endpoint.go, rpc.go, client.go, leader.go",
			"hashicorp/consul, agent/consul/state: session.go, kvs.go, delay_ce.go",
			"hashicorp/memberlist, config.go, state.go, suspicion.go (DefaultLANConfig)",
			"Consul documentation, Sessions and distributed locks overview",
		},
		Promise:      "from the creation of the session, or its last renewal that a server answered, for the TTL: the documented contract, of which Consul keeps the double, and without the lock-delay",
		Granted:      "the first server applies the acquire",
		Token:        "LockIndex of the key, or its ModifyIndex with token: modify-index",
		Removal:      "the session that holds the key is destroyed, by an operator (PUT /v1/session/destroy) or with its node (a dead server that is cleaned up): the key is released or deleted, and the lock-delay applies",
		ServiceClock: "monotonic",
		Durable:      models.Always,
		Renews:       models.Always,
		Disk:         models.Always,
		Check:        "timer",
		Notice:       "the channel that Lock returns closes when a blocking read shows that the session does not hold the key, or fails",
		Role:         "consul",
		Servers:      3,
		Leader:       true,
		Params:       params,
		Validate:     validate,
		Steps:        steps,
		Takeover:     takeover,
	}
}

// System is Consul in a world.
type System struct {
	env      *models.Env
	cluster  *raftkv.Cluster
	servers  []*server
	clients  []*library
	random   []rng.Stream // of the clients' agents
	reporter reporter
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &System{env: e, random: make([]rng.Stream, len(e.Clients))}
	s.reporter = reporter{Record: tenure.New(e, 0), env: e}
	hosts := e.Servers("consul", e.Params.Int("servers"))
	s.cluster = raftkv.New(e, hosts, timing(e.Params.Int("raft-multiplier")), func(m *raftkv.Member) raftkv.App {
		srv := &server{system: s, member: m}
		s.servers = append(s.servers, srv)
		return srv
	})
	for _, h := range e.Clients {
		s.clients = append(s.clients, &library{})
		h.Server = &agent{host: h}
	}
	return s
}

// Reset implements [models.System].
func (s *System) Reset() {
	s.reporter.Reset()
	for _, srv := range s.servers {
		srv.reset()
	}
	s.cluster.Reset()
	for client := range s.clients {
		s.random[client] = s.env.Stream("consul.agent", client)
		s.Locker(client)
	}
}

// Locker implements [models.System]. The agent was there before the client's process: where
// its connection is between two keepalives is drawn.
func (s *System) Locker(client int) models.Locker {
	l := s.clients[client]
	*l = library{index: client, renewers: threads{name: "renew"}, monitors: threads{name: "monitor"}}
	l.connection = connection{system: s, random: &s.random[client], server: client}
	l.since = s.env.Clients[client].Mono().Add(-l.random.Between(0, keepAlive))
	return l
}

// Remove implements [models.Remover].
func (s *System) Remove(server, order int) { s.cluster.Order(server, order) }

// Leader implements [models.Elected].
func (s *System) Leader() (server int, ok bool) { return s.cluster.LeaderIndex() }
