package checker

import (
	"fmt"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

// keptOut says why nobody got in, where a holder stood still or fell silent while somebody
// waited, so that a reader will ask.
func (f *facts) keptOut(takeover time.Duration) string {
	for _, h := range f.recorder.Holds {
		from, to := f.outlasted(h.ID)
		if to > from && f.wanted(h.ID, from, to) {
			return fmt.Sprintf(" The promise to %s ran out %s before its hold was over, and nobody was let in meanwhile: this lock may take %s to pass from a silent holder to the next.",
				f.who(h.ID), Length(to.Sub(from)), Length(takeover))
		}
		for _, kind := range []string{"pause", "suspend"} {
			fault, ok := f.longest(h.ID, kind)
			if !ok || to > from || !f.wanted(h.ID, fault.At, fault.Until) {
				continue
			}
			switch until := f.promisedAt(h.ID, fault.At); {
			case until == sim.Forever:
				return fmt.Sprintf(" The promise to %s has no end in time, so that %s took nothing from it.", f.who(h.ID), fault.Text)
			case until < fault.Until:
				return fmt.Sprintf(" The promise to %s was renewed during %s.", f.who(h.ID), fault.Text)
			}
		}
	}
	return ""
}

// longest is the longest fault of a kind that a hold's client suffered while it had, or wanted, it.
func (f *facts) longest(id history.HoldID, kind string) (longest history.Record, found bool) {
	for i := range f.faults {
		rec := &f.faults[i]
		if rec.Fault == kind && onHost(rec, f.clientOf(id)) && meets(rec, f.attempted[id], f.end(id)) &&
			(!found || rec.Until.Sub(rec.At) > longest.Until.Sub(longest.At)) {
			longest, found = *rec, true
		}
	}
	return longest, found
}

// promisedAt is until when a hold was promised, as of an instant; zero if it was not.
func (f *facts) promisedAt(id history.HoldID, at sim.Time) (until sim.Time) {
	for _, rec := range f.recorder.Records {
		if rec.Hold == id && rec.At <= at && (rec.Kind == history.Grant || rec.Kind == history.Promise) {
			until = rec.Until
		}
	}
	return until
}

// wanted reports whether somebody else waited for the lock in a window in which a hold was
// believed.
func (f *facts) wanted(id history.HoldID, from, to sim.Time) bool {
	h := f.holds[id]
	if h.Believed == nil || sim.Time(*h.Believed) > to || h.BelievedUntil != nil && sim.Time(*h.BelievedUntil) < from {
		return false
	}
	waiting := map[history.HoldID]bool{}
	for _, rec := range f.recorder.Records {
		if rec.At > to || rec.At > from && len(waiting) > 0 {
			break
		}
		switch rec.Kind {
		case history.Attempt:
			if rec.Hold != id {
				waiting[rec.Hold] = true
			}
		case history.Grant, history.GiveUp:
			delete(waiting, rec.Hold)
		}
	}
	return len(waiting) > 0
}

// outlasted is the first window in which a hold was believed and no promise to it ran.
func (f *facts) outlasted(id history.HoldID) (from, to sim.Time) {
	until, believed := sim.Forever, false
	for i := range f.recorder.Records {
		rec := &f.recorder.Records[i]
		if rec.Hold != id {
			continue
		}
		if believed && rec.At > until {
			return until, rec.At
		}
		switch rec.Kind {
		case history.Grant, history.Promise:
			until = rec.Until
		case history.BeliefBegin:
			believed = true
		case history.BeliefEnd:
			believed = false
		}
	}
	return 0, 0
}
