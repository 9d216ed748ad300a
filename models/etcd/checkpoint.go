package etcd

import (
	"time"

	"fencepost/sim/clock"
)

// checkpointInterval is the time between two checkpoints of a lease. A lease that has no
// longer than that to live is not worth one (server/lease/lessor.go,
// defaultLeaseCheckpointInterval).
const checkpointInterval = 5 * time.Minute

// checkpoint is an instant at which a primary is to put into the log what is left of a
// lease.
type checkpoint struct {
	lease int64
	at    clock.Mono
}

// whole is what a lease has to live when it is refreshed: its TTL, or what the last
// checkpoint has left of it.
func (le *lease) whole() time.Duration {
	if le.remaining > 0 {
		return le.remaining
	}
	return le.ttl
}

// schedule plans the next checkpoint of a lease. Nothing looks whether there is one
// already: each renewal that takes a checkpoint back adds one to those that are planned,
// as in the source. They are due in the order in which they were planned.
func (l *lessor) schedule(le *lease, now clock.Mono) {
	if l.checkpoints && l.primary && le.whole() > checkpointInterval {
		l.planned = append(l.planned, checkpoint{le.id, now.Add(checkpointInterval)})
	}
}

// checkpoint takes over what is left of a lease, 0 for all of it, as the log has it. It is
// used only when a primary begins (server/lease/lessor.go, Checkpoint, Promote).
func (l *lessor) checkpoint(id int64, left time.Duration, now clock.Mono) {
	if le := l.find(id); le != nil {
		le.remaining = left
		l.schedule(le, now)
	}
}

// dueCheckpoints appends the checkpoints that are due. A lease that was renewed within the
// last second needs none, and gets none until something plans another
// (findDueScheduledCheckpoints).
func (l *lessor) dueCheckpoints(now clock.Mono, commands []command) []command {
	for len(l.planned) > 0 && l.planned[0].at <= now {
		le := l.find(l.planned[0].lease)
		l.planned = append(l.planned[:0], l.planned[1:]...)
		if le == nil || le.expiry <= now {
			continue
		}
		if left := (le.expiry.Sub(now) + time.Second - 1) / time.Second; left < le.ttl/time.Second {
			commands = append(commands, command{kind: checkpointLease, lease: le.id, seconds: int64(left)})
		}
	}
	return commands
}

// clear takes the checkpoint of a lease back before it is renewed, with an entry of the log
// for which the renewal waits (Renew, clearRemainingTTL).
func (s *server) clear(r renewal) {
	s.clearing = append(s.clearing, r)
	s.proposeAsLeader([]command{{kind: checkpointLease, lease: r.client.Key}})
}

// cleared goes on with the renewals that waited for that.
func (s *server) cleared(id int64) {
	var ready []renewal
	ready, s.clearing = split(s.clearing, id)
	for _, r := range ready {
		s.renewHere(r)
	}
}

// notCleared sends the renewals that wait for it to whoever leads now.
func (s *server) notCleared() {
	waiting := s.clearing
	s.clearing = nil
	for _, r := range waiting {
		s.notPrimary(r)
	}
}
