package monitor

import (
	"fencepost/sim"
	"fencepost/sim/history"
)

// Grants: the service let a hold in while its promise to another still ran and the
// release of that other had not begun. A promise without an end is one to a living
// process and ends when that crashes.
type Grants struct {
	findings
	promises []promise
	released flags // by hold: its release has begun since it was last let in
	gaveUp   flags // by hold: its owner asks no more
	done     flags // by hold: its owner asks no more and has begun to release it, for good
	crashed  flags // by executor
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
	m.promises, m.released = m.promises[:0], m.released[:0]
	m.gaveUp, m.done, m.crashed = m.gaveUp[:0], m.done[:0], m.crashed[:0]
}

// Observe implements [history.Observer].
func (m *Grants) Observe(r *history.Record) {
	switch r.Kind {
	case history.Grant:
		m.grant(r)
	case history.Promise:
		m.promise(r)
	case history.GiveUp:
		m.gaveUp.set(int(r.Hold), true)
	case history.ReleaseBegin:
		m.released.set(int(r.Hold), true)
		m.done.set(int(r.Hold), m.gaveUp.has(int(r.Hold)))
		m.end(func(p promise) bool { return p.hold == r.Hold })
	case history.Crash:
		m.crashed.set(int(r.Executor), true)
		m.end(func(p promise) bool { return p.executor == r.Executor && p.until == sim.Forever })
	}
}

func (m *Grants) grant(r *history.Record) {
	m.end(func(p promise) bool { return p.until <= r.At || p.hold == r.Hold })
	for _, p := range m.promises {
		m.add(Finding{Kind: "promise-broken", At: r.At, First: p.hold, Second: r.Hold, From: r.At, To: p.until})
	}
	m.released.set(int(r.Hold), m.done.has(int(r.Hold)))
	m.promise(r)
}

// promise notes the promise that a grant or a renewal makes. Who has begun to release
// is promised nothing any more, though its session may be renewed once more.
func (m *Grants) promise(r *history.Record) {
	if m.released.has(int(r.Hold)) || r.Until == sim.Forever && m.crashed.has(int(r.Executor)) {
		return
	}
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
