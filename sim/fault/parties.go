package fault

import (
	"slices"

	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// A cause has to know whom a fault struck besides clients: a crash of what the lock protects
// makes no service forget, and a client whose link to one of five servers is cut is not cut off.

// serves reports whether a host is one of the lock's servers.
func (i *Injector) serves(h *host.Host) bool {
	return h != i.crew.Resource && !slices.Contains(i.clients, h)
}

// servers counts the lock's servers for which something is so; nil counts all.
func (i *Injector) servers(so func(h *host.Host) bool) (n int) {
	for _, h := range i.fleet.Hosts {
		if i.serves(h) && (so == nil || so(h)) {
			n++
		}
	}
	return n
}

// most reports whether something is so for more than half of the lock's servers.
func (i *Injector) most(so func(h *host.Host) bool) bool { return 2*i.servers(so) > i.servers(nil) }

// parties is whom a strike reaches besides clients.
func (i *Injector) parties(s *strike) (p history.Parties) {
	stopped := func(h *host.Host) bool { return slices.Contains(s.side, h.ID) }
	if s.host == i.crew.Resource || i.crew.Resource != nil && slices.ContainsFunc(i.clients, func(c *host.Host) bool { return i.links(s, c, i.crew.Resource) }) {
		p |= history.Protected
	}
	if i.servers(stopped) > 0 || i.servers(func(h *host.Host) bool { return i.parted(s, h) }) > 0 {
		p |= history.Service
	}
	if p&history.Service != 0 && i.most(func(h *host.Host) bool { return stopped(h) || h.State() != host.Running }) {
		p |= history.MostServers
	}
	return p
}

// parted reports whether a strike disturbs a server's links to clients or to other servers. Those
// to what the lock protects are no matter.
func (i *Injector) parted(s *strike, server *host.Host) bool {
	return slices.ContainsFunc(i.fleet.Hosts, func(h *host.Host) bool { return h != i.crew.Resource && i.links(s, h, server) })
}

// apart is the clients that a strike parts from more than half of the lock's servers.
func (i *Injector) apart(s *strike) (clients history.Clients) {
	if !s.action.Kind.disturbsLinks() {
		return clients
	}
	for client, on := range i.clients {
		if i.most(func(h *host.Host) bool { return i.links(s, on, h) }) {
			clients.Add(client)
		}
	}
	return clients
}

// links reports whether a strike disturbs the link between two hosts. Only messages to the first
// peer are held back.
func (i *Injector) links(s *strike, a, b *host.Host) bool {
	if !s.action.Kind.disturbsLinks() {
		return false
	}
	peers := s.peers
	if s.action.Kind == Hold {
		peers = peers[:min(1, len(peers))]
	}
	between := func(a, b network.NodeID) bool { return slices.Contains(s.side, a) && slices.Contains(peers, b) }
	return between(a.ID, b.ID) || between(b.ID, a.ID)
}

// held is the effect of the requests of which a strike holds one.
func (i *Injector) held(s *strike) history.Effect {
	switch {
	case s.action.Kind != Hold:
		return history.NoEffect
	case s.action.Op == nil:
		return history.AnyEffect
	case i.crew.Effects == nil:
		return history.NoEffect
	}
	return i.crew.Effects(s.action.Op)
}
