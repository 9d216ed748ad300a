package monitor

import (
	"fencepost/sim"
	"fencepost/sim/history"
)

// Touched counts how often each line of the fault ledger reached a client while it
// believed to hold the lock: when it struck, or later in its window.
type Touched struct {
	// ByLine is by line of the ledger; lines that touched nobody may be missing.
	ByLine []int

	believing [history.MaxClients]int
	windows   []window
	order     int64 // of the last removal that touched a holder
}

// window is a strike that has not touched a holder yet.
type window struct {
	line   int64
	struck history.Clients
	until  sim.Time
}

// Reset prepares for a new run.
func (m *Touched) Reset() {
	clear(m.ByLine)
	clear(m.believing[:])
	m.windows, m.order = m.windows[:0], 0
}

// Observe implements [history.Observer].
func (m *Touched) Observe(r *history.Record) {
	switch r.Kind {
	case history.BeliefBegin:
		m.believing[r.Executor.Client()]++
		m.began(r.Executor.Client(), r.At)
	case history.BeliefEnd:
		m.believing[r.Executor.Client()]--
	case history.Crash:
		m.believing[r.Executor.Client()] = 0
	case history.Fault:
		m.struck(r)
	case history.Removal:
		m.removed(r)
	}
}

// began: every window that is open for the client has now touched a holder.
func (m *Touched) began(client int, at sim.Time) {
	kept := m.windows[:0]
	for _, w := range m.windows {
		switch {
		case at >= w.until: // it is over
		case w.struck.Has(client):
			m.count(w.line)
		default:
			kept = append(kept, w)
		}
	}
	m.windows = kept
}

func (m *Touched) struck(r *history.Record) {
	if r.Value == history.NoLine {
		return
	}
	for client, n := range m.believing {
		if n > 0 && r.Struck.Has(client) {
			m.count(r.Value)
			return
		}
	}
	if r.Until > r.At && r.Struck != 0 {
		m.windows = append(m.windows, window{r.Value, r.Struck, r.Until})
	}
}

// removed: whoever believes in a hold whose record is removed is touched, once by each order.
func (m *Touched) removed(r *history.Record) {
	if r.Value == history.NoLine || r.Hold == 0 || m.believing[r.Executor.Client()] == 0 || r.Base == m.order {
		return
	}
	m.order = r.Base
	m.count(r.Value)
}

func (m *Touched) count(line int64) {
	for int(line) >= len(m.ByLine) {
		m.ByLine = append(m.ByLine, 0)
	}
	m.ByLine[line]++
}

// Of returns the count of a line.
func (m *Touched) Of(line int) int {
	if line < len(m.ByLine) {
		return m.ByLine[line]
	}
	return 0
}
