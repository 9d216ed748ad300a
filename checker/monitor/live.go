package monitor

import (
	"fencepost/sim"
	"fencepost/sim/history"
)

// life is what [Progress] knows of a hold.
type life struct {
	executor history.Executor
	listed   bool     // among those that may be live
	granted  sim.Time // when it was last let in
	until    sim.Time // end of the promise

	ended      bool // by the service, since it was last let in
	endedAt    sim.Time
	released   bool // its release has begun, since it was last let in
	releasedAt sim.Time
	returnedAt sim.Time // the last that is known of the release
	orphan     bool     // its owner crashed, or came out of acquire without it
	orphanAt   sim.Time
}

func (m *Progress) of(hold history.HoldID) *life {
	for len(m.holds) <= int(hold) {
		m.holds = append(m.holds, life{})
	}
	return &m.holds[hold]
}

// grant is a promise to a hold, which may make it live. Whoever is trying has been
// waiting until then.
func (m *Progress) grant(r *history.Record) {
	live, h := m.liveUntil(r.At), m.of(r.Hold)
	h.executor, h.until = r.Executor, r.Until
	if r.Kind == history.Grant {
		h.granted, h.ended, h.released = r.At, false, false
		m.idleAt = max(m.idleAt, r.At) // nobody is stuck at a grant
	}
	if m.crashed.has(int(r.Executor)) {
		h.leave(r.At)
	}
	starts := !h.listed && h.liveUntil() > r.At
	if starts {
		h.listed, m.live = true, append(m.live, r.Hold)
	}
	if starts || r.Kind == history.Grant {
		m.judgeAll(live, r.At)
	}
}

func (m *Progress) release(r *history.Record) {
	h := m.of(r.Hold)
	if !h.released {
		h.released, h.releasedAt = true, r.At
	}
	h.returnedAt = r.At
}

func (m *Progress) crash(r *history.Record) {
	m.crashed.set(int(r.Executor), true)
	for _, id := range m.live {
		if h := m.of(id); h.executor == r.Executor {
			h.leave(r.At)
		}
	}
}

// leave makes a hold one without an owner.
func (h *life) leave(at sim.Time) {
	if !h.orphan {
		h.orphan, h.orphanAt = true, at
	}
}

// ownerless returns since when the service has kept a hold that is released or without
// an owner, and false if it is neither.
func (h *life) ownerless() (since sim.Time, is bool) {
	switch {
	case h.released:
		return h.returnedAt, true
	case h.orphan:
		return max(h.orphanAt, h.granted), true
	}
	return 0, false
}

// liveUntil is until when a hold is live, as far as is known now.
func (h *life) liveUntil() sim.Time {
	until := sim.Forever
	switch {
	case h.orphan && h.until == sim.Forever:
		until = h.orphanAt
	case h.orphan && h.ended:
		until = max(h.orphanAt, min(h.endedAt, h.until))
	case h.orphan:
		until = max(h.orphanAt, h.until)
	}
	if h.released {
		until = min(until, h.releasedAt)
	}
	return until
}

// liveUntil is until when some hold is live, as far as is known at an instant. Holds
// that are not live any more leave the list, so that it stays short.
func (m *Progress) liveUntil(at sim.Time) sim.Time {
	latest, kept := m.idleAt, m.live[:0]
	for _, id := range m.live {
		h := m.of(id)
		until := h.liveUntil()
		latest = max(latest, until)
		if until > at {
			kept = append(kept, id)
		} else {
			h.listed, m.idleAt = false, max(m.idleAt, until)
		}
	}
	m.live = kept
	return latest
}
