package consul

import (
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// The gossip's failure detector, with the times for a local network
// (hashicorp/memberlist, config.go, DefaultLANConfig).
const (
	// probeInterval is how often every node probes another one, in turn. Of n nodes each is
	// probed about once in it, by somebody.
	probeInterval = time.Second
	// probeTimeout is when a probe without an answer is repeated by way of others, for
	// the rest of the interval.
	probeTimeout = 500 * time.Millisecond
	// indirectChecks is how many others are asked for that.
	indirectChecks = 3
	// suspicion is how long a node is suspect before it counts as failed: four intervals,
	// in a cluster of up to ten nodes that agree (SuspicionMult; util.go,
	// suspicionTimeout; suspicion.go).
	suspicion = 4 * probeInterval
)

// gossip is what the leader knows of the clients' agents. It stands for the whole
// cluster's gossip: the leader alone probes, as often as all together would, and has the
// other servers probe for it when an agent does not answer. It tells the catalogue what
// becomes of a node, which is the leader's own task (agent/consul/leader.go,
// handleFailedMember, handleAliveMember).
type gossip struct {
	running bool
	round   int64
	agents  []agentState
}

// agentState is one agent as the leader sees it.
type agentState struct {
	answered  bool // this round's probe
	suspect   bool
	suspected clock.Mono // when it became that
	visible   bool       // a fault of its links could be told from how they always are
}

func (g *gossip) forget() { g.running = false }

// startGossip begins to probe; a new leader suspects nobody.
func (s *server) startGossip() {
	if !s.checksSerf() || s.gossip.running {
		return
	}
	agents := s.gossip.agents[:0]
	for node := range s.system.env.Clients {
		agents = append(agents, agentState{visible: s.reaches(node)})
	}
	s.gossip = gossip{running: true, round: s.gossip.round, agents: agents}
	s.probeAll()
}

// probe ends a round of probes and begins the next.
func (s *server) probe() {
	if !s.gossip.running {
		return
	}
	for node := range s.gossip.agents {
		if s.gossip.agents[node].answered || s.answersBeside(node) {
			s.heard(node)
		} else {
			s.missed(node)
		}
	}
	s.probeAll()
}

func (s *server) probeAll() {
	s.gossip.round++
	for node := range s.gossip.agents {
		s.gossip.agents[node].answered = false
		s.member.Host().Send(s.agent(node), 0, network.Body{Op: OpProbe, Key: int64(node), Value: s.gossip.round})
	}
	s.member.After(probeInterval, timerProbe)
	s.member.After(probeTimeout, timerIndirect)
}

func (s *server) agent(node int) network.Addr { return s.system.env.Clients[node].Addr() }

// probeIndirectly asks other servers to probe the agents that have not answered. Time's
// other half of the round is theirs.
func (s *server) probeIndirectly() {
	if !s.gossip.running {
		return
	}
	for node := range s.gossip.agents {
		if s.gossip.agents[node].answered || s.answersBeside(node) {
			continue
		}
		asked := 0
		for _, m := range s.system.cluster.Members() {
			if m != s.member && asked < indirectChecks {
				asked++
				s.member.Send(m, 0, network.Body{Op: OpIndirect, Key: int64(node), Value: s.gossip.round})
			}
		}
	}
}

// gossiped takes a message of the gossip.
func (s *server) gossiped(m network.Message) {
	switch m.Op {
	case OpIndirect: // the agent's answer comes back to this server, which passes it on
		s.member.Host().Send(s.agent(int(m.Key)), 0, network.Body{Op: OpProbe, Key: m.Key, Value: m.Value, Token: int64(m.From.Node) + 1})
	case OpAck:
		if m.Token != 0 {
			s.passAck(m)
			return
		}
		s.acked(m)
	case OpIndirectAck:
		s.acked(m)
	}
}

// passAck passes an answer on to the server that has asked for it.
func (s *server) passAck(m network.Message) {
	for _, asker := range s.system.cluster.Members() {
		if int64(asker.Host().ID)+1 == m.Token {
			s.member.Send(asker, 0, network.Body{Op: OpIndirectAck, Key: m.Key, Value: m.Value})
		}
	}
}

func (s *server) acked(m network.Message) {
	if s.gossip.running && m.Value == s.gossip.round {
		s.gossip.agents[m.Key].answered = true
	}
}

// heard takes back a suspicion: the agent learns of it with the probe, and refutes it. A
// node that counted as failed joins again.
func (s *server) heard(node int) {
	s.gossip.agents[node].suspect = false
	if s.store.critical[node] {
		s.submit(command{kind: reviveNode, subject: int64(node)}, pending{})
	}
}

// missed suspects an agent, or has had enough of that.
func (s *server) missed(node int) {
	a, now := &s.gossip.agents[node], s.member.Now()
	switch {
	case !a.suspect:
		a.suspect, a.suspected = true, now
	case now >= a.suspected.Add(suspicion) && !s.store.critical[node]:
		s.submit(command{kind: failNode, subject: int64(node)}, pending{})
	}
}

// answersBeside reports whether the agent of a client whose process stands still answers
// nevertheless, because it is a process of its own: then what stands still is a program
// that collects garbage, waits for a page or has used up its quota, and not the machine. The
// host of the simulator is both, so the probe lies there unanswered; that the agent's
// answer would get through is seen from the links.
func (s *server) answersBeside(node int) bool {
	if s.system.env.Params.Choice("agent") != agentOwnProcess {
		return false
	}
	h := s.system.env.Clients[node]
	if h.State() != host.Paused && h.State() != host.Throttled {
		return false
	}
	return !s.gossip.agents[node].visible || s.reaches(node)
}

// reaches reports whether nothing acts on the links between some server and a client.
func (s *server) reaches(node int) bool {
	client, net := s.system.env.Clients[node].ID, s.system.env.Fleet.Net
	for _, m := range s.system.cluster.Members() {
		id := m.Host().ID
		if m.Host().State() == host.Running && net.Quiet(id, client, OpProbe) && net.Quiet(client, id, OpAck) {
			return true
		}
	}
	return false
}

// agent is a client's agent as far as the gossip knows it: it answers probes for as long as
// its host runs. The rest of it is in connection.go.
type agent struct{ host *host.Host }

// Receive implements [host.Server].
func (a *agent) Receive(m *network.Message) {
	if m.Op == OpProbe {
		a.host.Reply(m, network.Body{Op: OpAck, Key: m.Key, Value: m.Value, Token: m.Token})
	}
}

// Timer implements [host.Server].
func (a *agent) Timer(int) {}
