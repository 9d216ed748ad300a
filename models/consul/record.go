package consul

import (
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
)

// reporter writes the record. It knows true time and all servers; no protocol step reads
// it.
type reporter struct {
	env     *models.Env
	index   uint64         // highest index that any server has applied
	key     entry          // after it
	holder  history.HoldID // whose grant was recorded last and has not ended
	touches []touch
}

// touch is when a session was last created or renewed.
type touch struct {
	session int64
	at      sim.Time
	leader  bool // a leader has created it
	left    bool // its client has begun to give back what it holds
}

func (r *reporter) reset() {
	r.index, r.key, r.holder, r.touches = 0, entry{}, 0, r.touches[:0]
}

func (r *reporter) find(session int64) *touch {
	for i := range r.touches {
		if r.touches[i].session == session {
			return &r.touches[i]
		}
	}
	return nil
}

// created notes the first touch of a session: the leader's apply of its creation, from
// which it counts, or the first apply for as long as no leader has.
func (r *reporter) created(session int64, leader bool) {
	now := r.env.Fleet.World.Now()
	t := r.find(session)
	if t == nil {
		r.touches = append(r.touches, touch{session: session, at: now, leader: leader})
	} else if leader && !t.leader {
		t.at, t.leader = now, true
	}
}

// renewed notes a renewal that is being answered, which is a promise to the session's hold
// if it has the lock and is to keep it.
func (r *reporter) renewed(session int64) {
	t := r.find(session)
	t.at = r.env.Fleet.World.Now()
	if r.holder != 0 && r.key.session == session && !t.left {
		r.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: r.holder, Until: r.until(t)})
	}
}

// left notes that a client begins to give back what a session holds: from now on nothing
// is promised to it.
func (r *reporter) left(session int64) { r.find(session).left = true }

// abandoned notes that a client gives up a session with which Lock has failed. If it holds
// the key, of which the client does not know, that begins to be given back.
func (r *reporter) abandoned(session int64, hold history.HoldID) {
	t := r.find(session)
	if t == nil {
		return
	}
	t.left = true
	if r.holder == hold && r.key.session == session {
		r.env.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold, Text: "gave up the session"})
	}
}

// until is when the documented promise of a session ends: a TTL after its last touch. That
// Consul keeps it for twice as long, and the key for the lock-delay after that, is not
// promised.
func (r *reporter) until(t *touch) sim.Time {
	return r.env.PromiseEnd(t.at, r.env.Params.Duration("ttl"), 0)
}

// applied records what an entry has changed, if this is the first server to apply it.
func (r *reporter) applied(index uint64, c command, before, after entry) {
	if index <= r.index {
		return
	}
	r.index, r.key = index, after
	if c.kind == failNode || c.kind == reviveNode {
		r.note(serfNote(c))
	}
	if before.session == after.session {
		return
	}
	if r.holder != 0 {
		r.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: r.holder, Text: endOf(c.kind)})
	}
	r.holder = 0
	if t := r.find(after.session); t != nil && !t.left {
		r.holder = after.hold
		r.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: after.hold, Token: r.tokenOf(after), Until: r.until(t)})
	}
}

func (r *reporter) tokenOf(e entry) int64 {
	if r.env.Params.Choice("token") == tokenModifyIndex {
		return e.modified
	}
	return e.lockIndex
}

// endOf says why a hold ended.
func endOf(k commandKind) string {
	switch k {
	case expireSession:
		return "expired"
	case failNode:
		return "health check failed"
	}
	return "released"
}

func serfNote(c command) string {
	if c.kind == failNode {
		return "serfHealth is critical"
	}
	return "serfHealth passes"
}

func (r *reporter) note(text string) {
	r.env.Recorder.Add(history.Record{Kind: history.Note, Local: time.Duration(r.env.Fleet.World.Now()), Text: text})
}
