package dbrow

import (
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// keepAlive is ShedLock's KeepAliveLockProvider: a thread of the library's extends the lock
// at half of its TTL. It is no [models.Renewer]: to extend such a lock by hand is not
// supported (KeepAliveLock, doExtend).
type keepAlive struct {
	lock   *shedlock
	worker *host.Process // the executor's thread

	active    bool
	until     int64         // currentLockAtMostUntil, by the client's wall clock
	remaining time.Duration // of lockAtLeastFor
	due       clock.Mono    // when the thread next runs
	extending bool          // it has the lock's monitor
	releaser  *host.Process // waits for that
}

// Acquire implements [models.Locker].
func (k *keepAlive) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	grant, err := k.lock.Acquire(p, hold)
	if err == nil {
		k.start(p)
	}
	return grant, err
}

// start schedules the extensions at a fixed rate (scheduleAtFixedRate).
func (k *keepAlive) start(p *host.Process) {
	o := &k.lock.system.options
	k.active, k.remaining = true, o.least
	k.until = k.lock.lock.created.wall + micros(o.ttl)
	k.due = p.Now().Add(k.period())
	if k.worker == nil {
		k.worker = p.Go("keep-alive", k.run)
	} else {
		k.worker.Signal()
	}
}

func (k *keepAlive) period() time.Duration {
	return (k.lock.system.options.ttl / 2).Truncate(time.Millisecond)
}

// run is the thread. What it missed while the host stood still it makes up for at once, as
// a fixed rate has it.
func (k *keepAlive) run(p *host.Process) {
	for {
		wait := host.Forever
		if k.active {
			wait = k.due.Sub(p.Now())
		}
		if wait > 0 {
			p.SleepUnlessSignalled(wait)
			continue
		}
		k.due = k.due.Add(k.period())
		k.extending = true
		k.extendForNextPeriod(p)
		k.extending = false
		if k.releaser != nil {
			k.releaser.Signal()
		}
	}
}

// extendForNextPeriod does not extend a lock that is over by the client's own estimate. If
// an extension fails it logs and stops, and if it throws the executor runs it no more.
func (k *keepAlive) extendForNextPeriod(p *host.Process) {
	now := read(p).wall
	if k.until < now {
		k.stop("over before it was extended")
		return
	}
	o := &k.lock.system.options
	k.remaining = max(0, k.remaining-o.ttl/2)
	k.until = now + micros(o.ttl)
	p.Step(stepKeepAlive)
	extended, err := k.lock.extend(p, k.remaining)
	p.Step(stepKeptAlive)
	switch {
	case err != nil:
		k.stop(err.Error())
	case !extended:
		k.stop("could not be extended")
	}
}

func (k *keepAlive) stop(why string) {
	k.active = false
	k.lock.system.env.Recorder.Add(history.Record{Kind: history.Note, Hold: k.lock.hold, Text: "keep-alive stopped: " + why})
}

// Valid implements [models.Locker].
func (k *keepAlive) Valid(p *host.Process) bool { return k.lock.Valid(p) }

// Release implements [models.Locker]: doUnlock, which waits for an extension under way.
func (k *keepAlive) Release(p *host.Process) error {
	k.releaser = p
	for k.extending {
		p.SleepUnlessSignalled(host.Forever)
	}
	k.releaser, k.active = nil, false
	return k.lock.Release(p)
}
