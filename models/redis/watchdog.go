package redis

import (
	"time"

	"fencepost/sim/host"
)

// Watchdog is what renews a lock of Redisson's on one server for as long as its thread has it
// (redisson/redisson renewal/LockRenewalScheduler.java, RenewalTask.java, LockTask.java). Each
// client of Redisson's has one, so that a lock on several servers has several.
type Watchdog struct {
	// Lease is lockWatchdogTimeout. A third of it passes between the reply to a renewal and
	// the next one.
	Lease time.Duration
	// Renew asks the server, and says whether that has the lock.
	Renew func(p *host.Process) (ok bool, err error)
	// Dropped is called when the lock was found gone. The program is told nothing.
	Dropped func(p *host.Process)

	process *host.Process // nil before the first lock
	on      bool
}

// Start registers a lock that has just been taken.
func (w *Watchdog) Start(p *host.Process) {
	w.on = true
	if w.process == nil {
		w.process = p.Go("watchdog", w.watch)
		return
	}
	w.process.Signal()
}

// Stop ends the renewals of a lock. One that is under way goes on.
func (w *Watchdog) Stop() { w.on = false }

// watch is RenewalTask.run. After an error it goes on in a third of the lease; a lock that is
// gone is dropped.
func (w *Watchdog) watch(p *host.Process) {
	period := (w.Lease / 3).Truncate(time.Millisecond)
	for {
		if !w.on {
			p.SleepUnlessSignalled(host.Forever)
			continue
		}
		if another := p.SleepUnlessSignalled(period); another || !w.on {
			continue
		}
		p.Step("renew.send")
		ok, err := w.Renew(p)
		p.Step("renew.reply")
		if err == nil && !ok && w.on {
			w.on = false
			w.Dropped(p)
		}
	}
}
