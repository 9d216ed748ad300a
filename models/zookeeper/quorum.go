package zookeeper

import (
	"time"

	"fencepost/models/raftkv"
	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// quorum is a server's place in the ensemble: it leads, follows, or looks for a leader and
// serves nobody (Leader.java, Follower.java, LearnerHandler.java).
type quorum struct {
	halves int64 // half ticks counted

	// A leader.
	leading  bool
	began    int64   // the half tick in which its term of office did
	answered []int64 // per server, the half tick in which it last answered
	pongs    []int64 // per server, the number of its last answer

	// A follower.
	following uint64 // term of the leader that it follows; 0 is none
	leader    *raftkv.Member
	pinged    clock.Mono // by that leader
	syncTo    int64      // what it has to apply before it serves
	touches   []touched  // sessions that the leader has not heard of for sure
}

// touched is a session that was heard from, and the ping with whose answer it was sent.
type touched struct {
	session int64
	shipped int64 // 0 is not yet
}

// reset is the start of a server.
func (q *quorum) reset(servers int) {
	answered, pongs := append(q.answered[:0], make([]int64, servers)...), append(q.pongs[:0], make([]int64, servers)...)
	*q = quorum{halves: 1, answered: answered, pongs: pongs, touches: q.touches[:0]}
}

// half is half a tick, the time between two pings of the leader.
func (s *server) half() time.Duration { return s.tracker.tick / 2 }

// serving reports whether the server has clients.
func (s *server) serving() bool {
	return s.quorum.leading || s.quorum.following != 0 && s.applied >= s.quorum.syncTo
}

// Elected implements [raftkv.App]: an epoch begins, and every session has its whole timeout
// anew (LeaderZooKeeperServer.java, createSessionTracker).
func (s *server) Elected() {
	s.look()
	q := &s.quorum
	q.leading, q.began = true, q.halves
	clear(q.pongs)
	s.elected = true
	s.requests++
	s.member.Propose(command{kind: newEpoch, request: s.requestID(), term: s.member.Term()}.encode())
	now := s.member.Now()
	s.tracker.sessions = s.tracker.sessions[:0]
	for _, known := range s.tree.sessions {
		s.tracker.track(known.id, known.timeout, now)
	}
	s.ping()
	s.armExpiry()
	s.armContainers()
	s.open()
}

// Demoted implements [raftkv.App].
func (s *server) Demoted() {
	s.elected = false
	if s.quorum.leading {
		s.look()
	}
}

// look gives up the place in the ensemble: every client is sent away.
func (s *server) look() {
	s.quorum.leading, s.quorum.following = false, 0
	s.quorum.touches = s.quorum.touches[:0]
	s.closeAll()
}

// halfTick is done every half tick.
func (s *server) halfTick() {
	s.quorum.halves++
	s.member.After(s.half(), timerHalf)
	s.dropStuck()
	s.open()
	switch q := &s.quorum; {
	case s.member.IsLeader():
		s.lead()
	case q.following != 0 && s.member.Now() >= q.pinged.Add(syncLimit*s.tracker.tick):
		s.look() // the read from the leader has timed out (Learner.java, connectToLeader)
	}
}

// lead pings the followers, and looks once a tick whether a quorum of them has answered in
// the last syncLimit ticks (Leader.java, lead; LearnerHandler.java, synced). A leader by the
// log that has not does not serve; should a quorum answer it before the log has elected
// another, it begins anew.
func (s *server) lead() {
	s.ping()
	switch quorate := s.hasQuorum(); {
	case s.quorum.leading && !quorate && s.quorum.halves%2 == 0:
		s.look()
	case !s.quorum.leading && quorate && s.elected:
		s.Elected()
	}
}

// hasQuorum counts whoever has answered, and itself.
func (s *server) hasQuorum() bool {
	const limit = 2 * syncLimit
	n := 1
	for id, at := range s.quorum.answered {
		if s.quorum.leading {
			at = max(at, s.quorum.began)
		}
		if uint64(id+1) != s.member.ID && at != 0 && s.quorum.halves-at <= limit {
			n++
		}
	}
	return n > len(s.quorum.answered)/2
}

// ping sends the leader's ping to everybody.
func (s *server) ping() {
	for _, to := range s.system.cluster.Members() {
		if to != s.member {
			s.member.Send(to, 0, network.Body{Op: OpQuorumPing, OK: s.quorum.leading, Value: s.quorum.halves,
				Token: int64(s.member.Term()), Revision: s.applied, Key: s.quorum.pongs[to.ID-1]})
		}
	}
}

// pinged takes the leader's ping. One of a new leader makes a server a follower, without the
// clients that it had; it serves again when it has caught up.
func (s *server) pinged(m network.Message) {
	q, term := &s.quorum, uint64(m.Token)
	if s.member.IsLeader() || term < s.member.Term() {
		return
	}
	if m.OK {
		if q.following != term {
			s.look()
			q.following, q.leader, q.syncTo = term, s.peer(m.From), m.Revision
		}
		q.pinged = s.member.Now()
	}
	from := s.peer(m.From)
	s.shipTouches(from, m)
	s.member.Send(from, 0, network.Body{Op: OpQuorumPong, Value: m.Value, Token: m.Token})
}

// shipTouches sends the leader the sessions that were heard from: those that are new, and
// those of an answer that has not come, as TCP would send them again.
func (s *server) shipTouches(leader *raftkv.Member, ping network.Message) {
	rest := s.quorum.touches[:0]
	for _, t := range s.quorum.touches {
		if t.shipped == 0 || t.shipped > ping.Key {
			t.shipped = ping.Value
			rest = append(rest, t)
			s.member.Send(leader, 0, network.Body{Op: OpTouch, Key: t.session})
		}
	}
	s.quorum.touches = rest
}

// ponged takes a follower's answer.
func (s *server) ponged(m network.Message) {
	if s.member.IsLeader() && uint64(m.Token) == s.member.Term() {
		id := s.peer(m.From).ID
		s.quorum.answered[id-1], s.quorum.pongs[id-1] = s.quorum.halves, m.Value
	}
}

// peer is the server that a message comes from.
func (s *server) peer(from network.Addr) *raftkv.Member {
	for _, m := range s.system.cluster.Members() {
		if m.Host().ID == from.Node {
			return m
		}
	}
	panic("zookeeper: a message of the ensemble from outside")
}

// heard notes that a session was heard from, and reports whether its client is answered. The
// leader drops what comes from a session whose end it has proposed (ZooKeeperServer.java,
// submitRequestNow, MissingSessionException). A follower knows of no end before it applies it,
// and answers (LearnerSessionTracker.java, touchSession).
func (s *server) heard(id int64) bool {
	if s.quorum.leading {
		if !s.tracker.touch(id, s.member.Now()) {
			return false
		}
		s.system.reporter.Touch(id)
		return true
	}
	s.system.reporter.Touch(id)
	for i := range s.quorum.touches {
		if s.quorum.touches[i].session == id {
			s.quorum.touches[i].shipped = 0
			return true
		}
	}
	s.quorum.touches = append(s.quorum.touches, touched{session: id})
	return true
}
