package monitor

import (
	"fencepost/sim"
	"fencepost/sim/history"
)

// outside is what an object's jobs have done outside of the data.
type outside struct {
	jobs  []history.HoldID // by job: for which hold it was done
	until sim.Time         // when the one that goes on longest is over
	by    history.HoldID   // for whom that one was begun
}

func (o *outside) reset() { o.jobs, o.until, o.by = o.jobs[:0], 0, 0 }

// perform judges an effect outside of the data: each job is done once, and one after the other.
func (m *Resource) perform(r *history.Record) {
	o := &m.objects[r.Object].outside
	before := slot(&o.jobs, int(r.Content))
	switch {
	case *before != 0:
		m.add(Finding{Kind: "doubled-effect", At: r.At, First: *before, Second: r.Hold, Object: int(r.Object), From: r.At, To: r.At, Job: r.Content})
	case o.until > r.At && o.by != r.Hold:
		m.add(Finding{Kind: "doubled-effect", At: r.At, First: o.by, Second: r.Hold, Object: int(r.Object), From: r.At, To: min(o.until, r.Until)})
	}
	*before = r.Hold
	if r.Until > o.until {
		o.until, o.by = r.Until, r.Hold
	}
}

// entries are the values that were appended to an object.
type entries struct {
	once []bool // by value
}

func (e *entries) reset() { e.once = e.once[:0] }

// enter judges an entry: each stands in the log once.
func (m *Resource) enter(r *history.Record) {
	entered := slot(&m.objects[r.Object].once, int(r.Value))
	if *entered {
		m.add(Finding{Kind: "doubled-effect", At: r.At, First: r.Hold, Second: r.Hold, Object: int(r.Object), Change: r.Change, From: r.At, To: r.At, Written: r.Value})
	}
	*entered = true
}
