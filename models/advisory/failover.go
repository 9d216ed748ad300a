package advisory

import (
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Messages between the servers.
var (
	opPoll = network.NewOp("advisory.poll") // Revision is the sender's timeline
	opPong = network.NewOp("advisory.pong") // the same, and in Token how far the sequence is logged
	opWAL  = network.NewOp("advisory.wal")  // Token is how far the sequence is logged
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
	timeline int64
	heard    clock.Mono // when the other one last answered
}

// sequence is the counter for tokens. PostgreSQL logs 32 values ahead, so that it skips
// some and repeats none after a crash (src/backend/commands/sequence.c, SEQ_LOG_VALS); what
// stands for it in MySQL, a row with a counter, logs each value.
type sequence struct {
	last    int64
	logged  int64
	lagging []int64 // logged and not sent to the standby yet
	sent    int64
}

const logAhead = 32

func (s *server) next() int64 {
	q := &s.sequence
	if q.last++; q.last > q.logged {
		q.logged = q.last
		if !s.system.config.mysql {
			q.logged += logAhead
		}
		q.lagging = append(q.lagging, q.logged)
		s.host.After(s.system.config.replicationLag, timerWAL)
	}
	return q.last
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
		q := &s.sequence
		q.sent, q.lagging = q.lagging[0], q.lagging[1:]
		s.host.Send(s.peer().host.Addr(), 0, network.Body{Op: opWAL, Token: q.sent})
		return
	}
	f := s.system.config.failover
	if !s.cluster.primary && s.host.Mono().Sub(s.cluster.heard) >= f {
		s.promote()
	}
	s.host.Send(s.peer().host.Addr(), 0, network.Body{Op: opPoll, Revision: s.cluster.timeline})
	s.host.After(f/pollsPerFailover, timerPoll)
}

// receivePeer handles a message of the other server.
func (s *server) receivePeer(m *network.Message) bool {
	switch m.Op {
	case opPoll:
		if s.cluster.primary && m.Revision > s.cluster.timeline {
			s.demote(m.Revision)
		}
		s.host.Reply(m, network.Body{Op: opPong, Revision: s.cluster.timeline, Token: s.sequence.sent})
	case opPong:
		s.cluster.heard = s.host.Mono()
		s.replay(m)
	case opWAL:
		s.replay(m)
	default:
		return false
	}
	return true
}

// replay applies what a primary has logged.
func (s *server) replay(m *network.Message) {
	if !s.cluster.primary && m.Token > s.sequence.logged {
		s.sequence = sequence{last: m.Token, logged: m.Token, sent: m.Token}
	}
}

// promote makes the standby the primary. No session and no lock comes with that.
func (s *server) promote() {
	s.cluster.primary, s.cluster.timeline = true, s.peer().cluster.timeline+1
	s.system.primary = s.index
	s.record(history.Record{Kind: history.Note, Local: time.Duration(s.host.Mono()), Text: "failover to " + s.host.Name})
	if old := s.peer(); old.holder != nil && old.host.State() == host.Crashed {
		old.free("lost")
	}
}

// demote makes a former primary that is alive the standby. Its sessions end.
func (s *server) demote(timeline int64) {
	s.cluster = membership{timeline: timeline, heard: s.host.Mono()}
	s.queue = s.queue[:0]
	for len(s.sessions) > 0 {
		s.end(s.sessions[0], "lost")
	}
}

// Restart implements [host.Restarter]: sessions and locks were in memory. The sequence goes on
// after what was logged.
func (s *server) Restart(lost host.Lost) {
	if s.holder != nil {
		s.free("lost")
	}
	s.sessions, s.queue = s.sessions[:0], s.queue[:0]
	if lost == host.LoseEverything {
		s.sequence = sequence{}
	}
	logged := s.sequence.logged
	s.sequence = sequence{last: logged, logged: logged, sent: logged}
	s.cluster.primary = s.system.primary == s.index
	s.watch()
}
