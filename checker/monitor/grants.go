package monitor

import (
	"fencepost/sim"
	"fencepost/sim/history"
)

// Grants: the service let a hold in while its promise to another still ran and the
// release of that other had not begun.
type Grants struct {
	findings
	promises []promise
}

// promise is a promise that may still run.
type promise struct {
	hold     history.HoldID
	executor history.Executor
	until    sim.Time
}

// Reset prepares for a new run.
func (m *Grants) Reset() {
	m.reset()
	m.promises = m.promises[:0]
}

// Observe implements [history.Observer].
func (m *Grants) Observe(r *history.Record) {
	switch r.Kind {
	case history.Grant:
		m.grant(r)
	case history.Promise:
		m.extend(r)
	case history.ReleaseBegin:
		m.end(func(p promise) bool { return p.hold == r.Hold })
	case history.Crash:
		// A promise without an end is one to a living process.
		m.end(func(p promise) bool { return p.executor == r.Executor && p.until == sim.Forever })
	}
}

func (m *Grants) grant(r *history.Record) {
	m.end(func(p promise) bool { return p.until <= r.At || p.hold == r.Hold })
	for _, p := range m.promises {
		m.add(Finding{Kind: "promise-broken", At: r.At, First: p.hold, Second: r.Hold, From: r.At, To: p.until})
	}
	m.promises = append(m.promises, promise{r.Hold, r.Executor, r.Until})
}

func (m *Grants) extend(r *history.Record) {
	for i := range m.promises {
		if m.promises[i].hold == r.Hold {
			m.promises[i].until = r.Until
			return
		}
	}
	m.promises = append(m.promises, promise{r.Hold, r.Executor, r.Until})
}

func (m *Grants) end(over func(promise) bool) {
	kept := m.promises[:0]
	for _, p := range m.promises {
		if !over(p) {
			kept = append(kept, p)
		}
	}
	m.promises = kept
}
