package chubby

import (
	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
)

// reporter writes the record. It knows true time and all replicas; no protocol step reads it.
type reporter struct {
	env     *models.Env
	index   uint64         // highest index that any replica has applied
	session int64          // that holds the lock after it
	holder  history.HoldID // whose grant was recorded last and has not ended
	touches []touch
}

// touch is when a session's lease was last promised to its client.
type touch struct {
	session int64
	at      sim.Time
	left    history.HoldID // hold that its client has begun to give back
}

func (r *reporter) reset() {
	r.index, r.session, r.holder, r.touches = 0, 0, 0, r.touches[:0]
}

// find returns what is known of a session.
func (r *reporter) find(session int64) *touch {
	for i := range r.touches {
		if r.touches[i].session == session {
			return &r.touches[i]
		}
	}
	r.touches = append(r.touches, touch{session: session})
	return &r.touches[len(r.touches)-1]
}

// touched notes that the master promises a session its lease from now on.
func (r *reporter) touched(session int64) { r.find(session).at = r.env.Fleet.World.Now() }

// extended notes that a KeepAlive is being answered, which is a promise to the session's hold
// if it has the lock and is to keep it.
func (r *reporter) extended(session int64) {
	r.touched(session)
	if r.session == session && r.holder != 0 && r.holder != r.find(session).left {
		r.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: r.holder, Until: r.until(session)})
	}
}

// left notes that a client begins to give a hold back.
func (r *reporter) left(session int64, hold history.HoldID) { r.find(session).left = hold }

// abandoned notes that a client gives up a session in which acquire has failed. If it has the
// lock without knowing it, that is where it begins to give it back.
func (r *reporter) abandoned(session int64, hold history.HoldID) {
	r.left(session, hold)
	if r.holder == hold && r.session == session {
		r.env.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold, Text: "gave up the session"})
	}
}

func (r *reporter) until(session int64) sim.Time {
	return r.env.PromiseEnd(r.find(session).at, r.env.Params.Duration("ttl"), 0)
}

// applied records what an entry has changed, if this is the first replica to apply it.
func (r *reporter) applied(index uint64, before, after lockNode) {
	if index <= r.index {
		return
	}
	r.index = index
	if before == after {
		return
	}
	if before.holder != 0 && r.holder != 0 {
		text := "released"
		if after.delayed {
			text = "expired"
		}
		r.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: r.holder, Text: text})
	}
	r.session, r.holder = after.holder, 0
	if after.holder == 0 || r.find(after.holder).left == after.hold {
		return // it is free, or its holder has given the session up
	}
	r.holder = after.hold
	r.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: r.holder, Token: after.generation, Until: r.until(after.holder)})
}
