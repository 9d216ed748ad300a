package etcd

import (
	"time"

	"fencepost/models/raftkv"
	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// server is the program of one member.
type server struct {
	member   *raftkv.Member
	reporter *reporter

	store   store
	lessor  lessor
	watches []network.Message
	// requests numbers what this member proposes. It outlives a restart, as etcd's do,
	// which begin with the time of day (pkg/idutil/id.go).
	requests uint64
	pending  []pending // proposals whose clients wait
	reads    []read    // read-index checks under way
	readTag  int
	streams  []stream
	forwards []renewal // renewals on their way to the leader
	attempts uint32
	suspects []command // of the lessor's, which wait for a check of leadership
	clearing []renewal // wait until a checkpoint is taken back

	variant variant
	// kept is the highest index that the member has ever applied, and so has in its
	// backend. It outlives a restart.
	kept uint64
}

// pending is a client that waits for its command to be applied.
type pending struct {
	request uint64
	client  network.Message
}

// read is what waits for a linearizable read.
type read struct {
	tag      int
	client   network.Message // a read of a client
	until    clock.Mono      // when the client has given it up
	renew    *renewal        // or a renewal
	suspects bool            // or the suspects
}

// Timers of a server.
const (
	timerSweep = iota
	timerForward
)

// Restart implements [raftkv.App].
func (s *server) Restart() {
	s.variant = variantOf(s.reporter.env.Params)
	s.store.reset()
	s.lessor.reset(s.variant)
	s.watches, s.pending, s.reads = s.watches[:0], s.pending[:0], s.reads[:0]
	s.streams, s.forwards = s.streams[:0], s.forwards[:0]
	s.suspects, s.clearing = s.suspects[:0], s.clearing[:0]
	phase := s.member.Stream("etcd.sweep")
	s.member.After(phase.Between(1, sweepInterval), timerSweep)
}

// Receive implements [raftkv.App].
func (s *server) Receive(m network.Message) {
	switch m.Op {
	case OpGrant:
		s.requests++
		s.propose(command{kind: grantLease, lease: int64(s.requestID()), seconds: int64(m.TTL / 1e9)}, m)
	case OpTxn:
		s.requests++
		s.propose(command{kind: lockTxn, lease: m.Key, hold: m.Hold}, m)
	case OpDelete:
		s.requests++
		s.propose(command{kind: deleteKey, lease: m.Key}, m)
	case OpRevoke:
		s.requests++
		s.propose(command{kind: revokeLease, lease: m.Key, hold: m.Hold}, m)
	case OpGet, OpPrevious:
		s.read(read{client: m, until: s.member.Now().Add(requestTimeout)})
	case OpWatch:
		s.watch(m)
	case OpKeepAlive:
		s.keepAlive(m)
	case OpRenew:
		s.renewHere(renewal{client: m, peer: true})
	case OpRenewReply:
		s.forwarded(m)
	}
}

// requestID is the number of the current request, unique in the cluster.
func (s *server) requestID() uint64 { return s.member.ID<<32 | s.requests }

// propose proposes a command on behalf of a client, who is answered when this member
// applies it.
func (s *server) propose(c command, client network.Message) {
	c.request = s.requestID()
	s.pending = append(s.pending, pending{c.request, client})
	s.member.Propose(c.encode())
}

// Order implements [raftkv.Ordered]: somebody reads who has the lock, and deletes the key.
func (s *server) Order(order int) {
	if k := s.store.oldest(); k.created > 0 {
		s.requests++
		s.member.Propose(command{kind: removeKey, request: s.requestID(), lease: k.lease, seconds: int64(order)}.encode())
	}
}

// Apply implements [raftkv.App].
func (s *server) Apply(index uint64, data []byte) {
	c := decode(data)
	if index <= s.kept && c.kind == checkpointLease && s.variant.checkpoint != checkpointPersist {
		return // it was applied before the restart, and is not in the backend
	}
	s.kept = max(s.kept, index)
	before := s.store.oldest()
	reply := s.apply(c)
	s.reporter.applied(index, c, before, s.store.oldest())
	for i, p := range s.pending {
		if p.request == c.request {
			s.pending = append(s.pending[:i], s.pending[i+1:]...)
			s.member.Host().Reply(&p.client, reply)
			return
		}
	}
}

// apply carries out a command and returns the reply to it.
func (s *server) apply(c command) network.Body {
	switch c.kind {
	case grantLease:
		ttl := negotiated(c.seconds)
		s.lessor.grant(c.lease, ttl, s.member.Now())
		s.reporter.Open(c.lease, ttl, s.lessor.primary)
		return network.Body{Op: OpGrantReply, OK: true, Key: c.lease, TTL: ttl}
	case revokeLease:
		found := s.lessor.remove(c.lease)
		if found {
			s.delete(c.lease)
			s.unblock(c.lease)
		}
		return network.Body{Op: OpRevokeReply, OK: found}
	case lockTxn:
		// A put with a lease that is gone fails the transaction
		// (server/etcdserver/apply, ErrLeaseNotFound).
		if s.lessor.find(c.lease) == nil {
			return network.Body{Op: OpTxnReply}
		}
		created := s.store.lock(c.lease, c.hold)
		return network.Body{Op: OpTxnReply, OK: true, Token: created, Key: s.store.oldest().created, Revision: s.store.revision}
	case checkpointLease:
		s.lessor.checkpoint(c.lease, time.Duration(c.seconds)*time.Second, s.member.Now())
		if c.seconds == 0 {
			s.cleared(c.lease)
		}
		return network.Body{}
	default:
		s.delete(c.lease)
		return network.Body{Op: OpDeleteReply, OK: true, Revision: s.store.revision}
	}
}

// delete deletes a key and tells those who watch it.
func (s *server) delete(lease int64) {
	if !s.store.delete(lease) {
		return
	}
	rest := s.watches[:0]
	for _, w := range s.watches {
		if w.Key == lease && w.Revision <= s.store.revision {
			s.member.Host().Reply(&w, network.Body{Op: OpWatchEvent, OK: true, Revision: s.store.revision})
		} else {
			rest = append(rest, w)
		}
	}
	s.watches = rest
}

// watch starts a watch for the deletion of a key from a revision on; what happened
// since is told at once. A client that asks again replaces its watch.
func (s *server) watch(m network.Message) {
	s.member.Host().Reply(&m, network.Body{Op: OpWatchCreated, OK: true})
	for i := range s.watches {
		if s.watches[i].From == m.From {
			s.watches = append(s.watches[:i], s.watches[i+1:]...)
			break
		}
	}
	if s.store.deletedSince(m.Key, m.Revision) {
		s.member.Host().Reply(&m, network.Body{Op: OpWatchEvent, OK: true, Revision: s.store.revision})
		return
	}
	s.watches = append(s.watches, m)
}

// read does a linearizable read, and then what waits for it.
func (s *server) read(r read) {
	s.readTag++
	r.tag = s.readTag
	s.reads = append(s.reads, r)
	s.member.Read(r.tag)
}

// takeRead takes the read of a tag from those under way.
func (s *server) takeRead(tag int) read {
	for i, r := range s.reads {
		if r.tag == tag {
			s.reads = append(s.reads[:i], s.reads[i+1:]...)
			return r
		}
	}
	panic("etcd: a read ended that was not under way")
}

// Readable implements [raftkv.App].
func (s *server) Readable(tag int) {
	switch r := s.takeRead(tag); {
	case r.renew != nil:
		s.renewChecked(*r.renew)
	case r.suspects:
		s.leadershipChecked()
	default:
		s.answer(r.client)
	}
}

// Unreadable implements [raftkv.App]. A check of leadership has failed; a client asks
// again at once (client/v3/retry.go, repeatable), for which the member stands in.
func (s *server) Unreadable(tag int) {
	switch r := s.takeRead(tag); {
	case r.renew != nil:
		s.fail(*r.renew)
	case r.suspects:
		s.leadershipUnknown()
	case s.member.Now() < r.until:
		s.read(r)
	}
}

// answer answers a client's read from the store.
func (s *server) answer(m network.Message) {
	reply := network.Body{Op: OpRangeReply, Revision: s.store.revision}
	if m.Op == OpPrevious {
		k := s.store.previous(m.Token)
		reply.OK, reply.Key, reply.Token = k.created > 0, k.lease, k.created
	} else if i := s.store.find(m.Key); i >= 0 {
		reply.OK, reply.Key, reply.Token = true, m.Key, s.store.keys[i].created
	}
	s.member.Host().Reply(&m, reply)
}
