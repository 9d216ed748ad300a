package monitor

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

// Exclusion: the beliefs of two holds overlapped.
type Exclusion struct {
	findings
	// Overlap is for how long more than one belief was held, in true time. Where three
	// beliefs overlap, the time counts once.
	Overlap time.Duration

	beliefs []belief
	open    []overlap
	since   sim.Time // when there were last two beliefs, if there are now
}

type belief struct {
	hold     history.HoldID
	executor history.Executor
}

// overlap is a finding whose window is still open.
type overlap struct {
	index int // in the findings
	pair  [2]history.HoldID
}

// Reset prepares for a new run.
func (m *Exclusion) Reset() {
	m.reset()
	m.Overlap, m.beliefs, m.open = 0, m.beliefs[:0], m.open[:0]
}

// Observe implements [history.Observer].
func (m *Exclusion) Observe(r *history.Record) {
	switch r.Kind {
	case history.BeliefBegin:
		m.begin(r)
	case history.BeliefEnd:
		m.end(r.At, func(b belief) bool { return b.hold == r.Hold && b.executor == r.Executor })
	case history.Crash:
		m.end(r.At, func(b belief) bool { return b.executor == r.Executor })
	case history.Request:
		m.acted(r.Hold)
	}
}

// Believer returns the client that has believed longest to hold the lock, or -1 if none
// does.
func (m *Exclusion) Believer() int {
	if len(m.beliefs) == 0 {
		return -1
	}
	return m.beliefs[0].executor.Client()
}

func (m *Exclusion) begin(r *history.Record) {
	for _, b := range m.beliefs {
		f := m.add(Finding{Kind: "overlap", At: r.At, First: b.hold, Second: r.Hold, From: r.At, To: sim.Forever})
		if f != nil {
			m.open = append(m.open, overlap{len(m.list) - 1, [2]history.HoldID{b.hold, r.Hold}})
		}
	}
	m.beliefs = append(m.beliefs, belief{r.Hold, r.Executor})
	if len(m.beliefs) == 2 {
		m.since = r.At
	}
}

// Finish counts what still overlaps at the end of the run.
func (m *Exclusion) Finish(at sim.Time) {
	if len(m.beliefs) > 1 {
		m.Overlap += at.Sub(m.since)
		m.since = at
	}
}

func (m *Exclusion) end(at sim.Time, over func(belief) bool) {
	before := len(m.beliefs)
	kept := m.beliefs[:0]
	for _, b := range m.beliefs {
		if over(b) {
			m.close(at, b.hold)
		} else {
			kept = append(kept, b)
		}
	}
	m.beliefs = kept
	if before > 1 && len(kept) < 2 {
		m.Overlap += at.Sub(m.since)
	}
}

// close ends the windows that a hold has a part in.
func (m *Exclusion) close(at sim.Time, hold history.HoldID) {
	open := m.open[:0]
	for _, o := range m.open {
		if o.pair[0] == hold || o.pair[1] == hold {
			m.list[o.index].To = at
		} else {
			open = append(open, o)
		}
	}
	m.open = open
}

// acted marks that a hold used what it believed in.
func (m *Exclusion) acted(hold history.HoldID) {
	for _, o := range m.open {
		f := &m.list[o.index]
		f.FirstActed = f.FirstActed || o.pair[0] == hold
		f.SecondActed = f.SecondActed || o.pair[1] == hold
	}
}
