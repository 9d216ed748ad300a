package monitor

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

// Grace is what a lock may take beyond its declared takeover.
const Grace = time.Second

// Progress: the lock did not move on as it should.
//
//   - stuck: somebody was trying, no hold was live, and nobody was granted within
//     the lock's takeover and [Grace]. A hold is live while it is unreleased and its
//     incarnation runs, or while a promise to it runs. A paused client neither
//     tries nor stops being live.
//   - lost-early: the service ended a hold before its promise was over, unreleased.
//   - ended-late: somebody was trying, and the service kept a hold for longer than the
//     takeover and [Grace] after its owner had released it or crashed.
type Progress struct {
	findings
	// Takeover is declared by the lock.
	Takeover time.Duration

	holds  []life
	tries  []try
	idleAt sim.Time // since when no hold is live, if none is
}

// life is what is known of a hold.
type life struct {
	executor history.Executor
	granted  bool
	ended    bool // by the service
	released bool
	crashed  bool
	until    sim.Time // end of the promise
	gone     sim.Time // when its owner released it or crashed
}

// try is an executor that is in acquire.
type try struct {
	executor history.Executor
	hold     history.HoldID
	since    sim.Time
}

// Reset prepares for a new run.
func (m *Progress) Reset() {
	m.reset()
	m.holds, m.tries, m.idleAt = m.holds[:0], m.tries[:0], 0
}

// Observe implements [history.Observer].
func (m *Progress) Observe(r *history.Record) {
	switch r.Kind {
	case history.Attempt:
		m.of(r.Hold).executor = r.Executor
		m.tries = append(m.tries, try{r.Executor, r.Hold, r.At})
	case history.GiveUp, history.BeliefBegin:
		m.endTry(func(t try) bool { return t.hold == r.Hold })
	case history.Grant, history.Promise:
		m.grant(r)
	case history.ServiceEnd:
		m.serviceEnd(r)
	case history.ReleaseBegin, history.ReleaseEnd:
		m.release(r)
	case history.Crash:
		m.crash(r)
	case history.Pause:
		m.pause(r)
	}
}

// Finish judges the end of the run: who is still trying may have been stuck.
func (m *Progress) Finish(at sim.Time) { m.judgeStuck(at) }

func (m *Progress) of(hold history.HoldID) *life {
	for len(m.holds) <= int(hold) {
		m.holds = append(m.holds, life{})
	}
	return &m.holds[hold]
}

func (m *Progress) endTry(over func(try) bool) {
	kept := m.tries[:0]
	for _, t := range m.tries {
		if !over(t) {
			kept = append(kept, t)
		}
	}
	m.tries = kept
}

func (m *Progress) grant(r *history.Record) {
	if r.Kind == history.Grant {
		m.judgeStuck(r.At)
	}
	h := m.of(r.Hold)
	h.granted, h.until = true, r.Until
	if r.Kind == history.Grant {
		h.ended, h.released = false, false
	}
}

func (m *Progress) serviceEnd(r *history.Record) {
	h := m.of(r.Hold)
	h.ended = true
	switch {
	case !h.released && !h.crashed && r.At < h.until:
		m.add(Finding{Kind: "lost-early", At: r.At, First: r.Hold, From: r.At, To: h.until})
	case (h.released || h.crashed) && m.waitedSince(h.gone, r.At) > m.Takeover+Grace:
		m.add(Finding{Kind: "ended-late", At: r.At, First: r.Hold, From: h.gone, To: r.At})
	}
	m.idle(r.At)
}

// waitedSince returns for how long somebody has been trying since an instant.
func (m *Progress) waitedSince(from, now sim.Time) time.Duration {
	var longest time.Duration
	for _, t := range m.tries {
		longest = max(longest, now.Sub(max(from, t.since)))
	}
	return longest
}

func (m *Progress) release(r *history.Record) {
	h := m.of(r.Hold)
	h.released, h.gone = true, r.At
	m.idle(r.At)
}

func (m *Progress) crash(r *history.Record) {
	m.endTry(func(t try) bool { return t.executor == r.Executor })
	for i := range m.holds {
		if h := &m.holds[i]; h.executor == r.Executor && !h.released {
			h.crashed, h.gone = true, r.At
		}
	}
	m.idle(r.At)
}

// pause keeps a paused client from counting as one that tries.
func (m *Progress) pause(r *history.Record) {
	for i := range m.tries {
		if t := &m.tries[i]; t.executor == r.Executor {
			t.since = max(t.since, r.Until)
		}
	}
}

// idle notes since when no hold is live.
func (m *Progress) idle(at sim.Time) { m.idleAt = max(m.idleAt, at) }

// liveUntil returns until when some hold is live; [sim.Forever] if one is held now.
func (m *Progress) liveUntil() sim.Time {
	latest := m.idleAt
	for i := range m.holds {
		switch h := &m.holds[i]; {
		case !h.granted || h.released:
		case !h.crashed:
			return sim.Forever
		case !h.ended && h.until < sim.Forever:
			latest = max(latest, h.until)
		}
	}
	return latest
}

func (m *Progress) judgeStuck(at sim.Time) {
	live := m.liveUntil()
	for _, t := range m.tries {
		since := max(live, t.since)
		if since < at && at.Sub(since) > m.Takeover+Grace {
			m.add(Finding{Kind: "stuck", At: at, First: t.hold, From: since, To: at})
			return
		}
	}
}
