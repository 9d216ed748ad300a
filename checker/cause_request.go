package checker

import (
	"fmt"
	"time"

	"fencepost/checker/monitor"
	"fencepost/sim/history"
)

// blameRequest: beliefs did not overlap, yet a request took effect too late.
func (f *facts) blameRequest(c *Checker, v monitor.Finding, s Setting) Cause {
	if cause := f.blameJob(v); cause.Kind != "" {
		return cause
	}
	late := f.overdue(v)
	switch {
	case late == nil && v.Kind == "stale-read":
		return Cause{OldValueServed, "The resource: " + f.sentence(v) + "."}
	case late == nil:
		return Cause{Unexplained, "Nobody is known to be at fault: " + f.sentence(v) + ", though no two holders believed at once and no request came late."}
	}
	kind, who, how := f.delayed(late, s)
	return Cause{kind, fmt.Sprintf("%s: %s for %s, and took effect after its hold had ended. %s", who, how, Length(late.took()), f.remedy(c, v, s))}
}

// delayed says what a request waited for, and where.
func (f *facts) delayed(q *request, s Setting) (kind CauseKind, who, how string) {
	what := fmt.Sprintf("the %s of %s", nameOf(q.sent.Effect), f.who(q.sent.Hold))
	if q.copied {
		return RequestTwice, "The network", fmt.Sprintf("a copy of %s%s was under way", what, f.copier(q))
	}
	if fault, ok := f.onItsWay(q, f.heldBack); ok {
		return LateRequest, "The network", fmt.Sprintf("%s was held back by the network (%s)", what, fault.Text)
	}
	if fault, ok := f.onItsWay(q, waitedAtResource); ok {
		return SlowResource, "The resource", fmt.Sprintf("%s waited there (%s)", what, fault.Text)
	}
	if s.Applies && q.sent.Effect == history.WriteEffect {
		return SlowResource, "The resource", what + " was under way and being applied"
	}
	return LateRequest, "The network", what + " was under way"
}

// nameOf names a request by its effect.
func nameOf(e history.Effect) string {
	if e == history.OutsideEffect {
		return "request for an effect"
	}
	return e.String()
}

// onItsWay returns the fault that kept a request: of several the one that did for longest.
func (f *facts) onItsWay(q *request, kept func(q *request, rec *history.Record) bool) (longest history.Record, found bool) {
	for i := range f.faults {
		rec := &f.faults[i]
		if kept(q, rec) && (!found || within(rec, q.sent.At, q.served.At) > within(&longest, q.sent.At, q.served.At)) {
			longest, found = *rec, true
		}
	}
	return longest, found
}

// heldBack reports whether a fault of the links between a request's client and the resource is why
// it took so long. A message that is held was there when it was sent, is of the class that is held,
// and waits for about all of the time. What a cut link swallows is sent again, which takes up to
// about as long again; what makes links slow has to be in force only when it is sent.
func (f *facts) heldBack(q *request, rec *history.Record) bool {
	if !onLinks(rec) || rec.Parties&history.Protected == 0 || !rec.Struck.Has(f.clientOf(q.sent.Hold)) || !covers(rec, q.sent.At) {
		return false
	}
	waited := within(rec, q.sent.At, q.served.At)
	switch rec.Fault {
	case "hold":
		return (rec.Effect == history.AnyEffect || rec.Effect == q.sent.Effect) && waited >= part(q.took(), 9, 10)
	case "cut", "isolate", "split", "hang":
		return waited >= part(q.took(), 4, 10)
	case "duplicate":
		return q.copied
	}
	return true
}

// waitedAtResource reports whether a fault of the resource's host kept a request for most of its time.
func waitedAtResource(q *request, rec *history.Record) bool {
	return !onLinks(rec) && rec.Host == history.ResourceHost && within(rec, q.sent.At, q.served.At) >= part(q.took(), 5, 10)
}

// part is a share of a duration.
func part(d time.Duration, of, whole int64) time.Duration {
	return time.Duration(float64(d) * float64(of) / float64(whole))
}

// copier names the fault that copied a request, if one is known.
func (f *facts) copier(q *request) string {
	if fault, ok := f.onItsWay(q, func(q *request, rec *history.Record) bool { return rec.Fault == "duplicate" && f.heldBack(q, rec) }); ok {
		return " (" + fault.Text + ")"
	}
	return ""
}

// remedy says what would have prevented that a late request did harm.
func (f *facts) remedy(c *Checker, v monitor.Finding, s Setting) string {
	switch {
	case s.Guard == "none" && !s.HasToken:
		return "No lock can call a request back, and this one has no token by which the resource could tell."
	case s.Guard == "none" && f.rose(v):
		return "No lock can call a request back; the resource could have rejected its token."
	case s.Guard == "none":
		return "No lock can call a request back, and the tokens of this one did not rise from hold to hold."
	}
	return f.passed(c, s)
}

// earlier returns which of two holds was let in first.
func (f *facts) earlier(a, b history.HoldID) history.HoldID {
	x, y := f.holds[a].Granted, f.holds[b].Granted
	if x != nil && y != nil && *y < *x {
		return b
	}
	return a
}
