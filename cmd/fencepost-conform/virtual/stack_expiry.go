package virtual

import (
	"time"

	"fencepost/models/redis"
	"fencepost/sim/clock"
)

// Keys expire in Redis by its wall clock, in whole milliseconds: when they are touched, and when the active
// cycle finds them. In miniredis what is left of their TTLs is counted down when it is told to, and there is
// no active cycle.

// expiry is what expires a server's keys.
type expiry struct {
	clock int64      // to which they have aged, in milliseconds
	cycle clock.Mono // when the active cycle is to look for the key; 0 is never
}

// now is the clock by which keys expire.
func (s *server) now() clock.Wall {
	if s.env.Params.Choice(redis.ExpiryClockParam.Name) > 0 {
		return clock.Wall(s.host.Mono())
	}
	return s.host.Wall()
}

// age has the keys age until now, also backwards. At 0 a key is gone from miniredis; from Redis it is when the
// instant has passed that the TTL led to (src/db.c, keyIsExpired). A nanosecond less with each step makes the
// same of it.
func (s *server) age() {
	if milli := s.now().Milli(); milli != s.clock {
		s.redis.FastForward(time.Duration(milli-s.clock)*time.Millisecond - 1)
		s.clock = milli
	}
}

// left is what the key has left, without those nanoseconds.
func (s *server) left() (left time.Duration, is bool) {
	left = s.redis.TTL(key)
	return left.Round(time.Millisecond), left > 0
}

// cyclePeriod is how often the active cycle runs: hz is 10 by default (redis.conf).
const cyclePeriod = 100 * time.Millisecond

// scheduleCycle has the active cycle look when the key is due; what it would find before is nothing.
func (s *server) scheduleCycle() {
	left, is := s.left()
	if !is {
		return
	}
	within := time.Duration(s.now()) - time.Duration(s.clock)*time.Millisecond
	due := s.host.Mono().Add(max(left-within, 0) + cyclePeriod - 1)
	due -= due % clock.Mono(cyclePeriod)
	if s.cycle == 0 || due < s.cycle {
		s.cycle = due
		s.host.At(due, 0)
	}
}

// runCycle deletes the key as soon as its instant has come (src/expire.c, activeExpireCycleTryExpire).
func (s *server) runCycle() {
	if s.host.Mono() < s.cycle {
		return // another is due
	}
	s.cycle = 0
	s.age()
	if left, is := s.left(); is && left <= 0 {
		s.run("DEL", key)
	} else {
		s.scheduleCycle()
	}
}
