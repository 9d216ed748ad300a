package zookeeper

import (
	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// conn is a connection of a client. Whatever the server says on it answers the call that
// opened it.
type conn struct {
	client  network.Message // that call
	owner   uint64          // names the connection: the request that asked for the session
	session int64           // 0 is not established
	watch   int64           // node whose end the client waits for
}

// pending is a proposal that a client waits for.
type pending struct {
	request uint64
	from    network.Addr
	call    uint32
	xid     int64
	since   clock.Mono
}

// find returns the connection that a message came on, or nil.
func (s *server) find(m *network.Message) *conn {
	for i := range s.conns {
		if c := &s.conns[i]; c.client.From == m.From && c.client.Call == m.Call {
			return c
		}
	}
	return nil
}

// reply says something on a connection.
func (s *server) reply(c *conn, b network.Body) {
	b.Revision = s.tree.zxid
	s.member.Host().Reply(&c.client, b)
}

// connect takes a client's request for a session. A server that serves nobody, or that has
// seen less than the client, sends it away (ZooKeeperServer.java, processConnectRequest).
// Whether a session lives the leader says.
func (s *server) connect(m network.Message) {
	if s.fresh && !s.serving() {
		s.early = append(s.early, m)
		return
	}
	s.forgetOthers(m)
	c := conn{client: m}
	if !s.serving() || m.Revision > s.tree.zxid {
		s.reply(&c, network.Body{Op: OpClosed})
		return
	}
	s.requests++
	c.owner = s.requestID()
	s.conns = append(s.conns, c)
	switch {
	case m.Key == 0:
		s.propose(command{kind: createSession, session: int64(c.owner), timeout: granted(s.system.env.Params, m.TTL)}, m)
	case s.quorum.leading:
		s.await(m)
		if !s.revalidate(m.Key, c.owner) {
			s.over(c.owner)
		}
	default:
		s.await(m)
		s.member.Send(s.quorum.leader, 0, network.Body{Op: OpRevalidate, Key: m.Key, Value: int64(c.owner)})
	}
}

// open takes the clients that came before the server first served. A trial begins with a cluster
// that stands, so nobody is sent away, and made to wait, because its first leader is not there
// yet; unless there is none for a while.
func (s *server) open() {
	const patience = 2 // half ticks, the first of which may be short
	if !s.fresh || !s.serving() && s.quorum.halves <= patience {
		return
	}
	s.fresh = false
	for _, m := range s.early {
		s.connect(m)
	}
	s.early = s.early[:0]
}

// revalidate is what the leader does when a client wants to resume a session: it gives it its
// whole timeout at once, so that no tick ends it while the answer is on its way, unless its
// end has been proposed (LearnerMaster.java, revalidateSession; ZooKeeperServer.java,
// checkIfValidGlobalSession). Then it lets the session move, by an entry of the log.
func (s *server) revalidate(session int64, request uint64) bool {
	if !s.tracker.touch(session, s.member.Now()) {
		return false
	}
	s.member.Propose(command{kind: moveSession, request: request, session: session}.encode())
	return true
}

// over tells a client that the session that it asked for is over.
func (s *server) over(request uint64) {
	s.answer(command{request: request}, network.Body{Op: OpConnected})
}

// forgetOthers drops the earlier connections of a client's process: it has closed them.
func (s *server) forgetOthers(m network.Message) {
	rest := s.conns[:0]
	for _, c := range s.conns {
		if c.client.From != m.From {
			rest = append(rest, c)
		}
	}
	s.conns = rest
}

// request takes what a client says on a connection. If there is none, its packet is
// answered by the kernel.
func (s *server) request(m network.Message) {
	c := s.find(&m)
	if c == nil || c.session == 0 {
		s.reply(&conn{client: m}, network.Body{Op: OpClosed})
		return
	}
	if !s.heard(c.session) {
		return
	}
	write := command{owner: c.owner, session: c.session, node: m.Key, hold: m.Hold}
	switch m.Op {
	case OpPing:
		s.reply(c, network.Body{Op: OpPong, OK: true})
		return
	case OpMakeParent:
		write.kind = createParent
	case OpCreate:
		write.kind = createNode
	case OpDelete:
		write.kind = deleteNode
	default:
		s.read(c, m)
		return
	}
	s.requests++
	s.propose(write, m)
}

// read answers from this server's tree, which may be behind.
func (s *server) read(c *conn, m network.Message) {
	i := s.tree.find(m.Key)
	b := network.Body{Op: OpStat, OK: i >= 0, Value: m.Value}
	switch {
	case m.Op == OpChildren:
		b.Op = OpListed
		if i >= 0 {
			b.Token = s.tree.nodes[i].sequence + 1
		}
		if i > 0 {
			b.Key = s.tree.nodes[i-1].guid
		}
	case i >= 0:
		b.Key, b.Token = s.tree.nodes[i].session, s.tree.nodes[i].czxid
		if m.Op == OpWatch {
			c.watch = m.Key
		}
	}
	s.reply(c, b)
}

// propose proposes a transaction on behalf of a client, who is answered when this server
// applies it.
func (s *server) propose(c command, m network.Message) {
	s.await(m)
	c.request, c.hold = s.requestID(), m.Hold
	s.member.Propose(c.encode())
}

// await notes that a client waits for what comes of the current request.
func (s *server) await(m network.Message) {
	s.pending = append(s.pending, pending{s.requestID(), m.From, m.Call, m.Value, s.member.Now()})
}

// answer answers the client of a transaction, if it is one of this server's.
func (s *server) answer(c command, reply network.Body) {
	for i, p := range s.pending {
		if p.request != c.request {
			continue
		}
		s.pending = append(s.pending[:i], s.pending[i+1:]...)
		at := s.find(&network.Message{From: p.from, Call: p.call})
		if at == nil {
			return
		}
		reply.Value = p.xid
		if reply.Op == OpConnected {
			at.session = reply.Key
		}
		s.reply(at, reply)
		if reply.Op == OpClosed || reply.Op == OpConnected && !reply.OK {
			s.drop(at)
		}
		return
	}
}

// drop forgets a connection.
func (s *server) drop(c *conn) {
	for i := range s.conns {
		if &s.conns[i] == c {
			s.conns = append(s.conns[:i], s.conns[i+1:]...)
			return
		}
	}
}

// closeAll closes every connection.
func (s *server) closeAll() {
	for i := range s.conns {
		s.reply(&s.conns[i], network.Body{Op: OpClosed})
	}
	s.conns, s.pending = s.conns[:0], s.pending[:0]
}

// closeSession closes the connection of a session that is over.
func (s *server) closeSession(id int64) {
	for i := range s.conns {
		if c := &s.conns[i]; c.session == id {
			s.reply(c, network.Body{Op: OpClosed})
			s.drop(c)
			return
		}
	}
}

// dropStuck closes the connections whose requests have not come through the log for so long
// that the one to the leader counts as dead.
func (s *server) dropStuck() {
	limit := s.member.Now().Add(-syncLimit * s.tracker.tick)
	for i := 0; i < len(s.pending); i++ {
		p := s.pending[i]
		if p.since > limit {
			continue
		}
		s.pending = append(s.pending[:i], s.pending[i+1:]...)
		i--
		if c := s.find(&network.Message{From: p.from, Call: p.call}); c != nil {
			s.reply(c, network.Body{Op: OpClosed})
			s.drop(c)
		}
	}
}
