package checker

import (
	"fmt"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// blameJob: something was done twice though no two holders believed at once. Empty if that is not
// what was found.
func (f *facts) blameJob(v monitor.Finding) string {
	switch {
	case v.Kind != "doubled-effect":
		return ""
	case v.First == v.Second:
		return fmt.Sprintf("The resource: a request of %s came twice, and took effect twice. It has no key by which it could tell.", f.who(v.Second))
	case v.Job == 0:
		return fmt.Sprintf("The job: that of %s went on when its hold had ended. No lock and no guard ends what has begun.", f.who(v.First))
	}
	did := f.did(v.First, v.Job)
	if !f.recordedAfter(v.First, did, v.At) {
		return fmt.Sprintf("Nobody could tell: %s did job %d at %s, and ended before it was recorded as done. A lock does not make the effect and its record one step.",
			f.who(v.First), v.Job, Seconds(did))
	}
	return ""
}

// did is when a hold did a job.
func (f *facts) did(hold history.HoldID, job int64) (at sim.Time) {
	for _, rec := range f.recorder.Records {
		if rec.Kind == history.Perform && rec.Hold == hold && rec.Content == job {
			at = rec.At
		}
	}
	return at
}

// recordedAfter reports whether a hold wrote between two instants.
func (f *facts) recordedAfter(hold history.HoldID, from, to sim.Time) bool {
	for _, rec := range f.recorder.Records {
		if rec.Kind == history.Write && rec.Hold == hold && from <= rec.At && rec.At <= to {
			return true
		}
	}
	return false
}
