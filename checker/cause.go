package checker

import (
	"fmt"
	"time"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// Setting is what a cause depends on beyond the record.
type Setting struct {
	Guard string
	// HasToken says that the lock has a fencing token.
	HasToken bool
	// Asks says that the guard asks the lock service, and compares no tokens.
	Asks bool
	// KeepsNoOrder says that the guard compares versions, or tokens of the clients' own, and not
	// the lock's tokens.
	KeepsNoOrder bool
	// Applies says that a write takes time at the resource, and ChecksEarly that the guard
	// compares before that time and not after it.
	Applies, ChecksEarly bool
	// Beside says that the effect that is had is none of the data that the guard stands before.
	Beside bool
	// Returns says that the content of an object can be the same again, with the same version.
	Returns bool
	// Forgets says that a crash of the resource's host takes the token that the guard keeps.
	Forgets bool
	// ServiceClock is the clock that ends a lease: "wall" or "monotonic".
	ServiceClock string
	// Durable says that the service's promises survive a crash of its servers.
	Durable bool
	// Renews are the clients whose holds are renewed, by their library or by themselves.
	Renews history.Clients
	// Takeover is how long the lock may need to pass from a silent holder to the next.
	Takeover time.Duration
	// Bound names the bound that was hit, if one was.
	Bound string
}

// Cause says who is at fault. It follows from which property broke first in the chain from the
// service to the resource: a service that broke its promise is named before a holder that
// outlived it, and a holder before a request that came late. Holds are taken as they stood when
// that was complete.
func (c *Checker) Cause(r *history.Recorder, s Setting) Cause {
	f := c.facts(r)
	switch {
	case c.Grants.Violated():
		cause := f.blame(c.Grants.Findings()[0], s, f.blameService)
		if s.Guard != "none" && (c.Resource.Violated() || f.rejections() > 0) {
			cause.Text += " " + f.outcome(c, s)
		}
		return cause
	case c.Exclusion.Violated():
		cause := f.blame(c.Exclusion.Findings()[0], s, f.blameHolder)
		cause.Text += " " + f.outcome(c, s)
		return cause
	case c.Resource.Violated():
		return f.blame(c.Resource.Findings()[0], s, func(v monitor.Finding, s Setting) Cause { return f.blameRequest(c, v, s) })
	case c.Progress.Violated():
		return f.blame(c.Progress.Findings()[0], s, f.blameProgress)
	case c.Tokens.Violated():
		return Cause{TokenOrder, f.blameTokens(c.Tokens.Findings()[0], s)}
	}
	return f.nobody(s)
}

// blame names the cause of a finding by what was known of its holds then.
func (f *facts) blame(v monitor.Finding, s Setting, by func(monitor.Finding, Setting) Cause) Cause {
	defer f.lookingBack(v)()
	return by(v, s)
}

// nobody is at fault.
func (f *facts) nobody(s Setting) Cause {
	if s.Bound != "" {
		return Cause{BoundReached, "Unknown: the run ended at a bound (" + s.Bound + "), with nothing violated by then."}
	}
	if refused, ok := f.refusedHolder(); ok {
		return Cause{TokenOrder, f.tokensFell(refused, s)}
	}
	if n := f.rejections(); n > 0 {
		return Cause{GuardRejected, fmt.Sprintf("Nobody: the guard %s rejected %s.%s", s.Guard, plural(n, "request"), f.outOfOrder(s))}
	}
	return Cause{NothingBroke, "Nobody: every property held." + f.keptOut(s.Takeover)}
}

// left says how much of a promise is left.
func left(at, until sim.Time) string {
	if until == sim.Forever {
		return "all"
	}
	return Length(until.Sub(at))
}

func plural(n int, what string) string {
	if n == 1 {
		return "one " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
