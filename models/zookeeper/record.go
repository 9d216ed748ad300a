package zookeeper

import (
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
)

// reporter writes the record. It knows true time and all servers; no protocol step reads
// it.
type reporter struct {
	env      *models.Env
	token    int
	index    uint64         // highest index that any server has applied
	first    node           // who has the lock after it
	holder   history.HoldID // whose grant was recorded last and has not ended
	leaving  []history.HoldID
	sessions []lifeline
}

// lifeline is when a session was last heard from by a server that answered it.
type lifeline struct {
	id      int64
	timeout time.Duration
	at      sim.Time
	led     bool // the leader has begun to time it
}

func (r *reporter) reset() {
	r.index, r.first, r.holder = 0, node{}, 0
	r.leaving, r.sessions = r.leaving[:0], r.sessions[:0]
}

func (r *reporter) find(id int64) *lifeline {
	for i := range r.sessions {
		if r.sessions[i].id == id {
			return &r.sessions[i]
		}
	}
	return nil
}

// opened notes that a session was made or moved: the leader's apply counts, or the first
// for as long as no leader has. Later applies of others are copies.
func (r *reporter) opened(id int64, timeout time.Duration, leader bool) {
	s := r.find(id)
	switch {
	case s == nil:
		r.sessions = append(r.sessions, lifeline{id: id, timeout: timeout, at: r.env.Fleet.World.Now(), led: leader})
	case leader:
		s.led = true
		r.touched(id)
	}
}

// touched notes that a session is being answered, which is a promise to the session's hold
// if it has the lock and is to keep it.
func (r *reporter) touched(id int64) {
	r.find(id).at = r.env.Fleet.World.Now()
	if r.first.session == id && r.holder != 0 && r.holder == r.first.hold && !r.isLeaving(r.holder) {
		r.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: r.holder, Until: r.until(id)})
	}
}

// left notes that a client begins to give a hold back: from now on nothing is promised to
// it.
func (r *reporter) left(hold history.HoldID) { r.leaving = append(r.leaving, hold) }

func (r *reporter) isLeaving(hold history.HoldID) bool {
	for _, h := range r.leaving {
		if h == hold {
			return true
		}
	}
	return false
}

// until is when the promise of a session ends.
func (r *reporter) until(id int64) sim.Time {
	s := r.find(id)
	return r.env.PromiseEnd(s.at, s.timeout, 0)
}

// applied records what an entry has changed, if this is the first server to apply it.
func (r *reporter) applied(index uint64, c command, before, after node) {
	if index <= r.index {
		return
	}
	r.index, r.first = index, after
	if c.kind == deleteParent {
		r.note(0, "container deleted if empty")
	}
	if before == after {
		return
	}
	if r.holder != 0 {
		text := "released"
		if c.kind == closeSession {
			text = "expired"
		}
		r.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: r.holder, Text: text})
	}
	r.holder = 0
	if after.hold != 0 && !r.isLeaving(after.hold) {
		r.holder = after.hold
		r.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: r.holder, Token: r.tokenOf(after), Until: r.until(after.session)})
	}
}

// tokenOf is the fencing token of whoever holds the lock by a node. A token of 0 is none, so
// that the suffixes, which begin with 0, are counted from 1.
func (r *reporter) tokenOf(n node) int64 {
	if r.token == bySequence {
		return n.sequence + 1
	}
	return n.czxid
}

func (r *reporter) note(hold history.HoldID, text string) {
	r.env.Recorder.Add(history.Record{Kind: history.Note, Hold: hold, Text: text})
}
