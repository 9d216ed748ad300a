package checker

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// Setting is what a cause depends on beyond the record.
type Setting struct {
	Guard string
	// HasToken says that the lock has a fencing token.
	HasToken bool
	// ServiceClock is the clock that ends a lease: "wall" or "monotonic".
	ServiceClock string
	// Durable says that the service's promises survive a crash of its servers.
	Durable bool
	// Bound names the bound that was hit, if one was.
	Bound string
}

// Cause says who is at fault in one or two sentences. It follows from which property
// broke first in the chain from the service to the resource: a service that broke its
// promise is named before a holder that outlived it, and a holder before a request
// that came late.
func (c *Checker) Cause(r *history.Recorder, s Setting) string {
	f := gather(r)
	guard, hasToken := s.Guard, s.HasToken
	switch {
	case c.Grants.Violated():
		return f.blameService(c.Grants.Findings()[0], s)
	case c.Exclusion.Violated():
		return f.blameHolder(c.Exclusion.Findings()[0]) + " " + f.outcome(c, guard, hasToken)
	case c.Resource.Violated():
		return f.blameRequest(c.Resource.Findings()[0], guard, hasToken)
	case c.Progress.Violated():
		return f.blameProgress(c.Progress.Findings()[0])
	}
	if s.Bound != "" {
		return "Unknown: the run ended at a bound (" + s.Bound + "), with nothing violated by then."
	}
	if n := f.rejections(); n > 0 {
		return fmt.Sprintf("Nobody: the guard %s rejected %s.", guard, plural(n, "request"))
	}
	return "Nobody: every property held."
}

// blameService: a promise was broken. What made the service forget it or its clock run
// ahead is the reason, the latest such fault if there were several. It has to have been in
// force since the broken promise's hold was asked for.
func (f *facts) blameService(v monitor.Finding, s Setting) string {
	if at, ok := f.takenAway(v.First); ok {
		return fmt.Sprintf("A client: one that did not have the lock released it at %s, with %s of the promise to %s left, and the service let %s in.",
			Seconds(at), left(at, v.To), f.who(v.First), f.who(v.Second))
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

// takenAway returns when another client released the lock of a hold, if one did.
func (f *facts) takenAway(hold history.HoldID) (sim.Time, bool) {
	for _, rec := range f.recorder.Records {
		if rec.Kind == history.ServiceEnd && rec.Hold == hold && rec.Text == history.ForeignRelease {
			return rec.At, true
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
	if v.Kind != "stuck" {
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

// outcome says what the overlap of two beliefs did to the resource.
func (f *facts) outcome(c *Checker, guard string, hasToken bool) string {
	switch n := f.rejections(); {
	case c.Resource.Violated() && guard == "none" && !hasToken:
		return "The resource had no guard, and this lock has no token that a guard could compare."
	case c.Resource.Violated() && guard == "none":
		return "The resource had no guard; the lock has a token that it could have compared."
	case c.Resource.Violated() && !slices.Contains(c.Resource.Ordered, history.ReadEffect):
		return fmt.Sprintf("The guard %s does not prevent this: a read by the newer holder raises nothing.", guard)
	case c.Resource.Violated():
		return fmt.Sprintf("The guard %s let it pass: the tokens did not rise from hold to hold.", guard)
	case n > 0:
		return fmt.Sprintf("The guard %s rejected %s, so nothing was harmed.", guard, plural(n, "request"))
	}
	if f.stoppedByCheck() {
		return "The holder's own check stopped it before it wrote, so nothing was harmed."
	}
	return "Nothing was harmed in this run."
}

// blameRequest: beliefs did not overlap, yet a request took effect too late.
func (f *facts) blameRequest(v monitor.Finding, guard string, hasToken bool) string {
	late := f.earlier(v.First, v.Second)
	sent, applied := f.delay(late)
	how := "was under way"
	if hold, ok := f.faultOn(late, "hold", v.At); ok {
		how = "was held back by the network (" + hold.Text + ")"
	}
	remedy := "The guard " + guard + " let it pass."
	switch {
	case guard == "none" && hasToken:
		remedy = "No lock can call a request back; the resource could have rejected its token."
	case guard == "none":
		remedy = "No lock can call a request back, and this one has no token by which the resource could tell."
	}
	return fmt.Sprintf("The network: the write of %s %s for %s, and took effect after its hold had ended. %s",
		f.who(late), how, Length(applied.Sub(sent)), remedy)
}

// earlier returns which of two holds was let in first.
func (f *facts) earlier(a, b history.HoldID) history.HoldID {
	x, y := f.holds[a].Granted, f.holds[b].Granted
	if x != nil && y != nil && *y < *x {
		return b
	}
	return a
}

// delay returns when the last write of a hold was sent and when it took effect.
func (f *facts) delay(id history.HoldID) (sent, applied sim.Time) {
	for i := range f.recorder.Records {
		rec := &f.recorder.Records[i]
		if rec.Hold != id || rec.Effect != history.WriteEffect {
			continue
		}
		switch rec.Kind {
		case history.Request:
			sent = rec.At
		case history.Write, history.Reject:
			applied = rec.At
		}
	}
	return sent, applied
}

// stoppedByCheck reports whether a client asked its library, heard that its lock was gone
// and stopped for it.
func (f *facts) stoppedByCheck() bool {
	failed := history.HoldID(0)
	for i := range f.recorder.Records {
		switch r := &f.recorder.Records[i]; {
		case r.Kind == history.Check && r.Text == "failed":
			failed = r.Hold
		case r.Hold != failed || failed == 0:
		case r.Kind == history.Request:
			failed = 0
		case r.Kind == history.ReleaseBegin:
			return true
		}
	}
	return failed != 0
}

func (f *facts) rejections() (n int) {
	for i := range f.recorder.Records {
		if f.recorder.Records[i].Kind == history.Reject {
			n++
		}
	}
	return n
}

func plural(n int, what string) string {
	if n == 1 {
		return "one " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
