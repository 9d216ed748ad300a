package monitor

import (
	"slices"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

// Grace is what a lock may take beyond its declared takeover.
const Grace = time.Second

// Progress: the lock did not move on as it should.
//
//   - stuck: somebody was trying, no hold was live, and nobody was granted within
//     the lock's takeover and [Grace]. A hold is live until its release begins;
//     without an owner, that is after a crash or after acquire gave up, it is live for
//     as long as the promise to it runs. A paused client neither tries nor stops
//     being live.
//   - lost-early: the service ended a hold before its promise was over, unreleased.
//   - ended-late: the service kept a hold for longer than the takeover and [Grace]
//     after its owner had released it or was gone, and somebody was trying for as long.
//   - starved: somebody was trying and was passed over more than StarvedAfter times. A hold
//     is passed over when another, asked for later and still trying, is let in. While its
//     client is paused it is not, since a paused client does not try; and when it is let in
//     itself the count begins anew.
type Progress struct {
	findings
	// Takeover is declared by the lock.
	Takeover time.Duration
	// StarvedAfter is how often a hold may be passed over; 0 is as often as may be.
	StarvedAfter int
	// From is when it begins to count: what was amiss before that, such as while faults struck, does not.
	From sim.Time

	holds   []life           // by hold
	crashed flags            // by executor
	live    []history.HoldID // holds that may be live
	idleAt  sim.Time         // until when holds were live that have left that list
	tries   []try            // in the order in which they began
}

// try is an executor that is in acquire.
type try struct {
	executor history.Executor
	hold     history.HoldID
	since    sim.Time // from when on it tries without a pause
	asked    sim.Time
	passed   int // how often it was passed over
}

// Reset prepares for a new run.
func (m *Progress) Reset() {
	m.reset()
	m.holds, m.crashed, m.live, m.idleAt = m.holds[:0], m.crashed[:0], m.live[:0], 0
	m.tries = m.tries[:0]
}

// Observe implements [history.Observer].
func (m *Progress) Observe(r *history.Record) {
	switch r.Kind {
	case history.Attempt:
		m.tries = append(m.tries, try{executor: r.Executor, hold: r.Hold, since: r.At, asked: r.At})
	case history.GiveUp:
		m.endTry(r.At, func(t try) bool { return t.hold == r.Hold })
		m.of(r.Hold).leave(r.At)
	case history.BeliefBegin:
		m.endTry(r.At, func(t try) bool { return t.hold == r.Hold })
	case history.Grant:
		m.passOver(r)
		m.grant(r)
	case history.Promise:
		m.grant(r)
	case history.ServiceEnd:
		m.serviceEnd(r)
	case history.ReleaseBegin:
		m.release(r)
	case history.ReleaseEnd:
		m.of(r.Hold).returnedAt = r.At
	case history.Crash:
		m.endTry(r.At, func(t try) bool { return t.executor == r.Executor })
		m.crash(r)
	case history.Pause:
		m.pause(r)
	}
}

// Finish judges the end of the run: who is still trying may have been stuck.
func (m *Progress) Finish(at sim.Time) { m.judgeAll(m.liveUntil(at), at) }

// endTry ends the tries that are over, and judges them.
func (m *Progress) endTry(at sim.Time, over func(try) bool) {
	kept := m.tries[:0]
	for _, t := range m.tries {
		if over(t) {
			m.judge(t, m.liveUntil(at), at)
		} else {
			kept = append(kept, t)
		}
	}
	m.tries = kept
}

// pause keeps a paused client from counting as one that tries.
func (m *Progress) pause(r *history.Record) {
	for i := range m.tries {
		if t := &m.tries[i]; t.executor == r.Executor {
			m.judge(*t, m.liveUntil(r.At), r.At)
			t.since = max(t.since, r.Until)
		}
	}
}

// judgeAll judges all that are trying since holds were live; one stands for the others.
func (m *Progress) judgeAll(live, at sim.Time) {
	for _, t := range m.tries {
		if m.judge(t, live, at) {
			return
		}
	}
}

// judge finds out whether a try has waited too long since a hold was live.
func (m *Progress) judge(t try, live, at sim.Time) bool {
	since := max(live, t.since, m.From)
	if at.Sub(since) <= m.Takeover+Grace {
		return false
	}
	m.add(Finding{Kind: "stuck", At: at, First: t.hold, From: since, To: at})
	return true
}

// passOver counts, at a grant, for those who asked before.
func (m *Progress) passOver(r *history.Record) {
	if m.StarvedAfter == 0 {
		return
	}
	after := slices.IndexFunc(m.tries, func(t try) bool { return t.hold == r.Hold })
	if after < 0 {
		return
	}
	m.tries[after].passed = 0
	for i := range after {
		t := &m.tries[i]
		if r.At < max(t.since, m.From) { // it is paused
			continue
		}
		if t.passed++; t.passed == m.StarvedAfter+1 {
			m.add(Finding{Kind: "starved", At: r.At, First: t.hold, Second: r.Hold, From: t.asked, To: r.At, Passed: t.passed})
		}
	}
}

func (m *Progress) serviceEnd(r *history.Record) {
	h := m.of(r.Hold)
	if !h.ended {
		h.ended, h.endedAt = true, r.At
	}
	gone, ownerless := h.ownerless()
	switch {
	case r.At < m.From:
	case !ownerless && r.At < h.until:
		m.add(Finding{Kind: "lost-early", At: r.At, First: r.Hold, From: r.At, To: h.until})
	case ownerless && m.waitedSince(max(gone, m.From), r.At) > m.Takeover+Grace:
		m.add(Finding{Kind: "ended-late", At: r.At, First: r.Hold, From: gone, To: r.At})
	}
}

// waitedSince returns for how long somebody has been trying since an instant.
func (m *Progress) waitedSince(from, now sim.Time) time.Duration {
	var longest time.Duration
	for _, t := range m.tries {
		longest = max(longest, now.Sub(max(from, t.since)))
	}
	return longest
}
