// Package consul is the lock of Consul's Go client, api.Lock, on a session and a key of
// three servers.
package consul

import (
	"fencepost/models"
	"fencepost/models/raftkv"
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
		ServiceClock: "monotonic",
		Durable:      models.Always,
		Disk:         models.Always,
		Notice:       "the channel that Lock returns closes when a blocking read shows another holder or fails",
		Role:         "consul",
		Servers:      3,
		Leader:       true,
		Params:       params,
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
	s.reporter.env = e
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
	s.reporter.reset()
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
	*l = library{index: client}
	l.connection = connection{system: s, random: &s.random[client], server: client}
	l.since = s.env.Clients[client].Mono().Add(-l.random.Between(0, keepAlive))
	return l
}

// Leader implements [models.Elected].
func (s *System) Leader() (server int, ok bool) {
	if m := s.cluster.Leader(); m != nil {
		return int(m.ID) - 1, true
	}
	return 0, false
}
