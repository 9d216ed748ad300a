package chubby

import (
	"slices"

	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// session is a session as the master knows it.
type session struct {
	id       int64
	end      clock.Mono      // of its lease
	held     network.Message // the KeepAlive that waits to be answered; no op is none
	since    clock.Mono      // since when it is held
	failOver int64           // epoch of the fail-over event that it has not acknowledged, 0 is none
	ending   bool            // its expiry has been proposed
}

// keepAlive takes a KeepAlive. It acknowledges the fail-over whose epoch it names, and takes
// the place of one that the client has given up.
func (s *server) keepAlive(m network.Message) {
	se := s.master.find(m.Key)
	if se == nil {
		s.reply(&m, network.Body{Op: OpKeepAliveReply})
		return
	}
	if se.failOver == m.Token {
		se.failOver = 0
	}
	se.held, se.since = m, s.member.Now()
	s.work()
}

// due is when a session's KeepAlive is to be answered: close to the end of its lease, or at
// once if there is an event to deliver or the client's own lease is over (2.8).
func (s *server) due(se *session) clock.Mono {
	if se.failOver != 0 || se.held.OK {
		return se.since
	}
	return max(se.since, se.end.Add(-margin(s.ttl)))
}

// watchSessions answers the KeepAlives that are due, and ends the sessions whose leases are
// over and whose clients have sent none.
func (s *server) watchSessions() {
	for i := 0; i < len(s.master.sessions); i++ {
		id := s.master.sessions[i].id
		s.watch(&s.master.sessions[i])
		if i < len(s.master.sessions) && s.master.sessions[i].id != id {
			i-- // it has ended at once, as it does in a cell of one replica
		}
	}
}

// watch answers a session's KeepAlive if it is due, or ends the session.
func (s *server) watch(se *session) {
	now, at := s.member.Now(), se.end
	if se.held.Op != nil {
		at = s.due(se)
	}
	switch {
	case se.ending:
	case now < at:
		s.workAt(at)
	case se.held.Op == nil:
		se.ending = true
		s.propose(command{kind: expireSession, epoch: s.data.epoch, session: se.id})
	case s.leased():
		s.extend(se)
		s.workAt(se.end)
	}
}

// extend extends a session's lease and tells the client: for how long from now on, and for how
// long its KeepAlive was held.
func (s *server) extend(se *session) {
	now := s.member.Now()
	se.end = now.Add(s.ttl)
	held := se.held
	se.held = network.Message{}
	s.reporter.Open(se.id, s.ttl, true)
	s.reporter.Touch(se.id)
	s.reply(&held, network.Body{Op: OpKeepAliveReply, OK: true, Key: se.id, TTL: s.ttl,
		Value: int64(now.Sub(se.since)), Token: se.failOver})
}

// ended takes a session that has expired out of the master's memory.
func (s *server) ended(id int64) {
	m := &s.master
	i := slices.IndexFunc(m.sessions, func(se session) bool { return se.id == id })
	if i < 0 {
		return
	}
	if held := &m.sessions[i].held; held.Op != nil {
		s.reply(held, network.Body{Op: OpKeepAliveReply})
	}
	m.sessions = slices.Delete(m.sessions, i, i+1)
	m.waiters = slices.DeleteFunc(m.waiters, func(w network.Message) bool { return w.Key == id })
}
