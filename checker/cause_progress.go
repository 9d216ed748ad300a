package checker

import (
	"fmt"
	"strings"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// blameProgress: the service answers for a lock that it took early or kept too long. Who
// answers for a client that waits in vain, the record does not say: its own link, clock
// or library may be at fault as well.
func (f *facts) blameProgress(v monitor.Finding, s Setting) Cause {
	switch v.Kind {
	case "starved":
		return Cause{PassedOver, "The lock: " + f.sentence(v) + "."}
	case "ended-late":
		return Cause{KeptTooLong, "The service: " + f.sentence(v) + "."}
	case "lost-early":
		return f.blameEnd(v, s)
	}
	var before []string
	since := f.lastLetIn(v.From)
	for i := range f.faults {
		if rec := &f.faults[i]; meets(rec, since, v.At) {
			before = append(before, rec.Text)
		}
	}
	if len(before) == 0 {
		return Cause{NotMovedOn, "The lock did not move on: " + f.sentence(v) + "."}
	}
	return Cause{NotMovedOn, "The lock did not move on after " + strings.Join(before, "; ") + ": " + f.sentence(v) + "."}
}

// lastLetIn is when somebody was let in last, by an instant: what went wrong came after it.
func (f *facts) lastLetIn(by sim.Time) (at sim.Time) {
	for i := range f.recorder.Records {
		if rec := &f.recorder.Records[i]; rec.Kind == history.Grant && rec.At <= by {
			at = rec.At
		}
	}
	return at
}

// blameEnd: a hold was ended before its time, and nobody was harmed by that.
func (f *facts) blameEnd(v monitor.Finding, s Setting) Cause {
	if removal, ok := f.removed(v.First, v.At); ok && removal.At == v.At {
		return Cause{ThirdParty, fmt.Sprintf("%s, and not the service (%s at %s): %s.", thirdParty, removal.Text, Seconds(removal.At), f.sentence(v))}
	}
	if at, by, ok := f.takenAway(v.First, v.At); ok {
		return Cause{ForeignUnlock, fmt.Sprintf("A client: %s, who did not have the lock any more, released it at %s: %s.", f.who(by), Seconds(at), f.sentence(v))}
	}
	why := f.endedBefore(v.First, f.nextAfter(v.First, v.At), v.At, v.To, s)
	if why.kind == "" {
		return Cause{EndedEarly, "The service: " + f.sentence(v) + "."}
	}
	return Cause{why.kind, "The service" + why.after() + ": " + f.sentence(v) + "."}
}

// nextAfter is the hold that is let in at the very instant at which another is ended, or 0.
func (f *facts) nextAfter(id history.HoldID, at sim.Time) history.HoldID {
	for i := range f.recorder.Records {
		if rec := &f.recorder.Records[i]; rec.Kind == history.Grant && rec.At == at && rec.Hold != id {
			return rec.Hold
		}
	}
	return 0
}
