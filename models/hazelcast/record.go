package hazelcast

import (
	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
)

// reporter writes the record. It knows true time and all members; no protocol step reads it.
type reporter struct {
	env     *models.Env
	index   uint64         // highest index that any member has applied
	session int64          // that owns the lock after it
	holder  history.HoldID // whose grant was recorded last and has not ended
	touches []touch
}

// touch is when a session's end was last moved by the leader.
type touch struct {
	session int64
	at      sim.Time
	left    history.HoldID // hold that its client has begun to give back
}

func (r *reporter) reset() { *r = reporter{env: r.env, touches: r.touches[:0]} }

func (r *reporter) find(session int64) *touch {
	for i := range r.touches {
		if r.touches[i].session == session {
			return &r.touches[i]
		}
	}
	r.touches = append(r.touches, touch{session: session})
	return &r.touches[len(r.touches)-1]
}

// touched notes that the leader has moved the end of a session and answers, which is a promise
// to the session's hold if it has the lock and is to keep it.
func (r *reporter) touched(session int64) {
	t := r.find(session)
	t.at = r.env.Fleet.World.Now()
	if r.session == session && r.holder != 0 && r.holder != t.left {
		r.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: r.holder, Until: r.until(session)})
	}
}

// left notes that a client begins to give a hold back.
func (r *reporter) left(session int64, hold history.HoldID) { r.find(session).left = hold }

func (r *reporter) until(session int64) sim.Time {
	return r.env.PromiseEnd(r.find(session).at, r.env.Params.Duration("ttl"), granularity)
}

// applied records what an entry has changed, if this is the first member to apply it.
func (r *reporter) applied(index uint64, c command, before, after request) {
	if index <= r.index {
		return
	}
	r.index = index
	if before == after {
		return
	}
	if r.holder != 0 {
		text := "released"
		if c.kind == expireSession {
			text = "expired"
		}
		r.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: r.holder, Text: text})
	}
	r.session, r.holder = after.session, after.hold
	if r.holder != 0 {
		r.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: r.holder, Token: after.fence, Until: r.until(after.session)})
	}
}
