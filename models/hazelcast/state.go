package hazelcast

import (
	"slices"

	"fencepost/sim/history"
)

// request is a lock request of a session; what it is granted is the lock with its fence.
type request struct {
	session int64
	id      int64
	fence   int64          // commit index of the request when it came first
	hold    history.HoldID // for the record
}

// lockState is the replicated lock (Lock.java). The zero request is none.
type lockState struct {
	owner   request
	waiters []request // in order of arrival
	unlock  int64     // identity of the last unlock, which may be repeated
}

func (l *lockState) reset() { *l = lockState{waiters: l.waiters[:0]} }

// acquire makes a request the owner of a free lock, or has it wait. Repeated, it keeps its
// place and its fence. It reports whether the request has the lock.
func (l *lockState) acquire(r request) bool {
	switch {
	case l.owner.session == 0:
		l.owner = r
		return true
	case l.owner.session == r.session:
		return l.owner.id == r.id
	}
	for i := range l.waiters {
		if w := &l.waiters[i]; w.session == r.session {
			if w.id != r.id { // the caller waits for the earlier one no more
				l.waiters = append(slices.Delete(l.waiters, i, i+1), r)
			}
			return false
		}
	}
	l.waiters = append(l.waiters, r)
	return false
}

// release hands the lock to the next. It reports whether the session had it, or has had it
// and repeats its request.
func (l *lockState) release(session, id int64) bool {
	if l.unlock == id {
		return true
	}
	if l.owner.session != session {
		return false
	}
	l.unlock = id
	l.handOver()
	return true
}

func (l *lockState) handOver() {
	l.owner = request{}
	if len(l.waiters) > 0 {
		l.owner = l.waiters[0]
		l.waiters = slices.Delete(l.waiters, 0, 1)
	}
}

// close takes everything from a session that has ended.
func (l *lockState) close(session int64) {
	l.waiters = slices.DeleteFunc(l.waiters, func(w request) bool { return w.session == session })
	if l.owner.session == session {
		l.handOver()
	}
}
