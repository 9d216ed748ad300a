package redlock

import (
	"errors"
	"fmt"
	"time"

	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// library is the client side of Redlock.
type library struct {
	system *system
	random rng.Stream
	token  int64 // how often it has acquired

	lock
}

// lock is what the library knows of the lock that it has or tries to get.
type lock struct {
	hold     history.HoldID
	value    int64
	start    instant
	deadline time.Duration // until when the client may believe, on its clock
	over     bool          // its release has begun
}

// instant is a reading of the client's clock, and when that was.
type instant struct {
	clock time.Duration
	true  sim.Time
}

func (l *library) reset(s rng.Stream) {
	*l = library{system: l.system, random: s}
}
func (l *library) forget() { l.reset(l.random) }

// now reads the clock that the client measures with.
func (l *library) now(p *host.Process) time.Duration {
	t := time.Duration(p.Now())
	if l.system.clock == wall {
		t = time.Duration(p.Wall())
	}
	if l.system.whole {
		t = floor(t)
	}
	return t
}

// floor is whole milliseconds.
func floor(t time.Duration) time.Duration {
	return t - ((t%time.Millisecond)+time.Millisecond)%time.Millisecond
}

func (l *library) instant(p *host.Process) instant {
	return instant{l.now(p), p.Host().World().Now()}
}

func (l *library) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	s := l.system
	l.lock = lock{hold: hold}
	for attempt := 0; ; attempt++ {
		t, acquired := l.attempt(p, attempt == 0)
		if acquired {
			return models.Grant{Token: l.token}, nil
		}
		last := s.retry.Over(attempt)
		if last || s.undo == undoAfterEach {
			l.everywhere(p, l.request(redis.OpDelete), s.ofAttempt())
		}
		if last {
			if s.forgets {
				l.value = 0
			}
			if s.refused(t) {
				return models.Grant{}, models.ErrNotAcquired
			}
			return models.Grant{}, fmt.Errorf("%w: %w", models.ErrNotAcquired, errNoMajority)
		}
		attempt = s.foresight.Wait(p, &s.retry, attempt, l.value, &l.random)
	}
}

// errNoMajority: the last attempt had no majority in time, though so many servers did not refuse that it could have:
// redsync's errors are those of the servers that were silent, or ErrFailed.
var errNoMajority = errors.New("no majority granted the lock in time")

// attempt is steps 1 to 4 of the algorithm. It reports what servers said, and whether the lock is acquired.
func (l *library) attempt(p *host.Process, first bool) (t tally, acquired bool) {
	s := l.system
	if first || s.value == perAttempt {
		l.value = redis.NewValue(&l.random)
		s.begin(l.hold, l.value)
	}
	p.Step("acquire.send")
	if first || s.start == perAttempt {
		l.start = l.instant(p)
	}
	b := l.request(redis.OpSet)
	b.TTL = s.ttl
	t = l.everywhere(p, b, s.ofAttempt())
	p.Step("acquire.reply")
	if t.yes < s.quorum {
		return t, false
	}
	if !l.inTime(p, l.start) {
		elapsed := l.now(p) - l.start.clock
		s.env.Recorder.Add(history.Record{Kind: history.Refuse, Hold: l.hold, Local: time.Duration(p.Now()),
			Text: fmt.Sprintf("asked %v ago, no validity left", elapsed.Round(time.Millisecond))})
		return t, false
	}
	l.deadline = l.start.clock + s.ttl - s.drift
	if s.counts {
		l.token++
	}
	s.accept(l.hold, l.start.true, s.ttl, l.token)
	return t, true
}

// request is a command for the lock that the library has or tries to get.
func (l *lock) request(op *network.Op) network.Body {
	return network.Body{Op: op, Value: l.value, Hold: l.hold}
}

// inTime is the check of the elapsed time: whether validity is left of what was asked for at
// an instant.
func (l *library) inTime(p *host.Process, asked instant) bool {
	s := l.system
	validity := s.ttl - (l.now(p) - asked.clock) - s.drift
	switch s.check {
	case checkOff:
		return true
	case checkLoose:
		return validity >= 0
	default:
		return validity > 0
	}
}

// Valid compares the client's clock with the deadline that acquire computed, or asks the servers
// and not the clock.
func (l *library) Valid(p *host.Process) bool {
	if !l.system.query {
		return l.now(p) < l.deadline
	}
	p.Step(stepValid)
	asker := library{system: l.system, random: l.random, lock: l.lock} // a renewal may be under way beside it
	return asker.everywhere(p, l.request(redis.OpGet), l.system.ofCall()).yes >= l.system.quorum
}

func (l *library) Release(p *host.Process) error {
	s := l.system
	l.over = true
	p.Step("release.send")
	for attempt := 0; ; attempt++ {
		t := l.everywhere(p, l.request(redis.OpDelete), s.ofCall())
		if s.release.succeeded(t, s.quorum) {
			p.Step("release.reply")
			return nil
		}
		if !s.release.retries || s.retry.Over(attempt) {
			p.Step("release.reply")
			if s.refused(t) {
				return models.ErrNotHeld
			}
			return errNotReleased
		}
		p.Sleep(s.retry.Delay(attempt, &l.random))
	}
}

// errNotReleased: too few servers answered for the library to know that it had the lock, or not.
var errNotReleased = errors.New("no majority released the lock")

func (r *release) succeeded(t tally, quorum int) bool {
	return r.always || t.yes >= quorum || r.answers && t.answered() >= quorum
}
