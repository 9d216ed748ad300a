package fault

import (
	"slices"

	"fencepost/sim/host"
	"fencepost/sim/network"
)

// findPeers finds the other ends of the links that a strike disturbs: those that the
// action names, or all other hosts. For a split the target and the peers are one side,
// and everybody else is the other.
func (i *Injector) findPeers(s *strike) {
	s.side = append(s.side, s.host.ID)
	pick := i.stream("fault.peers", s.fault, s.number)
	for _, t := range s.action.Peers {
		h, _ := t.Find(&pick)
		// A drawn peer is another host than the target; one that is none, or that has its
		// role without a draw, gives up after a while.
		for n := 0; h != nil && slices.Contains(s.side, h.ID) && n < 32; n++ {
			h, _ = t.Find(&pick)
		}
		if h == nil || slices.Contains(s.side, h.ID) || slices.Contains(s.peers, h.ID) {
			continue // a role that nobody has now, or that the target itself has
		}
		if s.action.Kind == Split {
			s.side = append(s.side, h.ID)
		} else {
			s.peers = append(s.peers, h.ID)
		}
	}
	if len(s.action.Peers) > 0 && s.action.Kind != Split {
		return
	}
	for _, h := range i.fleet.Hosts {
		if !slices.Contains(s.side, h.ID) {
			s.peers = append(s.peers, h.ID)
		}
	}
}

// impose puts a rule on each link between the two sides.
func impose(i *Injector, s *strike) {
	d := &s.action.Network
	if d.Direction != In {
		s.rules = network.OneWay(s.rules, d.Rule, s.side, s.peers)
	}
	if d.Direction != Out {
		s.rules = network.OneWay(s.rules, d.Rule, s.peers, s.side)
	}
	for k := range s.rules { // none moves any more
		i.fleet.Net.Impose(&s.rules[k])
	}
}

func lift(i *Injector, s *strike) {
	for k := range s.rules {
		i.fleet.Net.Lift(&s.rules[k])
	}
}

// touched: some message fared differently.
func touched(s *strike) bool {
	for k := range s.rules {
		if s.rules[k].Touched > 0 {
			return true
		}
	}
	return false
}

// beginReset breaks the connections between the target and its peers; of a client that
// shares its host, only its own.
func beginReset(i *Injector, s *strike) {
	port := i.portOf(s)
	for _, peer := range s.peers {
		if i.fleet.Net.Break(s.host.ID, peer, port) > 0 {
			s.changed = true
		}
	}
}

// beginHold keeps back the next message of the host to its first peer.
func beginHold(i *Injector, s *strike) {
	if len(s.peers) == 0 {
		return
	}
	s.hold = network.Hold{From: s.host.ID, To: s.peers[0], Op: s.action.Op, Until: s.until, Port: i.portOf(s)}
	i.fleet.Net.Hold(&s.hold)
}

func endHold(i *Injector, s *strike) { i.fleet.Net.Release(&s.hold) }

// caught: the hold kept a message back.
func caught(s *strike) bool { return s.hold.Caught > 0 }

// portOf is the port of the client that a strike is aimed at, where others live on its host; 0 is
// every process there, such as one that renews for the client.
func (i *Injector) portOf(s *strike) int16 {
	if s.client < 0 || !i.shares(s.host) {
		return 0
	}
	if p := s.host.Process(i.names[s.client]); p != nil {
		return p.Port()
	}
	return 0
}

// shares reports whether several clients live on a host.
func (i *Injector) shares(h *host.Host) bool {
	clients := 0
	for _, on := range i.clients {
		if on == h {
			clients++
		}
	}
	return clients > 1
}
