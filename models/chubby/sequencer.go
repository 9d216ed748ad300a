package chubby

import (
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// checkSequencer has a question about a generation answered when the master is sure of its
// lease: without that it may have been replaced, and not know the holder.
func (s *server) checkSequencer(m network.Message) {
	s.master.checks = append(s.master.checks, m)
	s.answerChecks()
}

// answerChecks tells whether generations are those of the lock's holder.
func (s *server) answerChecks() {
	if len(s.master.checks) == 0 || !s.leased() {
		return
	}
	l := &s.data.lock
	for i := range s.master.checks {
		m := &s.master.checks[i]
		s.reply(m, network.Body{Op: OpChecked, OK: l.holder != 0 && l.generation == m.Token})
	}
	s.master.checks = s.master.checks[:0]
}

// CheckToken implements [models.TokenChecker]. A resource that keeps no session asks the master
// each time.
func (s *System) CheckToken(p *host.Process, hold history.HoldID, token int64) (valid bool) {
	l := &s.asker
	l.hold = hold
	for l.master == 0 {
		l.locate(p)
	}
	for {
		reply, err := p.Call(l.masterAddr(), network.Body{Op: OpCheck, Token: token, Revision: l.epoch, Hold: hold}, l.timeout())
		switch {
		case err != nil:
			l.locate(p)
		case reply.Op == OpChecked:
			return reply.OK
		default:
			l.redirected(p, reply)
		}
	}
}
