package chubby

import (
	"slices"
	"time"

	"fencepost/sim/history"
)

// database is what the replicas agree on.
type database struct {
	epoch    int64
	sessions []int64 // in the order of their creation
	lock     lockNode
}

// lockNode is the lock's file.
type lockNode struct {
	holder     int64 // session, 0 if the lock is free
	generation int64
	delay      time.Duration  // that its last holder chose
	delayed    bool           // the last holder's session has ended: the lock-delay applies
	hold       history.HoldID // for the record
}

func (d *database) reset() { *d = database{sessions: d.sessions[:0]} }

// apply carries out a command. What an earlier master proposed has no effect any more; that is
// also what a master's successor can rely on.
func (d *database) apply(index uint64, c command) (ok bool) {
	if c.epoch < d.epoch {
		return false
	}
	switch c.kind {
	case newEpoch:
		d.epoch = c.epoch
		return true
	case createSession:
		d.sessions = append(d.sessions, int64(index))
		return true
	case expireSession:
		return d.expire(c.session)
	case acquireLock:
		return d.acquire(c)
	default:
		return d.release(c)
	}
}

// expire ends a session. The lock that it holds becomes free with the lock-delay.
func (d *database) expire(session int64) bool {
	i := slices.Index(d.sessions, session)
	if i < 0 {
		return false
	}
	d.sessions = slices.Delete(d.sessions, i, i+1)
	if d.lock.holder == session {
		d.lock.holder, d.lock.delayed = 0, true
	}
	return true
}

// acquire gives a free lock to a session. A session that has it already keeps it.
func (d *database) acquire(c command) bool {
	l := &d.lock
	if !slices.Contains(d.sessions, c.session) || l.holder != 0 && l.holder != c.session {
		return false
	}
	if l.holder == 0 {
		*l = lockNode{holder: c.session, generation: l.generation + 1, delay: c.delay, hold: c.hold}
	}
	return true
}

// release frees the lock without delay.
func (d *database) release(c command) bool {
	l := &d.lock
	if l.holder == 0 || l.holder != c.session || l.generation != c.generation {
		return false
	}
	l.holder, l.delayed = 0, false
	return true
}
