package consul

import (
	"time"

	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// query is a read of the key at the leader. With an index it blocks until the key has
// changed since, or its time is over (agent/consul/rpc.go, blockingQuery).
type query struct {
	client  network.Message // Key is the index, TTL the time, OK that it is consistent
	until   clock.Mono
	tag     int // of the check of leadership under way
	waiting bool
}

// get starts a query. A blocking one waits for up to a sixteenth longer than asked for.
func (s *server) get(m network.Message) {
	q := query{client: m}
	if m.Key > 0 {
		q.until = s.member.Now().Add(m.TTL + s.stagger(m.TTL/16))
	}
	s.run(q)
}

// stagger is lib.RandomStagger.
func (s *server) stagger(d time.Duration) time.Duration { return s.random.Between(0, d) }

// run runs a query, now or again after the key has changed. A consistent one asks a
// quorum each time whether this server still leads.
func (s *server) run(q query) {
	if !q.client.OK {
		s.answer(q)
		return
	}
	if !s.member.IsLeader() {
		s.member.Reply(&q.client, network.Body{Op: OpError})
		return
	}
	s.readTag++
	q.tag, q.waiting = s.readTag, false
	s.queries = append(s.queries, q)
	s.member.Read(q.tag)
}

// Readable implements [raftkv.App].
func (s *server) Readable(tag int) { s.answer(s.takeQuery(tag)) }

// Unreadable implements [raftkv.App].
func (s *server) Unreadable(tag int) {
	q := s.takeQuery(tag)
	s.member.Reply(&q.client, network.Body{Op: OpError})
}

func (s *server) takeQuery(tag int) query {
	for i, q := range s.queries {
		if q.tag == tag && !q.waiting {
			s.queries = append(s.queries[:i], s.queries[i+1:]...)
			return q
		}
	}
	panic("consul: a check of leadership ended that was not under way")
}

// answer answers a query or lets it wait.
func (s *server) answer(q query) {
	now := s.member.Now()
	if q.client.Key > 0 && s.store.queryIndex() <= q.client.Key && now < q.until {
		q.waiting = true
		s.queries = append(s.queries, q)
		s.member.After(q.until.Sub(now), timerQuery)
		return
	}
	k := &s.store.key
	s.member.Reply(&q.client, network.Body{Op: OpGetReply, OK: true, Key: k.session, Token: k.lockIndex, Revision: s.store.queryIndex()})
}

// wakeQueries runs those again that wait for the key to change. Nothing else wakes them:
// one that waits at a server that leads no more and hears of nothing waits on.
func (s *server) wakeQueries() { s.resume(func(query) bool { return true }) }

// endQueries answers those whose time is over with what there is, unchecked.
func (s *server) endQueries() {
	now := s.member.Now()
	s.resume(func(q query) bool { return q.until <= now })
}

func (s *server) resume(which func(q query) bool) {
	all := s.queries
	s.queries = nil
	for _, q := range all {
		switch {
		case !q.waiting || !which(q):
			s.queries = append(s.queries, q)
		case s.member.Now() < q.until:
			s.run(q)
		default:
			s.answer(q)
		}
	}
}
