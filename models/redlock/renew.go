package redlock

import (
	"errors"

	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim/host"
)

// Renew implements [models.Renewer]: every server sets the key's TTL anew if it still
// holds the value, and the lock counts as renewed if a majority did so within the validity
// time, which then runs from the renewal's start (redis.io, Distributed Locks with Redis,
// Making the algorithm more reliable: Extending the lock). Otherwise the old validity
// stays, and the next renewal may still succeed in it.
//
// That is the documentation's. Of the libraries, node-redlock v4 and the gem redlock give the
// lock back on all servers when an extension fails, as after an attempt to acquire it, though
// its holder has it: a single extension that a majority does not confirm in time ends it.
func (l *library) Renew(p *host.Process) error {
	s, x := l.system, &l.system.extension
	if !x.pastDeadline && l.deadline < l.now(p) {
		return models.ErrNotHeld
	}
	mine := l.lock // the program may release meanwhile, and acquire again
	var t tally
	for attempt := 0; ; attempt++ {
		var extended bool
		if t, extended = l.extend(p, &mine, attempt == 0); extended {
			return nil
		}
		if x.undoes {
			l.everywhere(p, mine.request(redis.OpDelete), s.ofAttempt())
		}
		if !x.retries || s.retry.Over(attempt) {
			break
		}
		p.Sleep(s.retry.Delay(attempt, &l.random))
	}
	if x.undoes || s.refused(t) && !(x.forgives && l.Valid(p)) {
		return models.ErrNotHeld
	}
	return errNotRenewed
}

// errNotRenewed: fewer than a majority renewed the lock in time, and it may be held all the
// same: redsync's ErrExtendFailed.
var errNotRenewed = errors.New("no majority renewed the lock in time")

// extend is one attempt to extend a lock. It reports whether that is extended.
func (l *library) extend(p *host.Process, mine *lock, first bool) (t tally, extended bool) {
	s := l.system
	op := redis.OpExtend
	if s.extension.sets {
		op = redis.OpExtendOrSet
	}
	b := mine.request(op)
	b.TTL = s.ttl
	p.Step("renew.send")
	if first || s.start == perAttempt {
		mine.start = l.instant(p)
	}
	t = l.everywhere(p, b, s.ofCall())
	p.Step("renew.reply")
	if t.yes < s.quorum || !l.inTime(p, mine.start) {
		return t, false
	}
	if l.value == mine.value && !l.over {
		l.deadline = mine.start.clock + s.ttl - s.drift
		s.prolong(l.hold, mine.start.true, s.ttl, l.token)
	}
	return t, true
}
