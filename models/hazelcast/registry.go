package hazelcast

import (
	"slices"
	"time"
)

// session is a session as one member has it. Its end is on that member's wall clock, in
// milliseconds; those of other members differ (CPSessionInfo.java).
type session struct {
	id, version int64
	end         int64
}

// registry is the sessions of one member (RaftSessionRegistry.java).
type registry struct{ sessions []session }

func (r *registry) find(id int64) *session {
	for i := range r.sessions {
		if r.sessions[i].id == id {
			return &r.sessions[i]
		}
	}
	return nil
}

func (r *registry) create(id, now int64, ttl time.Duration) {
	r.sessions = append(r.sessions, session{id: id, end: now + ttl.Milliseconds()})
}

// heartbeat moves the end of a session, never back, and reports whether there is one.
func (r *registry) heartbeat(id, now int64, ttl time.Duration) bool {
	s := r.find(id)
	if s == nil {
		return false
	}
	s.end = max(s.end, now+ttl.Milliseconds())
	s.version++
	return true
}

// shift moves every end, for the time in which nobody could commit a heartbeat.
func (r *registry) shift(by time.Duration) {
	for i := range r.sessions {
		r.sessions[i].end += by.Milliseconds()
		r.sessions[i].version++
	}
}

// expire ends a session that is still what it was when the leader found it over.
func (r *registry) expire(id, version int64) bool {
	s := r.find(id)
	return s != nil && s.version == version && r.remove(id)
}

// remove ends a session, and reports whether there was one.
func (r *registry) remove(id int64) bool {
	i := slices.IndexFunc(r.sessions, func(s session) bool { return s.id == id })
	if i < 0 {
		return false
	}
	r.sessions = slices.Delete(r.sessions, i, i+1)
	return true
}
