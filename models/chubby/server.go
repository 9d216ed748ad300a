package chubby

import (
	"time"

	"fencepost/models/raftkv"
	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// server is the program of one replica.
type server struct {
	member   *raftkv.Member
	reporter *reporter
	ttl      time.Duration

	data database
	// requests numbers what this replica proposes. It outlives a restart, so that no reply
	// is given to a request of an earlier life.
	requests int64
	master   master
}

// Timers of a server.
const timerWork = iota

// Restart implements [raftkv.App].
func (s *server) Restart() {
	s.data.reset()
	s.master.discard()
}

// Elected implements [raftkv.App]: the new master picks an epoch, and is master once that is
// in the database.
func (s *server) Elected() {
	s.propose(command{kind: newEpoch, epoch: int64(s.member.Term())})
}

// Demoted implements [raftkv.App]: it discards its memory (2.9).
func (s *server) Demoted() {
	if !s.master.active {
		return
	}
	for i := range s.master.sessions {
		if held := &s.master.sessions[i].held; held.Op != nil {
			s.reply(held, network.Body{Op: OpNotMaster})
		}
	}
	s.master.discard()
}

// propose proposes a command.
func (s *server) propose(c command) { s.member.Propose(c.encode()) }

// Apply implements [raftkv.App].
func (s *server) Apply(index uint64, data []byte) {
	c := decode(data)
	before := s.data.lock
	ok := s.data.apply(index, c)
	s.reporter.applied(index, before, s.data.lock)
	if !s.member.IsLeader() || int64(s.member.Term()) != c.epoch {
		return
	}
	if c.kind == newEpoch {
		s.takeOver()
	} else if s.master.active {
		s.done(int64(index), c, ok)
		if c.kind == expireSession && before.holder == c.session {
			s.delayLock()
		}
		s.work()
	}
}

// Receive implements [raftkv.App].
func (s *server) Receive(m network.Message) {
	switch {
	case m.Op == OpLocate:
		s.locate(&m)
	case !s.master.active || m.Revision > s.data.epoch:
		s.reply(&m, network.Body{Op: OpNotMaster})
	case m.Revision < s.data.epoch:
		s.reply(&m, network.Body{Op: OpEpoch, Revision: s.data.epoch})
	case m.Op == OpKeepAlive:
		s.keepAlive(m)
	case s.master.open:
		s.serve(m)
	default:
		s.master.early = append(s.master.early, m)
	}
}

// locate tells who the master is, as far as this replica knows (2.1).
func (s *server) locate(m *network.Message) {
	reply := network.Body{Op: OpMaster}
	if lead := s.member.Lead(); lead != nil {
		reply.OK, reply.Value = true, int64(lead.ID)
	}
	s.reply(m, reply)
}

func (s *server) reply(m *network.Message, b network.Body) { s.member.Reply(m, b) }

// Timer implements [raftkv.App]. A timer that an earlier one has made needless is ignored.
func (s *server) Timer(int) {
	if s.member.Now() >= s.master.armed {
		s.master.armed = 0
		s.work()
	}
}

// workAt makes the master look at what is due at an instant.
func (s *server) workAt(at clock.Mono) {
	if s.master.armed != 0 && s.master.armed <= at {
		return
	}
	s.master.armed = at
	s.member.After(at.Sub(s.member.Now()), timerWork)
}

// Readable implements [raftkv.App]: a majority has confirmed the master.
func (s *server) Readable(int) {
	s.master.confirming = false
	if s.master.active {
		s.master.lease = s.master.asked.Add(masterLease)
		s.work()
	}
}

// Unreadable implements [raftkv.App].
func (s *server) Unreadable(int) { s.master.confirming = false }
