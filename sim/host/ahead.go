package host

import (
	"time"

	"fencepost/sim"
)

// Ahead is what a process is going to do in a time in which nothing else happens in its world,
// worked out and not done.
type Ahead struct {
	// Now is where the process is then, in true time, and before Until nothing else happens.
	Now, Until sim.Time

	host *Host
}

// LookAhead looks from where a process is when it is about to sleep. It reports false if something acts
// on its host or its clock, or if one of the steps means anything to whoever observes them.
func (p *Process) LookAhead(steps ...string) (Ahead, bool) {
	h := p.host
	h.timers[p.timer].armed = false // it waits for nothing now
	if h.state != Running || h.quota.period > 0 || !h.Clock.Even() || p.heeded(steps) {
		return Ahead{}, false
	}
	w := h.fleet.World
	return Ahead{Now: w.Now(), Until: w.Next(), host: h}, true
}

// heeded reports whether somebody heeds one of the steps.
func (p *Process) heeded(steps []string) bool {
	o := p.host.fleet.Observer
	if o == nil {
		return false
	}
	heeder, tells := o.(StepHeeder)
	for _, step := range steps {
		if !tells || heeder.Heeds(p.host, p, step) {
			return true
		}
	}
	return false
}

// After is when d has passed on the host's monotonic clock.
func (a *Ahead) After(d time.Duration) sim.Time {
	c := &a.host.Clock
	return c.When(a.Now, c.Mono(a.Now).Add(max(d, 0)))
}

// Sleep is [Process.Sleep].
func (a *Ahead) Sleep(d time.Duration) { a.Now = a.After(d) }

// Step is [Process.Step].
func (a *Ahead) Step() { a.Now = a.Now.Add(max(a.host.fleet.StepCost, 0)) }

// Sleeps is how long the process has to sleep from now on to wake d after it is there.
func (a *Ahead) Sleeps(d time.Duration) time.Duration {
	c := &a.host.Clock
	return c.Mono(a.Now).Add(max(d, 0)).Sub(a.host.Mono())
}

// Pass passes over calls that the process has not made, so that the next one has the number that it
// would have.
func (p *Process) Pass(calls int) { p.calls += uint32(calls) }
