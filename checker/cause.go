package checker

import (
	"fmt"
	"strings"
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
	// Takeover is how long the lock may need to pass from a silent holder to the next.
	Takeover time.Duration
	// Bound names the bound that was hit, if one was.
	Bound string
}

// Cause says who is at fault in one or two sentences. It follows from which property
// broke first in the chain from the service to the resource: a service that broke its
// promise is named before a holder that outlived it, and a holder before a request
// that came late.
func (c *Checker) Cause(r *history.Recorder, s Setting) string {
	f := gather(r)
	switch {
	case c.Grants.Violated():
		return f.blameService(c.Grants.Findings()[0], s)
	case c.Exclusion.Violated():
		return f.blameHolder(c.Exclusion.Findings()[0]) + " " + f.outcome(c, s)
	case c.Resource.Violated():
		return f.blameRequest(c, s)
	case c.Progress.Violated():
		return f.blameProgress(c.Progress.Findings()[0])
	case c.Tokens.Violated():
		return f.blameTokens(c.Tokens.Findings()[0], s)
	}
	if s.Bound != "" {
		return "Unknown: the run ended at a bound (" + s.Bound + "), with nothing violated by then."
	}
	if refused, ok := f.refusedHolder(); ok {
		return f.tokensFell(refused, s)
	}
	if n := f.rejections(); n > 0 {
		return fmt.Sprintf("Nobody: the guard %s rejected %s.%s", s.Guard, plural(n, "request"), f.outOfOrder(s))
	}
	return "Nobody: every property held." + f.keptOut(s.Takeover)
}

// blameService: a promise was broken. What made the service forget it or its clock run
// ahead is the reason, the latest such fault if there were several. It has to have been in
// force since the broken promise's hold was asked for.
func (f *facts) blameService(v monitor.Finding, s Setting) string {
	if at, by, ok := f.takenAway(v.First); ok {
		return fmt.Sprintf("A client: %s, who did not have the lock any more, released it at %s, with %s of the promise to %s left, and the service let %s in.",
			f.who(by), Seconds(at), left(at, v.To), f.who(v.First), f.who(v.Second))
	}
	if removal, ok := f.removed(v.First, v.At); ok {
		return fmt.Sprintf("%s: %s at %s took the lock from %s with %s of its promise left, and the service let %s in.",
			thirdParty, removal.Text, Seconds(removal.At), f.who(v.First), left(removal.At, v.To), f.who(v.Second))
	}
	if until, ok := f.stillborn(v); ok {
		return fmt.Sprintf("The library of %s: it took the lock for acquired at %s, when what it had asked for had run out at %s, and %s of the promise to %s was left.",
			f.who(v.Second), Seconds(v.At), Seconds(until), left(v.At, v.To), f.who(v.First))
	}
	reason, stopped := history.Record{}, ""
	for _, rec := range f.faults {
		if rec.Executor != 0 || rec.At > v.At || rec.Until < f.attempted[v.First] {
			continue
		}
		if shortens(rec, s) {
			reason = rec
		}
		if rec.Fault == "pause" || rec.Fault == "suspend" {
			stopped = fmt.Sprintf(", after %s at %s", rec.Text, Seconds(rec.At))
		}
	}
	switch reason.Fault {
	case "":
		return fmt.Sprintf("The service: it let %s in with %s of its promise to %s left%s.",
			f.who(v.Second), left(v.At, v.To), f.who(v.First), stopped)
	case "crash":
		return fmt.Sprintf("The service: after %s at %s it no longer knew of its promise to %s.", reason.Text, Seconds(reason.At), f.who(v.First))
	}
	return fmt.Sprintf("The service's clock: %s at %s ended the lease of %s early, and the service let %s in with %s of its promise left.",
		reason.Text, Seconds(reason.At), f.who(v.First), f.who(v.Second), left(v.At, v.To))
}

// takenAway returns when another client released the lock of a hold, if one did, and for which
// hold of its own: the last release that had begun by then.
func (f *facts) takenAway(hold history.HoldID) (at sim.Time, by history.HoldID, ok bool) {
	for i := range f.recorder.Records {
		switch rec := &f.recorder.Records[i]; {
		case rec.Kind == history.ReleaseBegin && rec.Hold != hold:
			at, by = rec.At, rec.Hold
		case rec.Kind == history.ServiceEnd && rec.Hold == hold && rec.Text == history.ForeignRelease:
			return at, by, true
		}
	}
	return 0, 0, false
}

// thirdParty is who removes records of the lock without being a client of it.
const thirdParty = "An operator or an eviction"

// removed returns the removal by which a hold had lost the lock by an instant, if it had lost it so
// and was not let in again: the last one, of a lock that has records on several servers.
func (f *facts) removed(hold history.HoldID, by sim.Time) (removal history.Record, lost bool) {
	for i := range f.recorder.Records {
		switch rec := &f.recorder.Records[i]; {
		case rec.Hold != hold || rec.At > by:
		case rec.Kind == history.Removal:
			removal = *rec
		case rec.Kind == history.ServiceEnd && rec.Text == history.Removed:
			lost = true
		case rec.Kind == history.Grant:
			lost = false
		}
	}
	return removal, lost
}

// stillborn returns until when the second hold of a broken promise was promised, if that was
// over when it was let in: only a library that grants itself the lock can do so.
func (f *facts) stillborn(v monitor.Finding) (until sim.Time, ok bool) {
	for i := range f.recorder.Records {
		if rec := &f.recorder.Records[i]; rec.Kind == history.Grant && rec.Hold == v.Second && rec.At == v.At {
			return rec.Until, rec.Until <= rec.At
		}
	}
	return 0, false
}

// shortens reports whether a fault of a server can end a lease before its time: a crash
// can, and a clock that runs or jumps ahead, if it is the clock that ends leases.
func shortens(rec history.Record, s Setting) bool {
	switch rec.Fault {
	case "crash":
		return !s.Durable
	case "clock-rate", "clock-slew":
		return rec.Ahead
	case "clock-step", "clock-jitter":
		return s.ServiceClock == "wall" && rec.Ahead
	}
	return false
}

// blameProgress: the service answers for a lock that it took early or kept too long. Who
// answers for a client that waits in vain, the record does not say: its own link, clock
// or library may be at fault as well.
func (f *facts) blameProgress(v monitor.Finding) string {
	switch v.Kind {
	case "starved":
		return "The lock: " + f.sentence(v) + "."
	case "lost-early", "ended-late":
		if removal, ok := f.removed(v.First, v.At); ok && removal.At == v.At {
			return fmt.Sprintf("%s, and not the service (%s at %s): %s.", thirdParty, removal.Text, Seconds(removal.At), f.sentence(v))
		}
		return "The service: " + f.sentence(v) + "."
	}
	var before []string
	for _, rec := range f.faults {
		if rec.At <= v.At {
			before = append(before, rec.Text)
		}
	}
	if len(before) == 0 {
		return "The lock did not move on: " + f.sentence(v) + "."
	}
	return "The lock did not move on after " + strings.Join(before, "; ") + ": " + f.sentence(v) + "."
}

// left says how much of a promise is left.
func left(at, until sim.Time) string {
	if until == sim.Forever {
		return "all"
	}
	return Length(until.Sub(at))
}

// blameHolder: the service kept its promises, so one of two holders believed for
// longer than it was promised.
func (f *facts) blameHolder(v monitor.Finding) string {
	stale := v.First
	if f.promised(v.Second) < f.promised(v.First) {
		stale = v.Second
	}
	if removal, ok := f.removed(v.First, v.From); ok {
		return fmt.Sprintf("%s: %s at %s took the lock from %s, who went on believing.", thirdParty, removal.Text, Seconds(removal.At), f.who(v.First))
	}
	if f.promised(stale) > v.From {
		return fmt.Sprintf("The holder: %s and %s believed at once. The lock kept every promise.", f.who(v.First), f.who(v.Second))
	}
	late := Length(v.From.Sub(f.promised(stale)))
	why, went := "", "went on believing"
	for _, kind := range []string{"clock-rate", "clock-slew", "clock-freeze", "throttle", "suspend", "pause"} {
		if fault, ok := f.faultOn(stale, kind, v.To); ok {
			why = " (" + fault.Text + ")"
		}
	}
	if began := f.holds[stale].Believed; began != nil && sim.Time(*began) > f.promised(stale) {
		went = "began to believe"
	}
	return fmt.Sprintf("The holder: %s %s%s when its promise had run out, %s before the overlap began. The lock kept every promise.",
		f.who(stale), went, why, late)
}

// promised is the end of the promise to a hold.
func (f *facts) promised(id history.HoldID) sim.Time {
	if until := f.holds[id].PromisedUntil; until != nil {
		return sim.Time(*until)
	}
	return sim.Forever
}

// faultOn finds the fault of a kind that hit the client of a hold; of several the one that
// lasted longest.
func (f *facts) faultOn(id history.HoldID, kind string, before sim.Time) (longest history.Record, found bool) {
	executor := f.recorder.Hold(id).Executor
	for _, rec := range f.faults {
		if rec.Executor != executor || rec.At > before || rec.Fault != kind {
			continue
		}
		if !found || rec.Until.Sub(rec.At) > longest.Until.Sub(longest.At) {
			longest, found = rec, true
		}
	}
	return longest, found
}

// blameRequest: beliefs did not overlap, yet a request took effect too late.
func (f *facts) blameRequest(c *Checker, s Setting) string {
	v := c.Resource.Findings()[0]
	if cause := f.blameJob(v); cause != "" {
		return cause
	}
	late := f.earlier(v.First, v.Second)
	what, sent, applied := f.delay(late, v)
	who, how := "The network", "was under way"
	if hold, ok := f.faultOn(late, "hold", v.At); ok {
		how = "was held back by the network (" + hold.Text + ")"
	} else if s.Applies && what == lateWrite {
		who, how = "The resource", "was under way and being applied"
	}
	remedy := f.passed(c, s)
	switch {
	case s.Guard == "none" && !s.HasToken:
		remedy = "No lock can call a request back, and this one has no token by which the resource could tell."
	case s.Guard == "none" && f.rose(v):
		remedy = "No lock can call a request back; the resource could have rejected its token."
	case s.Guard == "none":
		remedy = "No lock can call a request back, and the tokens of this one did not rise from hold to hold."
	}
	return fmt.Sprintf("%s: the %s of %s %s for %s, and took effect after its hold had ended. %s",
		who, what, f.who(late), how, Length(applied.Sub(sent)), remedy)
}

// earlier returns which of two holds was let in first.
func (f *facts) earlier(a, b history.HoldID) history.HoldID {
	x, y := f.holds[a].Granted, f.holds[b].Granted
	if x != nil && y != nil && *y < *x {
		return b
	}
	return a
}

// What it is that comes late.
const (
	lateWrite  = "write"
	lateEffect = "request for an effect"
)

// delay returns which of a hold's last requests was longer on its way to the object of a finding,
// the write or that for an effect, when it was sent and when it took effect.
func (f *facts) delay(id history.HoldID, v monitor.Finding) (what string, sent, applied sim.Time) {
	what = lateWrite
	sent, applied = f.lastly(id, history.WriteEffect, v)
	if s, a := f.lastly(id, history.OutsideEffect, v); a.Sub(s) > applied.Sub(sent) {
		return lateEffect, s, a
	}
	return what, sent, applied
}

// lastly returns when the last request of a hold for one effect was sent, and when it was served or
// rejected.
func (f *facts) lastly(id history.HoldID, e history.Effect, v monitor.Finding) (sent, applied sim.Time) {
	for i := range f.recorder.Records {
		rec := &f.recorder.Records[i]
		if rec.Hold != id || rec.Effect != e || !about(rec, v) {
			continue
		}
		switch rec.Kind {
		case history.Request:
			sent, applied = rec.At, rec.At
		case history.Write, history.Perform, history.Reject:
			applied = rec.At
		}
	}
	return sent, applied
}

func plural(n int, what string) string {
	if n == 1 {
		return "one " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
