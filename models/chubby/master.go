package chubby

import (
	"slices"
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// master is what a master keeps in memory and its successor has to make anew.
type master struct {
	active bool // its epoch is in the database
	open   bool // every session knows of the fail-over: all calls are served
	armed  clock.Mono

	// The master lease: until when a majority has promised to elect nobody else.
	lease      clock.Mono
	asked      clock.Mono // when the majority was last asked
	confirming bool

	sessions []session
	waiters  []network.Message // for the lock, in order of arrival
	granting bool              // an acquire has been proposed
	freeAt   clock.Mono        // when the lock-delay is over
	pending  []pending
	early    []network.Message // calls that came before the master was open
	checks   []network.Message // of sequencers, until the master lease is sure
}

// pending is a client that waits for its command to be applied.
type pending struct {
	request int64
	client  network.Message
}

// retryLease is when a master that could not confirm its lease tries again.
const retryLease = 500 * time.Millisecond

func (m *master) discard() {
	*m = master{sessions: m.sessions[:0], waiters: m.waiters[:0], pending: m.pending[:0], checks: m.checks[:0]}
}

// find returns a session, or nil.
func (m *master) find(id int64) *session {
	for i := range m.sessions {
		if m.sessions[i].id == id {
			return &m.sessions[i]
		}
	}
	return nil
}

// takeOver begins a master's reign: its memory comes from the database, and every lease is as
// long as the predecessor may have made it (2.9, step 3).
func (s *server) takeOver() {
	s.master.discard()
	m, now := &s.master, s.member.Now()
	m.active = true
	s.member.Serves()
	for _, id := range s.data.sessions {
		m.sessions = append(m.sessions, session{id: id, end: now.Add(s.ttl), failOver: s.data.epoch})
	}
	if s.data.lock.delayed {
		s.delayLock()
	}
	s.work()
}

// delayLock keeps a lock whose holder's session has ended from everybody for the lock-delay.
func (s *server) delayLock() { s.master.freeAt = s.member.Now().Add(s.data.lock.delay) }

// leased reports whether the master lease runs. If not, it asks for it; [server.work] is called
// when it has it.
func (s *server) leased() bool {
	m, now := &s.master, s.member.Now()
	if now < m.lease {
		return true
	}
	if !m.confirming {
		m.confirming, m.asked = true, now
		s.member.Read(0)
	}
	s.workAt(now.Add(retryLease))
	return false
}

// work does everything that is due now, and sees to it that it is called when the next thing
// is.
func (s *server) work() {
	m := &s.master
	if !m.active {
		return
	}
	s.watchSessions()
	s.openUp()
	s.serveWaiter()
	s.answerChecks()
}

// openUp lets all calls in once every session has acknowledged the fail-over or has ended
// (2.9, steps 6 and 7).
func (s *server) openUp() {
	m := &s.master
	if m.open || slices.ContainsFunc(m.sessions, func(se session) bool { return se.failOver != 0 }) {
		return
	}
	m.open = true
	early := m.early
	m.early = nil
	for _, call := range early {
		s.serve(call)
	}
}

// serve serves a call that is not about the session's lease.
func (s *server) serve(m network.Message) {
	switch m.Op {
	case OpCreate:
		s.proposeFor(m, command{kind: createSession})
		return
	case OpCheck:
		s.checkSequencer(m)
		return
	}
	if s.master.find(m.Key) == nil {
		s.reply(&m, network.Body{Op: replyTo(m.Op)})
		return
	}
	if m.Op == OpAcquire {
		s.acquire(m)
	} else {
		s.proposeFor(m, command{kind: releaseLock, session: m.Key, generation: m.Token, hold: m.Hold})
	}
}

// replyTo is the op that answers a request.
func replyTo(op *network.Op) *network.Op {
	switch op {
	case OpCreate:
		return OpCreated
	case OpAcquire:
		return OpAcquired
	}
	return OpReleased
}

// proposeFor proposes a command for a client, who is answered when it is applied.
func (s *server) proposeFor(client network.Message, c command) {
	s.requests++
	c.epoch, c.request = s.data.epoch, s.requests
	s.master.pending = append(s.master.pending, pending{c.request, client})
	s.propose(c)
}

// acquire puts a session among those that wait for the lock. One that asks again keeps its
// place.
func (s *server) acquire(m network.Message) {
	for i := range s.master.waiters {
		if w := &s.master.waiters[i]; w.Key == m.Key {
			*w = m
			return
		}
	}
	s.master.waiters = append(s.master.waiters, m)
	s.serveWaiter()
}

// serveWaiter proposes to give the lock to who has waited longest, if it is free and no
// lock-delay keeps it. Who holds it already is told so at once.
func (s *server) serveWaiter() {
	m := &s.master
	if !m.open || m.granting {
		return
	}
	for i := range m.waiters {
		if w := m.waiters[i]; s.data.lock.holder == 0 || s.data.lock.holder == w.Key {
			if now := s.member.Now(); s.data.lock.holder == 0 && now < m.freeAt {
				s.workAt(m.freeAt)
				return
			}
			m.granting = true
			s.propose(command{kind: acquireLock, epoch: s.data.epoch, session: w.Key, delay: w.TTL, hold: w.Hold})
			return
		}
	}
}

// done goes on when a command of this master's has been applied.
func (s *server) done(index int64, c command, ok bool) {
	m := &s.master
	switch c.kind {
	case createSession:
		m.sessions = append(m.sessions, session{id: index, end: s.member.Now().Add(s.ttl)})
		s.reporter.Open(index, s.ttl, true)
		s.answer(c, network.Body{Op: OpCreated, OK: true, Key: index, TTL: s.ttl})
	case releaseLock:
		s.answer(c, network.Body{Op: OpReleased, OK: true})
	case acquireLock:
		m.granting = false
		if ok {
			s.acquired(c)
		}
	case expireSession:
		s.ended(c.session)
	}
}

// answer answers the client that waits for a command.
func (s *server) answer(c command, b network.Body) {
	for i, p := range s.master.pending {
		if p.request == c.request {
			s.master.pending = slices.Delete(s.master.pending, i, i+1)
			s.reply(&p.client, b)
			return
		}
	}
}

// acquired tells a waiter that it has the lock.
func (s *server) acquired(c command) {
	for i, w := range s.master.waiters {
		if w.Key == c.session {
			s.master.waiters = slices.Delete(s.master.waiters, i, i+1)
			s.reply(&w, network.Body{Op: OpAcquired, OK: true, Token: s.data.lock.generation})
			return
		}
	}
}
