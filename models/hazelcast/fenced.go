package hazelcast

import (
	"fencepost/models"
	"fencepost/models/raftkv"
	"fencepost/models/tenure"
)

// fenced is FencedLock in a world.
type fenced struct {
	env      *models.Env
	cluster  *raftkv.Cluster
	servers  []*server
	clients  []*proxy
	reporter reporter
}

func buildFenced(e *models.Env) models.System {
	s := &fenced{env: e}
	s.reporter = reporter{tenure.New(e, granularity), e}
	s.cluster = raftkv.New(e, e.Servers("hazelcast", e.Params.Int("servers")), timingOf(e.Params), func(m *raftkv.Member) raftkv.App {
		srv := &server{member: m, reporter: &s.reporter, ttl: e.Params.Duration("ttl"), interval: e.Params.Duration("heartbeat")}
		s.servers = append(s.servers, srv)
		return srv
	})
	for range e.Clients {
		s.clients = append(s.clients, &proxy{system: s})
	}
	return s
}

// Reset implements [models.System].
func (s *fenced) Reset() {
	s.reporter.Reset()
	s.cluster.Reset()
	for i, c := range s.clients {
		*c = proxy{system: s, target: i, random: s.env.Stream("hazelcast.client", i)}
	}
}

// Locker implements [models.System].
func (s *fenced) Locker(client int) models.Locker {
	l := s.clients[client]
	*l = proxy{system: s, target: client, random: l.random}
	return l
}

// Remove implements [models.Remover].
func (s *fenced) Remove(server, order int) { s.cluster.Order(server, order) }

// Leader implements [models.Elected].
func (s *fenced) Leader() (server int, ok bool) { return s.cluster.LeaderIndex() }
