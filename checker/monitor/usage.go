package monitor

import (
	"slices"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

// Usage counts how much the lock was used, so that violations can be stated per
// acquisition and per hour held, and how long clients waited for it.
type Usage struct {
	// Acquisitions counts the beliefs that began, Held is how long they lasted in
	// true time, each counted by itself.
	Acquisitions int64
	// GaveUp counts the attempts that ended without the lock.
	GaveUp int64
	Held   time.Duration
	// Waited is how long each acquisition took, from the call to its return.
	Waited []time.Duration
	// Recovered is how long it took, whenever a client crashed that believed to hold the lock,
	// until the next one did.
	Recovered []time.Duration

	open    []opened
	asked   []sim.Time // by hold: when it was asked for
	crashed []sim.Time // holders since whose crash nobody has got the lock
}

type opened struct {
	belief
	since sim.Time
}

// Reset prepares for a new run.
func (u *Usage) Reset() {
	*u = Usage{Waited: u.Waited[:0], Recovered: u.Recovered[:0], open: u.open[:0], asked: u.asked[:0], crashed: u.crashed[:0]}
}

// Observe implements [history.Observer].
func (u *Usage) Observe(r *history.Record) {
	switch r.Kind {
	case history.Attempt:
		for len(u.asked) <= int(r.Hold) {
			u.asked = append(u.asked, 0)
		}
		u.asked[r.Hold] = r.At
	case history.GiveUp:
		u.GaveUp++
	case history.BeliefBegin:
		if r.Text != history.Resumed {
			u.acquired(r)
		}
		u.open = append(u.open, opened{belief{r.Hold, r.Executor}, r.At})
	case history.BeliefEnd:
		u.end(r.At, func(o opened) bool { return o.hold == r.Hold && o.executor == r.Executor })
	case history.Crash:
		if slices.ContainsFunc(u.open, func(o opened) bool { return o.executor == r.Executor }) {
			u.crashed = append(u.crashed, r.At)
		}
		u.end(r.At, func(o opened) bool { return o.executor == r.Executor })
	}
}

func (u *Usage) acquired(r *history.Record) {
	u.Acquisitions++
	if int(r.Hold) < len(u.asked) {
		u.Waited = append(u.Waited, r.At.Sub(u.asked[r.Hold]))
	}
	for _, at := range u.crashed {
		u.Recovered = append(u.Recovered, r.At.Sub(at))
	}
	u.crashed = u.crashed[:0]
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
