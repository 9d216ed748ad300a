package checker

import (
	"fmt"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// blameJob: something was done twice though no two holders believed at once. There is no
// cause if that is not what was found, or if it was a request of the earlier hold that came late.
func (f *facts) blameJob(v monitor.Finding) Cause {
	switch {
	case f.copied(v):
		return Cause{RequestTwice, fmt.Sprintf("The resource: a request of %s came twice, and took effect twice. It has no key by which it could tell.", f.who(v.Second))}
	case f.outlives(v):
		return Cause{JobOutlived, fmt.Sprintf("The job: that of %s went on when its hold had ended. No lock and no guard ends what has begun.", f.who(v.First))}
	case v.Kind != "doubled-effect" || f.earlier(v.First, v.Second) != v.First:
		return Cause{}
	}
	did := f.did(v)
	if f.ended(v.First, did) {
		return Cause{} // its request came late
	}
	if !f.recorded(v, did) {
		return Cause{EffectUnnoted, fmt.Sprintf("Nobody could tell: %s did job %d at %s, and ended before it was recorded as done. A lock does not make the effect and its record one step.",
			f.who(v.First), v.Job, Seconds(did))}
	}
	return Cause{}
}

// copied reports whether a request took effect twice.
func (f *facts) copied(v monitor.Finding) bool {
	return v.Kind == "doubled-effect" && v.First == v.Second
}

// outlives reports whether the effect of the earlier hold went on when a later one began its own.
func (f *facts) outlives(v monitor.Finding) bool {
	return v.Kind == "doubled-effect" && !f.copied(v) && v.Job == 0 && f.earlier(v.First, v.Second) == v.First && !f.ended(v.First, f.did(v))
}

// ended reports whether a hold's belief had ended by an instant.
func (f *facts) ended(id history.HoldID, at sim.Time) bool {
	until := f.holds[id].BelievedUntil
	return until != nil && sim.Time(*until) < at
}

// pastGuards says why nothing that compares tokens or versions would have prevented a harm, if so.
func (f *facts) pastGuards(v monitor.Finding) string {
	switch {
	case f.copied(v):
		return fmt.Sprintf("A request of %s came twice, and took effect twice: nothing but a key of its own tells a copy.", f.who(v.Second))
	case f.outlives(v):
		return fmt.Sprintf("The job of %s went on, and no guard ends what has begun.", f.who(v.First))
	}
	return ""
}

// did is when the first hold of a finding did the job.
func (f *facts) did(v monitor.Finding) (at sim.Time) {
	for _, rec := range f.recorder.Records {
		if rec.Kind == history.Perform && rec.Hold == v.First && (rec.Content == v.Job || v.Job == 0) && about(&rec, v) {
			at = rec.At
		}
	}
	return at
}

// recorded reports whether that hold has written since an instant.
func (f *facts) recorded(v monitor.Finding, since sim.Time) bool {
	for _, rec := range f.recorder.Records {
		if rec.Kind == history.Write && rec.Hold == v.First && rec.At >= since && about(&rec, v) {
			return true
		}
	}
	return false
}

// about reports whether a record is about the object of a finding, and not after it.
func about(rec *history.Record, v monitor.Finding) bool {
	return int(rec.Object) == v.Object && rec.At <= v.At
}

// goesOn is for how long an effect of the first hold of a finding went on, as of then.
func (f *facts) goesOn(v monitor.Finding) (rest string) {
	until := v.At
	for _, rec := range f.recorder.Records {
		if rec.Kind == history.Perform && rec.Hold == v.First && about(&rec, v) {
			until = max(until, rec.Until)
		}
	}
	return Length(until.Sub(v.At))
}
