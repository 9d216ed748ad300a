package advisory

import (
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Messages between the servers. All name the sender's timeline, in Revision, and how far the
// sequence is logged, in Token.
var (
	opPoll = network.NewOp("advisory.poll")
	opPong = network.NewOp("advisory.pong")
	opWAL  = network.NewOp("advisory.wal")
)

// Timers that belong to no session.
const (
	timerPoll = iota
	timerWAL
)

// pollsPerFailover is how often the standby asks in the time after which it takes over.
const pollsPerFailover = 5

// membership is what a server knows of the pair.
type membership struct {
	primary  bool
	fenced   bool // the server is stopped
	attached bool // the other one has answered since this one began to watch, or became the primary
	timeline int64
	heard    clock.Mono // when the other one last answered
}

func (s *server) peer() *server { return s.system.servers[1-s.index] }

// watch begins to watch the other server.
func (s *server) watch() {
	s.cluster.heard = s.host.Mono()
	if f := s.system.config.failover; f > 0 {
		s.host.After(f/pollsPerFailover, timerPoll)
	}
}

func (s *server) peerTimer(tag int) {
	if tag == timerWAL {
		s.ship()
		return
	}
	s.judge(s.host.Mono().Sub(s.cluster.heard))
	if !s.cluster.fenced {
		s.tell(s.peer().host.Addr(), 0, opPoll)
	}
	s.host.After(s.system.config.failover/pollsPerFailover, timerPoll)
}

// judge decides what becomes of a server whose peer is silent. One that has been stopped waits
// for its peer.
func (s *server) judge(silent time.Duration) {
	c, config := &s.cluster, &s.system.config
	switch {
	case c.fenced:
	case !c.primary && silent >= config.failover:
		s.promote()
	case c.primary && c.attached && config.fencing && silent >= config.failover/fencedBefore:
		s.fence()
	}
}

// tell sends the other server a message.
func (s *server) tell(to network.Addr, call uint32, op *network.Op) {
	s.host.Send(to, call, network.Body{Op: op, Revision: s.cluster.timeline, Token: s.sequence.sent})
}

// receivePeer handles a message of the other server. One that has been stopped hears only that
// there is a new primary.
func (s *server) receivePeer(m *network.Message) bool {
	switch m.Op {
	case opPoll, opPong, opWAL:
	default:
		return false
	}
	if m.Revision > s.cluster.timeline {
		s.follow(m)
	}
	if s.cluster.fenced {
		return true
	}
	switch m.Op {
	case opPoll:
		s.tell(m.From, m.Call, opPong)
	case opPong:
		s.cluster.heard, s.cluster.attached = s.host.Mono(), true
	}
	s.replay(m)
	return true
}

// promote makes the standby the primary. No session and no lock comes with that. It misses no
// standby of its own until it has had one.
func (s *server) promote() {
	s.cluster.primary, s.cluster.attached = true, false
	s.cluster.timeline = s.peer().cluster.timeline + 1
	s.system.primary = s.index
	s.system.env.Note(s.host, 0, "failover to "+s.host.Name)
	if old := s.peer(); old.holder != nil && old.host.State() == host.Crashed {
		old.free(history.LostInFailover)
	}
}

// follow makes a server the standby of a primary on a newer timeline. What it has logged itself
// and the other one has not is thrown away (pg_rewind), also what waits to be sent.
func (s *server) follow(m *network.Message) {
	s.cluster = membership{timeline: m.Revision, heard: s.host.Mono()}
	s.sequence = sequenceAt(m.Token)
	s.endAll(history.LostInFailover)
}

// fence stops a primary that has lost its standby, before that can take over.
func (s *server) fence() {
	s.cluster.primary, s.cluster.fenced = false, true
	s.sequence.lagging = nil
	s.system.env.Note(s.host, 0, s.host.Name+" has lost its standby and is stopped")
	s.endAll("fenced")
}

func (s *server) endAll(why string) {
	s.queue = s.queue[:0]
	for len(s.sessions) > 0 {
		s.end(s.sessions[0], why)
	}
}

// Restart implements [host.Restarter]: sessions and locks were in memory. The sequence goes on
// after what was logged. A primary that was stopped is one again, unless it was replaced.
func (s *server) Restart(lost host.Lost) {
	if s.holder != nil {
		s.free(history.Lost)
	}
	s.sessions, s.queue = s.sessions[:0], s.queue[:0]
	if lost == host.LoseEverything {
		s.sequence = sequence{}
	}
	s.sequence = sequenceAt(s.sequence.logged)
	s.cluster = membership{primary: s.system.primary == s.index, timeline: s.cluster.timeline}
	s.watch()
}
