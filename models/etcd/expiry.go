package etcd

// activeWithin is how recently a member's raft loop must have ticked for the member to
// trust that it leads (server/etcdserver/server.go, isActive; see leaderCheckParam).
const activeWithin = 3 * tick

// Elected implements [raftkv.App].
func (s *server) Elected() { s.lessor.promote(s.member.Now()) }

// Demoted implements [raftkv.App]: no lease expires here any more, and whoever waits
// for an entry of the lessor's goes to the new leader (server/lease/lessor.go, Demote,
// Renew).
func (s *server) Demoted() {
	if !s.lessor.primary {
		return
	}
	for _, r := range s.lessor.demote() {
		s.notPrimary(r)
	}
	s.notCleared()
}

// Timer implements [raftkv.App].
func (s *server) Timer(tag int) {
	if tag == timerForward {
		s.retryForwards()
		return
	}
	s.member.After(sweepInterval, timerSweep)
	now := s.member.Now()
	if due := s.lessor.dueCheckpoints(now, s.lessor.expired(now, nil)); len(due) > 0 {
		s.proposeAsLeader(due)
	}
}

// proposeAsLeader proposes what the lessor has decided, once it is sure that this member
// leads (server/etcdserver/server.go, revokeExpiredLeases, ensureLeadership). Without
// that, raft hands over to the new leader what an old one proposes that has not noticed.
func (s *server) proposeAsLeader(commands []command) {
	if s.variant.trusting || s.member.TickedWithin(activeWithin) {
		s.proposeAll(commands)
		return
	}
	s.suspects = append(s.suspects, commands...)
	s.read(read{suspects: true})
}

func (s *server) proposeAll(commands []command) {
	for _, c := range commands {
		if c.kind == revokeLease {
			s.reporter.deposed(s, c.lease, "revokes the lease")
		}
		s.requests++
		c.request = s.requestID()
		s.member.Propose(c.encode())
	}
}

// leadershipChecked goes on when the check has come back.
func (s *server) leadershipChecked() {
	suspects := s.suspects
	s.suspects = nil
	if s.member.IsLeader() {
		s.proposeAll(suspects)
	} else {
		s.notCleared()
	}
}

// leadershipUnknown gives up what the check was for.
func (s *server) leadershipUnknown() {
	s.suspects = s.suspects[:0]
	s.notCleared()
}
