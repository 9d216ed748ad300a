package etcd

import "fencepost/models/raftkv"

// activeWithin is how recently a member's raft loop must have ticked for the member to
// trust that it leads (server/etcdserver/server.go, isActive; since 3.5.13, for issue
// 15247).
const activeWithin = 3 * raftkv.Tick

// Elected implements [raftkv.App].
func (s *server) Elected() { s.lessor.promote(s.member.Now()) }

// Demoted implements [raftkv.App]: no lease expires here any more, and whoever waits
// for a revocation goes to the new leader (server/lease/lessor.go, Demote, Renew).
func (s *server) Demoted() {
	if !s.lessor.primary {
		return
	}
	s.lessor.primary = false
	blocked := s.lessor.blocked
	s.lessor.blocked = nil
	for _, r := range blocked {
		s.notPrimary(r)
	}
}

// Timer implements [raftkv.App].
func (s *server) Timer(tag int) {
	if tag == timerForward {
		s.retryForwards()
		return
	}
	s.member.After(sweepInterval, timerSweep)
	if expired := s.lessor.expired(s.member.Now(), nil); len(expired) > 0 {
		s.revokeExpired(expired)
	}
}

// revokeExpired proposes to revoke leases, once it is sure that this member leads
// (server/etcdserver/server.go, revokeExpiredLeases, ensureLeadership).
func (s *server) revokeExpired(ids []int64) {
	if !s.member.TickedWithin(activeWithin) {
		s.suspects = append(s.suspects, ids...)
		s.read(read{revoke: true})
		return
	}
	for _, id := range ids {
		s.requests++
		s.member.Propose(command{kind: revokeLease, request: s.requestID(), lease: id}.encode())
	}
}

// revokeChecked goes on when the leadership check has come back.
func (s *server) revokeChecked() {
	suspects := s.suspects
	s.suspects = nil
	if !s.member.IsLeader() {
		return
	}
	for _, id := range suspects {
		s.requests++
		s.member.Propose(command{kind: revokeLease, request: s.requestID(), lease: id}.encode())
	}
}
