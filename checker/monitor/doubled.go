package monitor

import (
	"fencepost/sim"
	"fencepost/sim/history"
)

// outside is what an object's jobs have done outside of the data.
type outside struct {
	jobs []history.HoldID // by job: for which hold it was done
	// longest is the effect that goes on longest, and other the one that does among those that
	// were begun for other holds than that.
	longest, other lasting
}

// lasting is an effect that goes on until an instant.
type lasting struct {
	hold  history.HoldID
	until sim.Time
}

func (o *outside) reset() { o.jobs, o.longest, o.other = o.jobs[:0], lasting{}, lasting{} }

// besides is the effect that goes on longest of those that were not begun for a hold.
func (o *outside) besides(hold history.HoldID) lasting {
	if o.longest.hold == hold {
		return o.other
	}
	return o.longest
}

// begin takes note of an effect.
func (o *outside) begin(e lasting) {
	switch {
	case e.until > o.longest.until && e.hold == o.longest.hold:
		o.longest = e
	case e.until > o.longest.until:
		o.longest, o.other = e, o.longest
	case e.until > o.other.until && e.hold != o.longest.hold:
		o.other = e
	}
}

// perform judges an effect outside of the data: each job is done once, and one after the other.
func (m *Resource) perform(r *history.Record) {
	o := &m.objects[r.Object].outside
	before, others := slot(&o.jobs, int(r.Content)), o.besides(r.Hold)
	switch {
	case *before != 0:
		m.add(Finding{Kind: "doubled-effect", At: r.At, First: *before, Second: r.Hold, Object: int(r.Object), From: r.At, To: r.At, Job: r.Content})
	case others.until > r.At:
		m.add(Finding{Kind: "doubled-effect", At: r.At, First: others.hold, Second: r.Hold, Object: int(r.Object), From: r.At, To: min(others.until, r.Until)})
	}
	*before = r.Hold
	o.begin(lasting{r.Hold, r.Until})
}

// entries are the values that were appended to an object.
type entries struct {
	once flags // by value
}

func (e *entries) reset() { e.once = e.once[:0] }

// enter judges an entry: each stands in the log once.
func (m *Resource) enter(r *history.Record) {
	e := &m.objects[r.Object].entries
	if e.once.has(int(r.Value)) {
		m.add(Finding{Kind: "doubled-effect", At: r.At, First: r.Hold, Second: r.Hold, Object: int(r.Object), Change: r.Change, From: r.At, To: r.At, Written: r.Value})
	}
	e.once.set(int(r.Value), true)
}
