package monitor

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

// Usage counts how much the lock was used, so that violations can be stated per
// acquisition and per hour held.
type Usage struct {
	// Acquisitions counts the beliefs that began, Held is how long they lasted in
	// true time, each counted by itself.
	Acquisitions int64
	// GaveUp counts the attempts that ended without the lock.
	GaveUp int64
	Held   time.Duration

	open []opened
}

type opened struct {
	belief
	since sim.Time
}

// Reset prepares for a new run.
func (u *Usage) Reset() { u.Acquisitions, u.GaveUp, u.Held, u.open = 0, 0, 0, u.open[:0] }

// Observe implements [history.Observer].
func (u *Usage) Observe(r *history.Record) {
	switch r.Kind {
	case history.GiveUp:
		u.GaveUp++
	case history.BeliefBegin:
		if r.Text != history.Resumed {
			u.Acquisitions++
		}
		u.open = append(u.open, opened{belief{r.Hold, r.Executor}, r.At})
	case history.BeliefEnd:
		u.end(r.At, func(o opened) bool { return o.hold == r.Hold && o.executor == r.Executor })
	case history.Crash:
		u.end(r.At, func(o opened) bool { return o.executor == r.Executor })
	}
}

// Finish counts what is still held at the end of the run.
func (u *Usage) Finish(at sim.Time) { u.end(at, func(opened) bool { return true }) }

func (u *Usage) end(at sim.Time, over func(opened) bool) {
	kept := u.open[:0]
	for _, o := range u.open {
		if over(o) {
			u.Held += at.Sub(o.since)
		} else {
			kept = append(kept, o)
		}
	}
	u.open = kept
}
