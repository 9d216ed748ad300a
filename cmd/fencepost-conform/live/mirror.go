//go:build linux

package live

import (
	"fmt"
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/host"
)

// mirrored is what has been done to real processes so far.
type mirrored struct {
	servers, clients []host.State
	lives            []uint32        // incarnations of servers
	first, ahead     []time.Duration // by how much clocks were ahead at first, and are more than that: servers', then clients'
}

func newMirrored(servers, clients int) mirrored {
	return mirrored{servers: make([]host.State, servers), clients: make([]host.State, clients), lives: make([]uint32, servers), ahead: make([]time.Duration, servers+clients)}
}

// mirror does to real processes and links what has befallen simulated ones since it was last called, or fails the
// run if it cannot.
func (s *session) mirror() {
	s.bridge.fail(s.mirrorClocks())
	crashed := make([]bool, len(s.hosts))
	for i, h := range s.hosts {
		crashed[i] = h.Incarnation() != s.done.lives[i]
		if crashed[i] {
			s.cluster.servers[i].silent() // before it is killed: a machine without power resets no connection
		}
	}
	s.bridge.fail(s.mirrorLinks())
	for i, h := range s.hosts {
		s.bridge.fail(s.mirrorServer(i, h, crashed[i]))
	}
	for i, h := range s.env.Clients {
		s.bridge.fail(s.mirrorClient(i, h))
	}
}

// mirrorClocks moves the wall clocks of servers. All else that a clock may do nobody can do to a process.
func (s *session) mirrorClocks() error {
	hosts := append(s.hosts[:len(s.hosts):len(s.hosts)], s.env.Clients...)
	for i, h := range hosts {
		if s.done.first == nil || len(s.done.first) < len(hosts) {
			s.done.first = append(s.done.first, aheadOf(h))
		}
		ahead := aheadOf(h) - s.done.first[i]
		if s.done.ahead[i] == ahead {
			continue
		}
		if i >= len(s.hosts) || s.cluster.servers[i].clock == nil {
			return fmt.Errorf("the clock of %s cannot be moved", h.Name)
		}
		s.done.ahead[i] = ahead
		s.cluster.servers[i].clock.set(ahead)
		if err := goesBy(s.cluster.servers[i], ahead); err != nil {
			return err
		}
	}
	return nil
}

// aheadOf is how far a host's wall clock is ahead of one that has always been right.
func aheadOf(h *host.Host) time.Duration {
	var right clock.Clock
	now := h.World().Now()
	return time.Duration(h.Clock.Wall(now) - right.Wall(now))
}

// mirrorServer has a server crash, start, stand still or go on. One that crashes is stopped, and killed when it
// comes back: nobody is to hear of its end before.
func (s *session) mirrorServer(i int, h *host.Host, crashed bool) error {
	server, was, is := s.cluster.servers[i], s.done.servers[i], h.State()
	s.done.servers[i], s.done.lives[i] = is, h.Incarnation()
	switch {
	case crashed && is == host.Crashed:
		return server.each(freeze)
	case crashed:
		server.kill()
		go s.startAgain(server, server.current())
	case is == was:
	case is == host.Running:
		return server.each(thaw)
	case was == host.Running:
		return server.each(freeze)
	}
	return nil
}

// startAgain starts a server that has crashed, when it is to start: a restart-delay is kept by who starts
// it, since Redis has none. Until it answers nobody hears of it.
func (s *session) startAgain(server *server, life int) {
	if s.params.Has("restart-delay") {
		select {
		case <-time.After(s.params.Duration("restart-delay")):
		case <-s.ctx.Done():
			return
		}
	}
	s.bridge.tell(news{err: server.start(s.ctx, life)})
}

// mirrorClient has a worker crash, stand still or go on. One that starts anew is started when its library is
// first asked for.
func (s *session) mirrorClient(i int, h *host.Host) error {
	was, is, worker := s.done.clients[i], h.State(), s.players[i]
	if was == is {
		return nil
	}
	s.done.clients[i] = is
	switch {
	case is == host.Crashed:
		worker.stop()
		s.players[i] = nil
	case was == host.Crashed:
	case is == host.Running:
		return thaw(worker.program)
	case was == host.Running:
		return freeze(worker.program)
	}
	return nil
}
