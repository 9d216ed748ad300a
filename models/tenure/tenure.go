// Package tenure keeps the record of a lock that is held by a session, for systems whose
// servers agree through a log on who holds it: who was let in and by which session, how long
// that is promised, and when it was over. It knows true time and all servers, and no step of
// a protocol reads it.
package tenure

import (
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
)

// Record is what has been recorded of one lock. What a session is promised is its TTL from the
// last time that a server answered it, never from the grant of the lock.
type Record struct {
	env         *models.Env
	granularity time.Duration
	applied     uint64         // highest index that any server has applied
	holder      history.HoldID // whose grant was recorded last and has not ended
	by          int64          // the session by which it holds
	sessions    map[int64]life // by number
	left        []bool         // by hold: its client has begun to give it back altogether
}

// life is one session.
type life struct {
	ttl   time.Duration
	at    sim.Time       // when it was last promised its TTL
	timed bool           // by a leader, which is from when it counts
	left  history.HoldID // hold that its client has begun to give back in this session
}

// New returns an empty record. The granularity is that of the clock that ends sessions.
func New(e *models.Env, granularity time.Duration) *Record {
	return &Record{env: e, granularity: granularity, sessions: map[int64]life{}}
}

// Reset forgets everything.
func (r *Record) Reset() {
	clear(r.sessions)
	*r = Record{env: r.env, granularity: r.granularity, sessions: r.sessions, left: r.left[:0]}
}

// Open notes that a server has made a session: the leader, from which it counts, or the first
// server for as long as no leader has.
func (r *Record) Open(id int64, ttl time.Duration, leader bool) {
	now := r.env.Fleet.World.Now()
	s, known := r.sessions[id]
	if !known {
		s = life{ttl: ttl, at: now}
	}
	if leader && !s.timed {
		s.at, s.timed = now, true
	}
	r.sessions[id] = s
}

// Close notes that a session is over for a server, and forgets it: nobody will have the lock
// by it any more. One who is behind may make it once more, and has to close it, too.
func (r *Record) Close(id int64) { delete(r.sessions, id) }

// Touch notes that a server answers a session, which is a promise to the hold that has the
// lock by it and is to keep it. For a session that is over, of which that server has not heard,
// it is nothing.
func (r *Record) Touch(id int64) {
	s, known := r.sessions[id]
	if !known {
		return
	}
	s.at = r.env.Fleet.World.Now()
	r.sessions[id] = s
	if r.by == id && r.holder != 0 && !r.leaves(s, r.holder) {
		r.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: r.holder, Until: r.until(s)})
	}
}

// Touched is when a session was last touched.
func (r *Record) Touched(id int64) sim.Time { return r.sessions[id].at }

// Leave notes that a client begins to give back what a hold has by a session: from now on
// nothing is promised to it, though the session may be touched once more.
func (r *Record) Leave(id int64, hold history.HoldID) {
	if s, known := r.sessions[id]; known {
		s.left = hold
		r.sessions[id] = s
	}
}

// LeaveAll notes that a client begins to give a hold back, whatever session has the lock for it.
// A request of his may come late, whenever that is, so that this is never forgotten.
func (r *Record) LeaveAll(hold history.HoldID) {
	for len(r.left) <= int(hold) {
		r.left = append(r.left, false)
	}
	r.left[hold] = true
}

// Abandon notes that a client gives up a session with which acquire has failed. If it has the
// lock by it, of which the client does not know, that is where it begins to give it back.
func (r *Record) Abandon(id int64, hold history.HoldID) {
	r.Leave(id, hold)
	if r.holder == hold && r.by == id {
		r.env.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold, Text: "gave up the session"})
	}
}

func (r *Record) leaves(s life, hold history.HoldID) bool {
	return s.left == hold || int(hold) < len(r.left) && r.left[hold]
}

func (r *Record) until(s life) sim.Time { return r.env.PromiseEnd(s.at, s.ttl, r.granularity) }

// First reports whether no server has applied an entry of the log before.
func (r *Record) First(index uint64) bool {
	if index <= r.applied {
		return false
	}
	r.applied = index
	return true
}

// End notes that the lock is no longer its holder's, if it has one.
func (r *Record) End(why string) {
	if r.holder != 0 {
		r.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: r.holder, Text: why})
	}
	r.holder = 0
}

// Grant notes that a hold has the lock by a session. One that its client is giving back, as by
// a request that came late, is not let in.
func (r *Record) Grant(id int64, hold history.HoldID, token int64) {
	s, known := r.sessions[id]
	if hold == 0 || !known || r.leaves(s, hold) {
		return
	}
	r.holder, r.by = hold, id
	r.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: hold, Token: token, Until: r.until(s)})
}
