package consul

import (
	"fencepost/models/raftkv"
	"fencepost/sim/clock"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// server is the program of one Consul server.
type server struct {
	system *System
	member *raftkv.Member
	random rng.Stream

	store   store
	applied int64 // index of the last entry that it has applied
	// delayed is when the key's lock-delay ends. Every server counts it from its own time
	// of applying the end of the session, in memory, and only the leader asks
	// (agent/consul/state/delay_ce.go, kvs_endpoint.go, kvsPreApply).
	delayed clock.Mono
	// snapshot is up to where a snapshot has spared this server to apply the log again.
	snapshot int64

	// requests numbers what this server proposes, calls what it forwards. They outlive a
	// restart, because what they name does.
	requests uint64
	calls    uint32
	since    clock.Mono // its connections' keepalives are a multiple of their interval later

	pending  []pending
	timers   []sessionTimer
	retries  []invalidation
	queries  []query
	readTag  int
	forwards []forward
	gossip   gossip
}

// pending is a proposal whose outcome somebody waits for.
type pending struct {
	request    uint64
	client     network.Message // the zero message if it is the leader's own
	invalidate invalidation    // what the leader tries again if it fails
}

// reset prepares for a new trial; [server.Restart] does the rest.
func (s *server) reset() {
	s.requests, s.calls, s.readTag, s.snapshot, s.applied = 0, 0, 0, 0, 0
	s.gossip.round = 0
	s.random = s.system.env.Stream("consul.server", int(s.member.ID))
	s.since = clock.Mono(-s.stagger(keepAlive))
}

// Timers of a server.
const (
	timerSession = iota
	timerInvalidate
	timerQuery
	timerForward
	timerProbe
	timerIndirect
)

// Restart implements [raftkv.App].
func (s *server) Restart() {
	if s.system.env.Params.Choice("restore") == restoreSnapshot {
		s.snapshot = max(s.snapshot, s.applied)
	}
	s.store.reset(len(s.system.env.Clients))
	s.applied, s.delayed = 0, 0
	s.pending, s.timers, s.retries = s.pending[:0], s.timers[:0], s.retries[:0]
	s.queries, s.forwards = s.queries[:0], s.forwards[:0]
	s.gossip.forget()
}

// Receive implements [raftkv.App].
func (s *server) Receive(m network.Message) {
	switch m.Op {
	case OpPing:
		if m.Key != 0 {
			m.Call = uint32(m.Key)
		}
		s.member.Reply(&m, network.Body{Op: OpPong, OK: true, Value: lifeOf(s.member.Host())})
	case OpPong:
		s.alive(m)
	case OpProbe, OpAck, OpIndirect, OpIndirectAck:
		s.gossiped(m)
	case OpCreate, OpDestroy, OpRenew, OpAcquire, OpRelease, OpGet:
		s.request(m)
	default:
		s.forwarded(m)
	}
}

// request serves a request or has the leader serve it. All reads of the key go to the
// leader as well: by default it answers them from its own state, and checks first that it
// leads if they are to be consistent (agent/consul/rpc.go, ForwardRPC).
func (s *server) request(m network.Message) {
	if m.From.Port != 0 {
		s.dropForwards(m.From)
	}
	if s.member.IsLeader() {
		s.serve(m)
	} else {
		s.forward(forward{client: m})
	}
}

func (s *server) serve(m network.Message) {
	switch m.Op {
	case OpCreate:
		s.submit(command{kind: createSession, subject: m.Key, hold: m.Hold}, pending{client: m})
	case OpDestroy:
		s.submit(command{kind: destroySession, subject: m.Key, hold: m.Hold}, pending{client: m})
	case OpRenew:
		s.renew(m)
	case OpAcquire:
		if s.member.Now() < s.delayed {
			s.member.Reply(&m, network.Body{Op: OpAcquireReply})
			return
		}
		s.submit(command{kind: lockKey, subject: m.Key, hold: m.Hold, asked: s.applied}, pending{client: m})
	case OpRelease:
		s.submit(command{kind: unlockKey, subject: m.Key, hold: m.Hold}, pending{client: m})
	case OpGet:
		s.get(m)
	}
}

// submit proposes a command under a number of its own, unique in the cluster. Who waits
// is answered when this server applies it.
func (s *server) submit(c command, p pending) {
	s.requests++
	c.request = s.member.ID<<32 | s.requests
	p.request = c.request
	s.pending = append(s.pending, p)
	s.member.Propose(c.encode())
}

// Demoted implements [raftkv.App]: what was proposed may come about or not, and its
// proposers get an error (hashicorp/raft, ErrLeadershipLost).
func (s *server) Demoted() {
	s.timers = s.timers[:0]
	s.gossip.forget()
	lost := s.pending
	s.pending = nil
	for _, p := range lost {
		s.settle(p, network.Body{Op: OpError})
	}
}

// Elected implements [raftkv.App]: the new leader arms the timer of every session in full
// (agent/consul/session_ttl.go, initializeSessionTimers).
func (s *server) Elected() {
	for i := range s.store.sessions {
		s.arm(s.store.sessions[i].id)
	}
	s.startGossip()
}

// settle tells who waits for a proposal what came of it.
func (s *server) settle(p pending, reply network.Body) {
	switch {
	case p.client.Op != nil:
		s.member.Reply(&p.client, reply)
	case reply.Op == OpError && p.invalidate.session != 0:
		s.retryLater(p.invalidate)
	}
}

// Order implements [raftkv.Ordered]: somebody reads which session has the key, and has it
// destroyed, as its own client would. Why it is destroyed makes no difference to the lock-delay
// (agent/consul/state/session.go, deleteSessionTxn).
func (s *server) Order(order int) {
	if id := s.store.key.session; id != 0 {
		s.requests++
		s.member.Propose(command{kind: removeSession, request: s.member.ID<<32 | s.requests, subject: id, asked: int64(order)}.encode())
	}
}

// Apply implements [raftkv.App].
func (s *server) Apply(index uint64, data []byte) {
	c := decode(data)
	before := s.store.key
	s.applied = int64(index)
	reply := s.apply(s.applied, c)
	s.system.reporter.applied(index, c, before, s.store.key)
	for i := range s.pending {
		if p := s.pending[i]; p.request == c.request {
			s.pending = append(s.pending[:i], s.pending[i+1:]...)
			s.settle(p, reply)
			break
		}
	}
	if s.store.key != before {
		s.wakeQueries()
	}
}

// apply carries out a command and returns the reply to it.
func (s *server) apply(index int64, c command) network.Body {
	switch c.kind {
	case createSession:
		return s.create(c)
	case destroySession, expireSession, removeSession:
		s.end(index, c.subject)
		if c.kind != expireSession {
			s.disarm(c.subject)
		}
		return network.Body{Op: OpDestroyReply, OK: true}
	case lockKey:
		if s.store.find(c.subject) == nil {
			return network.Body{Op: OpError} // invalid session
		}
		ok := s.store.lock(index, c.subject, c.hold)
		return network.Body{Op: OpAcquireReply, OK: ok, Token: s.store.key.lockIndex, Revision: s.store.key.modified}
	case unlockKey:
		return network.Body{Op: OpReleaseReply, OK: s.store.unlock(index, c.subject)}
	case failNode:
		s.fail(index, int(c.subject))
	case reviveNode:
		s.store.critical[c.subject] = false
	}
	return network.Body{}
}

// create makes a session, unless its node's check is critical. Its number, a random one in
// Consul, is that of the request (agent/consul/state/session.go, validateSessionChecksTxn).
func (s *server) create(c command) network.Body {
	node := int(c.subject)
	if s.checksSerf() && s.store.critical[node] {
		return network.Body{Op: OpError}
	}
	id := int64(c.request)
	s.store.sessions = append(s.store.sessions, session{id: id, node: node})
	s.system.reporter.Open(id, s.system.env.Params.Duration("ttl"), s.member.IsLeader())
	if s.member.IsLeader() {
		s.arm(id)
	}
	return network.Body{Op: OpCreateReply, OK: true, Key: id}
}

// end ends a session. If that takes a key away, nobody may have it for the lock-delay. A
// server that starts from a snapshot knows of no delay; one that applies its log again
// begins each of them anew.
func (s *server) end(index, id int64) {
	p := s.system.env.Params
	held := s.store.remove(index, id, p.Choice("behavior") == deleteKeys)
	s.system.reporter.Close(id)
	if held && index > s.snapshot {
		s.delayed = s.member.Now().Add(p.Duration("lock-delay"))
	}
}

// fail marks a node's serfHealth as critical, which ends its sessions
// (agent/consul/state/catalog.go, ensureCheckTxn).
func (s *server) fail(index int64, node int) {
	s.store.critical[node] = true
	for i := 0; i < len(s.store.sessions); {
		if ss := s.store.sessions[i]; ss.node == node {
			s.end(index, ss.id)
		} else {
			i++
		}
	}
}

func (s *server) checksSerf() bool { return s.system.env.Params.Choice("checks") == checkSerf }

// Timer implements [raftkv.App].
func (s *server) Timer(tag int) {
	switch tag {
	case timerSession:
		s.expire()
	case timerInvalidate:
		s.retryInvalidations()
	case timerQuery:
		s.endQueries()
	case timerForward:
		s.forwardsDue()
	case timerProbe:
		s.probe()
	case timerIndirect:
		s.probeIndirectly()
	}
}
