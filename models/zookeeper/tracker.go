package zookeeper

import (
	"time"

	"fencepost/sim/clock"
)

// tracked is a session as the leader times it.
type tracked struct {
	id      int64
	timeout time.Duration
	expiry  clock.Mono
	closing bool // its end has been proposed
}

// tracker is the leader's session tracker (SessionTrackerImpl.java, ExpiryQueue.java). It
// is in the leader's memory alone: the next leader makes its own.
type tracker struct {
	tick     time.Duration
	phase    clock.Mono // where the grid of the ticks lies on the monotonic clock
	sessions []tracked
}

// next is the end of the tick that an instant falls into.
func (t *tracker) next(now clock.Mono) clock.Mono {
	since := now.Sub(t.phase)
	return t.phase.Add(since - since%t.tick + t.tick)
}

// track begins to time a session, or times it anew, unless its end has been proposed.
func (t *tracker) track(id int64, timeout time.Duration, now clock.Mono) bool {
	if t.find(id) == nil {
		t.sessions = append(t.sessions, tracked{id: id, timeout: timeout})
	}
	return t.touch(id, now)
}

func (t *tracker) find(id int64) *tracked {
	for i := range t.sessions {
		if t.sessions[i].id == id {
			return &t.sessions[i]
		}
	}
	return nil
}

// touch gives a session its whole timeout, rounded up to the end of a tick. It fails if there
// is no such session, or if its end has been proposed.
func (t *tracker) touch(id int64, now clock.Mono) bool {
	s := t.find(id)
	if s == nil || s.closing {
		return false
	}
	s.expiry = t.next(now.Add(s.timeout))
	return true
}

// drop forgets a session that has been closed.
func (t *tracker) drop(id int64) {
	for i := range t.sessions {
		if t.sessions[i].id == id {
			t.sessions = append(t.sessions[:i], t.sessions[i+1:]...)
			return
		}
	}
}

// expire returns a session whose time is over, and marks it, or 0 if there is none.
func (t *tracker) expire(now clock.Mono) int64 {
	for i := range t.sessions {
		if s := &t.sessions[i]; !s.closing && s.expiry <= now {
			s.closing = true
			return s.id
		}
	}
	return 0
}
