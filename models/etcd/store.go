package etcd

import "fencepost/sim/history"

// key is a lock key. There is one prefix, so its name is the lease that it is attached
// to.
type key struct {
	lease   int64
	created int64          // create revision
	hold    history.HoldID // for the record: on whose behalf it stands
}

// deletion is an event that a watch may still ask for.
type deletion struct {
	lease    int64
	revision int64
}

// store is the replicated map of one member: the keys below the lock's prefix, in the
// order of their create revisions.
type store struct {
	revision int64
	keys     []key
	deleted  []deletion
}

// reset empties the store; an empty etcd is at revision 1.
func (s *store) reset() {
	s.revision, s.keys, s.deleted = 1, s.keys[:0], s.deleted[:0]
}

// oldest returns the key with the smallest create revision, which holds the lock.
func (s *store) oldest() key {
	if len(s.keys) == 0 {
		return key{}
	}
	return s.keys[0]
}

// find returns the index of a lease's key, or -1.
func (s *store) find(lease int64) int {
	for i := range s.keys {
		if s.keys[i].lease == lease {
			return i
		}
	}
	return -1
}

// lock is the transaction of Mutex.tryAcquire: put the key if it is absent, else read
// it; in either case read the oldest (client/v3/concurrency/mutex.go). It returns the
// create revision of the key.
func (s *store) lock(lease int64, hold history.HoldID) int64 {
	if i := s.find(lease); i >= 0 {
		s.keys[i].hold = hold
		return s.keys[i].created
	}
	s.revision++
	s.keys = append(s.keys, key{lease: lease, created: s.revision, hold: hold})
	return s.revision
}

// delete deletes a lease's key in a revision of its own, and reports whether there was
// one.
func (s *store) delete(lease int64) bool {
	i := s.find(lease)
	if i < 0 {
		return false
	}
	s.revision++
	s.keys = append(s.keys[:i], s.keys[i+1:]...)
	s.deleted = append(s.deleted, deletion{lease, s.revision})
	return true
}

// previous returns the key with the largest create revision below one (key.go,
// waitDeletes).
func (s *store) previous(created int64) key {
	var last key
	for _, k := range s.keys {
		if k.created < created {
			last = k
		}
	}
	return last
}

// deletedSince reports whether a key was deleted at a revision or later.
func (s *store) deletedSince(lease, revision int64) bool {
	for i := len(s.deleted) - 1; i >= 0 && s.deleted[i].revision >= revision; i-- {
		if s.deleted[i].lease == lease {
			return true
		}
	}
	return false
}
