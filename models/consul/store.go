package consul

import "fencepost/sim/history"

// session is a session in the replicated state. Its TTL, checks and behaviour are those
// of the run.
type session struct {
	id   int64
	node int // of the agent that made it: the client's
}

// entry is the lock's key (agent/consul/state/kvs.go). The zero value is no entry.
type entry struct {
	present   bool
	session   int64 // who holds it, 0 is nobody
	lockIndex int64 // rises with each holder
	modified  int64 // index of the log at which it last changed
	hold      history.HoldID
}

// store is the replicated state of one server.
type store struct {
	key      entry
	index    int64 // at which a key last changed: the table's index
	sessions []session
	critical []bool // by node: serfHealth
}

func (s *store) reset(nodes int) {
	s.key, s.index, s.sessions = entry{}, 0, s.sessions[:0]
	s.critical = s.critical[:0]
	for range nodes {
		s.critical = append(s.critical, false)
	}
}

// find returns a session, or nil.
func (s *store) find(id int64) *session {
	for i := range s.sessions {
		if s.sessions[i].id == id {
			return &s.sessions[i]
		}
	}
	return nil
}

// queryIndex is the index that a read of the key returns: its own, or the table's if there
// is none (kvs_endpoint.go, Get).
func (s *store) queryIndex() int64 {
	if s.key.present {
		return s.key.modified
	}
	return max(s.index, 1)
}

// lock is kvsLockTxn for a session that exists. It reports whether that holds the key now.
func (s *store) lock(index, id int64, hold history.HoldID) bool {
	k := &s.key
	switch k.session {
	case id: // locked already: nothing changes, not even the index
		k.hold = hold
		return true
	case 0:
	default:
		return false
	}
	*k = entry{present: true, session: id, lockIndex: k.lockIndex + 1, modified: index, hold: hold}
	s.index = index
	return true
}

// unlock is kvsUnlockTxn: it clears the holder if that is the session.
func (s *store) unlock(index, id int64) bool {
	if s.key.session != id {
		return false
	}
	s.key.session, s.key.hold, s.key.modified = 0, 0, index
	s.index = index
	return true
}

// remove is deleteSessionTxn: it deletes a session, and releases or deletes the key that
// it holds. It reports whether it held one (agent/consul/state/session.go).
func (s *store) remove(index, id int64, deletes bool) (held bool) {
	for i := range s.sessions {
		if s.sessions[i].id != id {
			continue
		}
		s.sessions = append(s.sessions[:i], s.sessions[i+1:]...)
		if held = s.unlock(index, id); held && deletes {
			s.key = entry{} // with its LockIndex
		}
		return held
	}
	return false
}
