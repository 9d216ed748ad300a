//go:build linux

package live

import (
	"fmt"

	"fencepost/sim/host"
	"fencepost/sim/network"
)

// mirrorLinks sets all links.
func (s *session) mirrorLinks() error {
	for i, client := range s.env.Clients {
		for k, server := range s.hosts {
			there, back, err := s.between(client, server)
			if err != nil {
				return err
			}
			if !s.cluster.servers[k].reachable() {
				there.lost, back.lost = true, true
			}
			s.ways[i][k].set(there, back)
		}
	}
	return s.mirrorPeers()
}

// mirrorPeers sets the links by which servers reach each other. All that reach one share a link to it, so that
// one can be cut off from all others, and no pair alone. What one that is cut off begins itself goes on.
func (s *session) mirrorPeers() error {
	in, out := make([]state, len(s.hosts)), make([]state, len(s.hosts))
	for i := range s.hosts {
		in[i], out[i] = state{lost: true, held: true}, state{lost: true, held: true}
		for k := range s.hosts {
			if k == i {
				continue
			}
			there, back, err := s.between(s.hosts[k], s.hosts[i])
			if err != nil {
				return err
			}
			in[i], out[i] = in[i].and(there), out[i].and(back)
		}
		if len(s.hosts) == 1 {
			in[i], out[i] = state{}, state{}
		}
	}
	for i, server := range s.cluster.servers {
		for k := range i {
			if there, back, _ := s.between(s.hosts[k], s.hosts[i]); there.cut() != (in[i].cut() || out[k].cut()) || back.cut() != (out[i].cut() || in[k].cut()) {
				return fmt.Errorf("%s and %s cannot be cut off from each other alone", s.hosts[k].Name, s.hosts[i].Name)
			}
		}
		if server.peers != nil {
			server.peers.set(in[i], out[i])
		} else if in[i].cut() || out[i].cut() {
			return fmt.Errorf("there is no link to %s that could be cut", s.hosts[i].Name)
		}
	}
	return nil
}

// and is what two states have in common.
func (st state) and(other state) state {
	return state{lost: st.lost && other.lost, held: st.held && other.held}
}

// cut reports whether nothing comes through.
func (st state) cut() bool { return st.lost || st.held }

// between is what befalls what is sent between two hosts, there and back. It fails for what a link cannot do.
func (s *session) between(from, to *host.Host) (there, back state, err error) {
	if there, err = s.oneWay(from, to); err == nil {
		back, err = s.oneWay(to, from)
	}
	return there, back, err
}

func (s *session) oneWay(from, to *host.Host) (st state, err error) {
	for _, r := range s.env.Fleet.Net.InForce(from.ID, to.ID) {
		if what := beyond(r); what != "" {
			return st, fmt.Errorf("what is sent from %s to %s: a link cannot do %s", from.Name, to.Name, what)
		}
		delay, _ := r.Extra.IsConstant()
		st.extra += delay
		st.lost = st.lost || r.Cut && !r.Resend
		st.held = st.held || r.Cut && r.Resend
	}
	if st.lost {
		return state{lost: true}, nil // whatever else is done to it
	}
	return st, nil
}

// beyond says what of a rule a link cannot do; empty if it can do all.
func beyond(r *network.Rule) string {
	_, constant := r.Extra.IsConstant()
	switch {
	case r.Op != nil || r.Port != 0:
		return "something to some messages alone"
	case r.Existing:
		return "something to the connections that exist alone"
	case r.Cut:
		return ""
	case !r.Loss.Never():
		return "away with a share of the messages"
	case !r.Duplicate.Never():
		return "a message twice"
	case r.BytesPerSecond != 0:
		return "with a bandwidth"
	case !constant:
		return "a delay that is drawn"
	}
	return ""
}
