package zookeeper

import (
	"fencepost/models/raftkv"
	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// server is the program of one server.
type server struct {
	member *raftkv.Member
	system *System

	tree    tree
	applied int64 // entries of the log
	elected bool  // leads the log, in the present term, and has caught up
	quorum  quorum
	tracker tracker
	conns   []conn
	pending []pending
	fresh   bool              // has not served in this trial
	early   []network.Message // clients that came before it did
	// requests numbers what this server proposes. It outlives a restart, as ZooKeeper's
	// session ids do, which begin with the time of day (SessionTrackerImpl.java).
	requests uint64

	expireAt, checkAt clock.Mono // what the timers below wait for
}

// Timers of a server.
const (
	timerHalf = iota
	timerExpire
	timerContainers
)

// reset is the start of a trial, before the cluster's.
func (s *server) reset() {
	tick := s.system.env.Params.Duration("tick-time")
	phase := s.member.Stream("zookeeper.tick")
	*s = server{member: s.member, system: s.system, tree: s.tree, conns: s.conns, pending: s.pending,
		fresh: true, early: s.early[:0], quorum: s.quorum, tracker: tracker{tick: tick, phase: clock.Mono(phase.Between(1, tick)) - clock.Mono(tick), sessions: s.tracker.sessions}}
}

// Restart implements [raftkv.App].
func (s *server) Restart() {
	s.tree.reset()
	s.applied, s.elected = 0, false
	s.conns, s.pending, s.early = s.conns[:0], s.pending[:0], s.early[:0]
	s.tracker.sessions = s.tracker.sessions[:0]
	s.quorum.reset(s.system.env.Params.Int("servers"))
	phase := s.member.Stream("zookeeper.half")
	s.member.After(phase.Between(1, s.half()), timerHalf)
}

// requestID is the number of the current request, unique in the ensemble.
func (s *server) requestID() uint64 { return s.member.ID<<32 | s.requests }

// Timer implements [raftkv.App].
func (s *server) Timer(tag int) {
	now := s.member.Now()
	switch {
	case tag == timerHalf:
		s.halfTick()
	case !s.quorum.leading:
	case tag == timerExpire && now >= s.expireAt:
		s.expire(now)
	case tag == timerContainers && now >= s.checkAt:
		s.checkContainers()
	}
}

// armExpiry waits for the end of a tick.
func (s *server) armExpiry() {
	now := s.member.Now()
	s.expireAt = s.tracker.next(now)
	s.member.After(s.expireAt.Sub(now), timerExpire)
}

// expire proposes the end of every session whose time is over (SessionTrackerImpl.java, run;
// ZooKeeperServer.java, expire).
func (s *server) expire(now clock.Mono) {
	s.armExpiry()
	for id := s.tracker.expire(now); id != 0; id = s.tracker.expire(now) {
		s.requests++
		s.member.Propose(command{kind: closeSession, request: s.requestID(), session: id}.encode())
	}
}

func (s *server) armContainers() {
	every := s.system.env.Params.Duration("container-check")
	s.checkAt = s.member.Now().Add(every)
	s.member.After(every, timerContainers)
}

// checkContainers proposes to delete the lock's znode if it is a container without children
// (ContainerManager.java, checkContainers).
func (s *server) checkContainers() {
	s.armContainers()
	if s.system.recipe != plain && s.tree.empty() {
		s.requests++
		s.member.Propose(command{kind: deleteParent, request: s.requestID()}.encode())
	}
}

// Receive implements [raftkv.App].
func (s *server) Receive(m network.Message) {
	switch m.Op {
	case OpQuorumPing:
		s.pinged(m)
	case OpQuorumPong:
		s.ponged(m)
	case OpTouch:
		if s.quorum.leading {
			s.tracker.touch(m.Key, s.member.Now())
		}
	case OpRevalidate:
		if s.quorum.leading && !s.revalidate(m.Key, uint64(m.Value)) {
			s.member.Send(s.peer(m.From), 0, network.Body{Op: OpOver, Value: m.Value})
		}
	case OpOver:
		s.over(uint64(m.Value))
	case OpConnect:
		s.connect(m)
	default:
		s.request(m)
	}
	s.open()
}

// Readable implements [raftkv.App]. Reads are local, no round of the log's is needed.
func (s *server) Readable(int) {}

// Unreadable implements [raftkv.App].
func (s *server) Unreadable(int) {}

// Apply implements [raftkv.App].
func (s *server) Apply(index uint64, data []byte) {
	c := decode(data)
	before := s.tree.first()
	s.applied = int64(index)
	reply := s.apply(c)
	s.system.reporter.applied(index, c, before, s.tree.first())
	s.answer(c, reply)
	s.open()
}

// Order implements [raftkv.Ordered]: somebody lists the nodes, and deletes the first.
func (s *server) Order(order int) {
	if first := s.tree.first(); first.guid != 0 {
		s.requests++
		s.member.Propose(command{kind: removeNode, request: s.requestID(), node: first.guid, term: uint64(order)}.encode())
	}
}

// apply carries out a transaction and returns the reply to it.
func (s *server) apply(c command) network.Body {
	if c.kind == newEpoch {
		s.tree.begin(c.term)
		return network.Body{}
	}
	s.tree.zxid++
	owned := s.tree.session(c.session)
	if c.owner != 0 && (owned == nil || owned.owner != c.owner) {
		return network.Body{Op: OpClosed} // the session has moved, or is over
	}
	reply := network.Body{Op: OpDone, OK: true}
	switch c.kind {
	case createSession:
		s.tree.sessions = append(s.tree.sessions, session{id: c.session, timeout: c.timeout, owner: c.request})
		return s.established(c)
	case moveSession:
		if owned != nil {
			owned.owner = c.request
		}
		return s.established(c)
	case closeSession:
		s.end(c.session)
	case createParent:
		s.tree.parent = true
	case createNode:
		if reply.OK = s.tree.parent || s.system.recipe == plain; reply.OK {
			n := s.tree.create(node{guid: c.node, session: c.session, hold: c.hold})
			reply.Key, reply.Token = n.sequence+1, n.czxid
		}
	case deleteNode, removeNode:
		reply.OK = s.delete(c.node)
	case deleteParent:
		if s.tree.empty() {
			s.tree.dropParent()
		}
	}
	return reply
}

// established answers a client that has asked for a session. The leader times it from now on,
// or anew; should its end have been proposed meanwhile, nothing is promised. No timeout means
// that it is over.
func (s *server) established(c command) network.Body {
	known := s.tree.session(c.session)
	if known == nil {
		return network.Body{Op: OpConnected}
	}
	s.system.reporter.Open(known.id, known.timeout, s.quorum.leading)
	if s.quorum.leading && s.tracker.track(known.id, known.timeout, s.member.Now()) {
		s.system.reporter.Touch(known.id)
	}
	return network.Body{Op: OpConnected, OK: true, Key: known.id, TTL: known.timeout}
}

// end ends a session: its nodes are deleted, and its connection is closed.
func (s *server) end(id int64) {
	for i := 0; i < len(s.tree.nodes); {
		if s.tree.nodes[i].session == id {
			s.delete(s.tree.nodes[i].guid)
		} else {
			i++
		}
	}
	s.tree.forget(id)
	s.tracker.drop(id)
	s.closeSession(id)
}

// delete deletes a node and tells those who watch it.
func (s *server) delete(guid int64) bool {
	if !s.tree.delete(guid) {
		return false
	}
	for i := range s.conns {
		if c := &s.conns[i]; c.watch == guid {
			c.watch = 0
			s.reply(c, network.Body{Op: OpEvent, OK: true, Key: guid})
		}
	}
	return true
}
