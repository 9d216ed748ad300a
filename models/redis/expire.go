package redis

import (
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/history"
)

// ExpiryClockParam says by which of its clocks a server expires keys. The real one goes by its wall
// clock (redis/redis src/server.c, mstime; src/expire.c), so that a step of it ends every lock
// (M. Kleppmann, How to do distributed locking, 2016). S. Sanfilippo's reply, Is Redlock safe?
// (2016), grants that servers should go by a monotonic clock instead, which none does yet.
var ExpiryClockParam = models.Param{Name: "expiry-clock", Unit: models.Choice, Choices: []string{"wall", "monotonic"},
	Doc: "by which of its clocks a server expires keys: wall, as Redis does, or monotonic, which nobody steps and which stands still while the machine is suspended"}

// monotonicExpiry reports whether keys expire by the monotonic clock. It is no parameter of servers
// with replicas, which send each other instants of the wall clock.
func monotonicExpiry(p models.Params) bool {
	return p.Has(ExpiryClockParam.Name) && p.Choice(ExpiryClockParam.Name) > 0
}

// now is what the clock by which keys expire reads.
func (s *Server) now() clock.Wall {
	if s.monotonic {
		return clock.Wall(s.host.Mono())
	}
	return s.host.Wall()
}

// cronPeriod is how often serverCron runs: hz is 10 by default (redis.conf).
const cronPeriod = 100 * time.Millisecond

// expireIfDue is lazy expiry: now > when, strictly.
func (s *Server) expireIfDue() {
	if s.present && s.overdue() {
		s.expire()
	}
}

func (s *Server) overdue() bool { return s.now().Milli() > s.until }

// expire deletes the key, which is a write.
func (s *Server) expire() {
	s.present = false
	s.changed()
	s.gone(&s.key, history.Expired)
}

// scheduleCycle has the active cycle look at the key when it is due. The real one looks ten
// times a second, from serverCron (redis/redis src/expire.c, activeExpireCycle). Only the
// first look after the expiry finds anything, so the others are spared: a server without a
// key has no timers. A wall clock that is stepped forward meanwhile is noticed by whoever
// touches the key, and by the cycle only when it would have been due.
func (s *Server) scheduleCycle() {
	if !s.present || s.until == never {
		return
	}
	left := time.Duration(s.until)*time.Millisecond - time.Duration(s.now())
	due := s.host.Mono().Add(max(left, 0))
	if late := time.Duration(due) % cronPeriod; late > 0 {
		due = due.Add(cronPeriod - late)
	}
	if s.cycle == 0 || due < s.cycle {
		s.cycle = due
		s.host.At(due, tagCycle)
	}
}

// runCycle deletes the key as soon as now >= when, up to 1 ms earlier than lazy expiry
// (activeExpireCycleTryExpire). A server that waits for its disk has no cycle.
func (s *Server) runCycle() {
	if s.host.Mono() < s.cycle {
		return // another is due
	}
	s.cycle = 0
	switch busy := s.file != nil && s.file.policy == Always && s.file.syncing; {
	case s.replica: // it waits for its master's delete
	case busy:
		s.cycle = s.host.Mono().Add(cronPeriod)
		s.host.At(s.cycle, tagCycle)
	case s.present && s.now().Milli() >= s.until:
		s.expire()
		s.persist()
	default:
		s.scheduleCycle()
	}
}

// persist has the file, if there is one, take in what no command waits for.
func (s *Server) persist() {
	switch {
	case s.file == nil:
	case s.file.policy == Always:
		s.syncAndAnswer()
	default:
		s.flush()
	}
}

// left is PTTL.
func (s *Server) left() time.Duration {
	return time.Duration(s.until-s.now().Milli()) * time.Millisecond
}
