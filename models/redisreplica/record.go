package redisreplica

import (
	"fencepost/models/redis"
	"fencepost/sim/history"
)

// record is what the system keeps for the record of the run: which server answers for a hold.
// A server that is promoted answers for the holds that it knows of.
type record struct {
	owners []int // by hold: the server's number and 1; 0 is nobody
	master int   // who became master last
}

func (s *system) owner(hold history.HoldID) *int {
	for len(s.record.owners) <= int(hold) {
		s.record.owners = append(s.record.owners, 0)
	}
	return &s.record.owners[hold]
}

func (s *system) keySet(server int, k redis.Key) {
	*s.owner(k.Hold) = server + 1
	if server != s.record.master {
		s.boxes[server].note(k.Hold, history.StaleLeader+": grants a lock, though it has been replaced")
	}
	s.clients.KeySet(k)
}

// keyGone ends a hold, if the server is the one that answers for it.
func (s *system) keyGone(server int, hold history.HoldID, why string) {
	if owner := s.owner(hold); *owner == server+1 {
		*owner = 0
		s.clients.KeyGone(redis.Key{Hold: hold}, why)
	}
}

// promoted hands the holds over to a new master. Those that it does not know of are lost,
// although the old one may go on and renew them.
func (s *system) promoted(server int) {
	s.record.master = server
	b := s.boxes[server]
	for hold := range s.record.owners {
		id, owner := history.HoldID(hold), s.record.owners[hold]
		switch {
		case owner == 0 || owner == server+1:
		case b.server.Has(id):
			s.record.owners[hold] = server + 1
		default:
			b.note(id, "lost-suffix: it became master without the lock")
			s.keyGone(owner-1, id, history.LostInFailover)
		}
	}
}

// demoted ends the holds that only an old master knew of.
func (s *system) demoted(server int) {
	for hold, owner := range s.record.owners {
		if owner == server+1 {
			s.boxes[server].note(history.HoldID(hold), "discarded: it became a replica")
			s.keyGone(server, history.HoldID(hold), history.LostInFailover)
		}
	}
}
