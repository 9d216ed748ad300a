//go:build linux

package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"fencepost/models"
	"fencepost/sim/host"
)

// session is the real servers and workers of one run, and the simulated hosts that they go along with.
type session struct {
	ctx     context.Context
	late    time.Duration // by how much the world may be behind real time
	rig     *rig
	params  models.Params
	cluster *cluster
	ways    [][]*link // by client and server
	reach   [][]string
	players []*player // by client; nil is one that does not run

	env    *models.Env
	bridge *bridge
	hosts  []*host.Host // of servers
	done   mirrored
}

// newSession starts servers, links and workers.
func newSession(ctx context.Context, dir string, r *rig, p models.Params, clients int, o setup, late time.Duration) (s *session, err error) {
	s = &session{ctx: ctx, late: late, rig: r, params: p, cluster: newCluster(filepath.Join(dir, "servers")), players: make([]*player, clients)}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	if err := os.MkdirAll(s.cluster.dir, 0o755); err != nil {
		return s, err
	}
	if err := r.serve(s.cluster, p, o); err != nil {
		return s, err
	}
	if err := s.cluster.start(ctx); err != nil {
		return s, err
	}
	for range clients {
		if err := s.connect(); err != nil {
			return s, err
		}
	}
	for i := range clients {
		if err := s.startPlayer(i); err != nil {
			return s, err
		}
	}
	s.done = newMirrored(len(s.cluster.servers), clients)
	return s, nil
}

// watch ends the run if a server ends by itself.
func (s *session) watch() {
	select {
	case err := <-s.cluster.deaths:
		s.bridge.tell(news{err: err})
	case <-s.ctx.Done():
	}
}

// connect gives a client links to all servers.
func (s *session) connect() error {
	var ways []*link
	var reach []string
	for _, server := range s.cluster.servers {
		way, address, err := s.cluster.links.to(server.address)
		if err != nil {
			return err
		}
		ways, reach = append(ways, way), append(reach, address)
	}
	s.ways, s.reach = append(s.ways, ways), append(s.reach, reach)
	return nil
}

// first is the server that a client is to try first: as in the model, where the servers' first leader is the first
// of them, client 1 begins with it and the others with those that follow.
func (s *session) first(client int) int {
	leader := 0
	if s.cluster.leader != nil {
		leader, _ = s.cluster.leader()
	}
	return (leader + client) % len(s.cluster.servers)
}

// startPlayer starts the worker of a client.
func (s *session) startPlayer(client int) (err error) {
	o := outfit{Library: s.rig.library, First: s.first(client), Servers: s.reach[client], Params: s.params}
	for _, server := range s.cluster.servers {
		if server.sentinel != "" {
			o.Sentinels = append(o.Sentinels, server.sentinel)
			o.Announced = append(o.Announced, server.announced)
		}
	}
	s.players[client], err = newPlayer(s.ctx, fmt.Sprintf("client %d", client+1), o)
	return err
}

// stop ends all processes.
func (s *session) stop() {
	for _, p := range s.players {
		if p != nil {
			p.stop()
		}
	}
	s.cluster.stop()
}
