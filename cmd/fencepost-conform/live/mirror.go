//go:build linux

package live

import (
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/host"
)

// mirrored is what has been done to real processes so far.
type mirrored struct {
	servers, clients []host.State
	lives            []uint32        // incarnations of servers
	first, ahead     []time.Duration // by how much their wall clocks were ahead at first, and are more than that
}

func newMirrored(servers, clients int) mirrored {
	return mirrored{servers: make([]host.State, servers), clients: make([]host.State, clients), lives: make([]uint32, servers), ahead: make([]time.Duration, servers)}
}

// mirror does to real processes and links what has befallen simulated ones since it was last called.
func (s *session) mirror() {
	if s.done.first == nil {
		for _, h := range s.hosts {
			s.done.first = append(s.done.first, aheadOf(h))
		}
	}
	for i, h := range s.hosts {
		s.bridge.fail(s.mirrorServer(i, h))
	}
	for i, h := range s.env.Clients {
		s.bridge.fail(s.mirrorClient(i, h))
		for k, server := range s.hosts {
			there, back := s.stateOf(h, server), s.stateOf(server, h)
			if !s.cluster.servers[k].answering.Load() {
				there.lost, back.lost = true, true // a machine without power says nothing, and its kernel neither
			}
			s.bridge.fail(s.ways[i][k].set(s.ctx, there, back))
		}
	}
	for i, server := range s.cluster.servers {
		if server.peers != nil {
			in, out := s.stateOfPeers(i)
			s.bridge.fail(server.peers.set(s.ctx, in, out))
		}
	}
}

// mirrorServer has a server crash, start, stand still or go on, and moves its clock. A machine that loses its
// power resets no connection: so its programs are stopped, and killed when it comes back.
func (s *session) mirrorServer(i int, h *host.Host) error {
	server, was, is := s.cluster.servers[i], s.done.servers[i], h.State()
	if ahead := aheadOf(h) - s.done.first[i]; server.clock != nil && s.done.ahead[i] != ahead {
		s.done.ahead[i] = ahead
		server.clock.set(ahead)
	}
	crashed := h.Incarnation() != s.done.lives[i]
	s.done.servers[i], s.done.lives[i] = is, h.Incarnation()
	switch {
	case crashed && is == host.Crashed:
		return server.silence()
	case crashed:
		server.kill()
		go s.startAgain(server)
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
func (s *session) startAgain(server *server) {
	if s.params.Has("restart-delay") {
		select {
		case <-time.After(s.params.Duration("restart-delay")):
		case <-s.ctx.Done():
			return
		}
	}
	err := server.start()
	if err == nil {
		err = s.cluster.ready(s.ctx, server)
	}
	s.bridge.tell(news{err: err})
}

// aheadOf is how far a host's wall clock is ahead of one that has always been right.
func aheadOf(h *host.Host) time.Duration {
	var right clock.Clock
	now := h.World().Now()
	return time.Duration(h.Clock.Wall(now) - right.Wall(now))
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

// stateOf is what befalls what one host sends to another.
func (s *session) stateOf(from, to *host.Host) (st state) {
	for _, r := range s.env.Fleet.Net.InForce(from.ID, to.ID) {
		switch {
		case r.Cut && r.Resend:
			st.held = true
		case r.Cut:
			st.lost = true
		default:
			delay, _ := r.Extra.IsConstant()
			st.extra += delay
		}
	}
	return st
}

// stateOfPeers is what befalls what comes from other servers by a server's link, which they share, and its
// answers: what befalls all of them.
func (s *session) stateOfPeers(i int) (in, out state) {
	in, out = state{lost: true, held: true}, state{lost: true, held: true}
	for k, other := range s.hosts {
		if k != i {
			in, out = in.and(s.stateOf(other, s.hosts[i])), out.and(s.stateOf(s.hosts[i], other))
		}
	}
	return in, out
}

// and is what two states have in common; delays are of links to clients alone.
func (st state) and(other state) state {
	return state{lost: st.lost && other.lost, held: st.held && other.held}
}
