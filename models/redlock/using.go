package redlock

import (
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// extendAhead is how long before the deadline using() extends (node-redlock v5,
// src/index.ts, automaticExtensionThreshold).
const extendAhead = 500 * time.Millisecond

// using is node-redlock v5's using(): a timer of its own extends the lock for as long as the
// section runs, and a signal is aborted when the lock has expired and no extension has
// succeeded. The section has to look at the signal.
type using struct {
	library
	extender  *host.Process
	program   *host.Process // of the section, when it waits for an extension to end
	running   bool          // the section runs and its signal is not aborted
	extending bool
	aborted   bool
}

func (u *using) reset(s rng.Stream) {
	u.library.reset(s)
	*u = using{library: u.library}
}
func (u *using) forget() { u.reset(u.random) }

func (u *using) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	grant, err := u.library.Acquire(p, hold)
	if err != nil {
		return grant, err
	}
	u.running, u.aborted = true, false
	if u.extender == nil {
		u.extender = p.Go("using", u.extendInTime)
	} else {
		u.extender.Signal()
	}
	return grant, nil
}

// extendInTime is queue and extend of using().
func (u *using) extendInTime(p *host.Process) {
	for {
		if !u.running {
			p.SleepUnlessSignalled(host.Forever)
			continue
		}
		if p.SleepUnlessSignalled(u.deadline - u.now(p) - extendAhead) {
			continue // there is another section now, or none
		}
		u.extending = true
		for u.running && u.library.Renew(p) != nil {
			if u.deadline <= u.now(p) {
				u.running, u.aborted = false, true
			}
		}
		u.extending = false
		if u.program != nil {
			u.program.Signal()
		}
	}
}

// Valid is what the signal says.
func (u *using) Valid(*host.Process) bool { return !u.aborted }

// Release waits for an extension that is under way, so that it does not come after the
// release.
func (u *using) Release(p *host.Process) error {
	u.running = false
	if u.extender == nil {
		return u.library.Release(p) // it has never acquired
	}
	u.extender.Signal()
	for u.program = p; u.extending; {
		p.SleepUnlessSignalled(host.Forever)
	}
	u.program = nil
	return u.library.Release(p)
}
