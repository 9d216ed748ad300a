package hazelcast

import (
	"slices"
	"time"

	"fencepost/models/raftkv"
	"fencepost/sim/network"
)

// server is the program of one CP member.
type server struct {
	member        *raftkv.Member
	reporter      *reporter
	ttl, interval time.Duration // of sessions, of their heartbeats

	registry registry
	lock     lockState
	ready    bool              // it leads, and its term is in the log
	calls    []network.Message // requests that the leader has not answered
}

// Timers of a server.
const timerCheck = iota

// Restart implements [raftkv.App].
func (s *server) Restart() {
	s.registry.sessions = s.registry.sessions[:0]
	s.lock.reset()
	s.ready, s.calls = false, s.calls[:0]
	phase := s.member.Stream("hazelcast.check")
	s.member.After(phase.Between(1, checkInterval), timerCheck)
}

// Elected implements [raftkv.App]. The entry of a new term, which every member of Hazelcast's
// applies (RaftSessionService.java, onNewTermCommit), is a command here.
func (s *server) Elected() { s.propose(command{kind: newTerm}) }

// Demoted implements [raftkv.App]: whoever waits is told to ask another (RaftNodeImpl.java,
// LeaderDemotedException).
func (s *server) Demoted() {
	s.ready = false
	calls := s.calls
	s.calls = nil
	for i := range calls {
		s.refuse(&calls[i])
	}
}

func (s *server) refuse(m *network.Message) {
	reply := network.Body{Op: OpNotLeader}
	if lead := s.member.Lead(); lead != nil && lead != s.member {
		reply.Value = int64(lead.ID)
	}
	s.member.Reply(m, reply)
}

func (s *server) propose(c command) { s.member.Propose(c.encode()) }

// Receive implements [raftkv.App]: the leader commits what it is asked for.
func (s *server) Receive(m network.Message) {
	if !s.member.IsLeader() {
		s.refuse(&m)
		return
	}
	c := command{session: m.Key, request: m.Value, hold: m.Hold}
	switch m.Op {
	case OpCreate:
		c.kind = createSession
	case OpHeartbeat:
		c.kind = heartbeat
	case OpLock:
		c.kind = lock
	case OpUnlock:
		c.kind = unlock
	default:
		return
	}
	s.calls = append(s.calls, m)
	s.propose(c)
}

// Order implements [raftkv.Ordered]: somebody closes the session that has the lock, whatever it is
// by then (RaftSessionRegistry.java, closeSession; CPSessionManagementService, forceCloseSession).
func (s *server) Order(order int) {
	if id := s.lock.owner.session; id != 0 {
		s.propose(command{kind: removeSession, session: id, version: int64(order)})
	}
}

// Apply implements [raftkv.App].
func (s *server) Apply(index uint64, data []byte) {
	c, before := decode(data), s.lock.owner
	reply, done := s.apply(int64(index), c)
	s.reporter.applied(index, c, before, s.lock.owner)
	if !s.member.IsLeader() {
		return
	}
	if reply.OK && (c.kind == createSession || c.kind == heartbeat) {
		s.reporter.Open(reply.Key, s.ttl, true)
		s.reporter.Touch(reply.Key)
	}
	if done {
		s.answer(c.request, reply)
	}
	if c.kind == expireSession || c.kind == removeSession {
		s.turnAway(c.session)
	}
	if owner := s.lock.owner; owner != before && owner.session != 0 {
		s.answer(owner.id, granted(owner))
	}
}

// apply carries out a command. It returns the reply to it, and whether there is one already.
func (s *server) apply(index int64, c command) (reply network.Body, done bool) {
	now := s.member.Host().Wall().Milli()
	switch c.kind {
	case newTerm:
		s.registry.shift(s.interval)
		if s.ready = s.member.IsLeader(); s.ready {
			s.member.Serves()
		}
		return reply, false
	case createSession:
		s.registry.create(index, now, s.ttl)
		return network.Body{Op: OpCreated, OK: true, Key: index, TTL: s.ttl}, true
	case heartbeat:
		ok := s.registry.heartbeat(c.session, now, s.ttl)
		return network.Body{Op: OpHeartbeatReply, OK: ok, Key: c.session}, true
	case expireSession:
		if s.registry.expire(c.session, c.version) {
			s.lock.close(c.session)
		}
		return reply, false
	case removeSession:
		if s.registry.remove(c.session) {
			s.lock.close(c.session)
		}
		return reply, false
	case lock:
		if s.registry.find(c.session) == nil {
			return network.Body{Op: OpLockReply}, true
		}
		got := s.lock.acquire(request{session: c.session, id: c.request, fence: index, hold: c.hold})
		return granted(s.lock.owner), got
	default:
		if s.registry.find(c.session) == nil {
			return network.Body{Op: OpUnlockReply}, true
		}
		ok := s.lock.release(c.session, c.request)
		return network.Body{Op: OpUnlockReply, OK: ok, Key: c.session}, true
	}
}

// granted is the reply to the request that has the lock.
func granted(r request) network.Body {
	return network.Body{Op: OpLockReply, OK: true, Key: r.session, Token: r.fence}
}

// answer answers a request, and the earlier copies of it.
func (s *server) answer(request int64, b network.Body) {
	s.calls = slices.DeleteFunc(s.calls, func(m network.Message) bool {
		if m.Value != request {
			return false
		}
		s.member.Reply(&m, b)
		return true
	})
}

// turnAway tells those who wait in a session that has ended.
func (s *server) turnAway(session int64) {
	if s.registry.find(session) != nil {
		return
	}
	for i := 0; i < len(s.calls); i++ {
		if m := s.calls[i]; m.Op == OpLock && m.Key == session {
			s.answer(m.Value, network.Body{Op: OpLockReply})
			i = -1
		}
	}
}

// Timer implements [raftkv.App]: the leader commits the end of the sessions that are over by
// its wall clock.
func (s *server) Timer(int) {
	s.member.After(checkInterval, timerCheck)
	if !s.ready || !s.member.IsLeader() {
		return
	}
	now := s.member.Host().Wall().Milli()
	for _, se := range s.registry.sessions {
		if se.end <= now {
			s.propose(command{kind: expireSession, session: se.id, version: se.version})
		}
	}
}

// Readable implements [raftkv.App]; nothing is read.
func (s *server) Readable(int) {}

// Unreadable implements [raftkv.App].
func (s *server) Unreadable(int) {}
