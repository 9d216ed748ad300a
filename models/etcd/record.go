package etcd

import (
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
)

// reporter writes the record. It knows true time and all members; no protocol step
// reads it.
type reporter struct {
	env     *models.Env
	index   uint64         // highest index that any member has applied
	oldest  key            // who holds the lock after it
	holder  history.HoldID // whose grant was recorded last and has not ended
	touches []touch
}

// touch is when a session's lease was last granted or renewed.
type touch struct {
	lease   int64
	ttl     time.Duration
	at      sim.Time
	primary bool           // a primary has granted it
	left    history.HoldID // hold of this session that its client has begun to give back
}

func (r *reporter) reset() {
	r.index, r.oldest, r.holder, r.touches = 0, key{}, 0, r.touches[:0]
}

func (r *reporter) find(lease int64) *touch {
	for i := range r.touches {
		if r.touches[i].lease == lease {
			return &r.touches[i]
		}
	}
	return nil
}

// granted notes the first touch of a session: the primary's apply of the grant, from
// which it counts the lease, or the first apply for as long as no primary has.
func (r *reporter) granted(lease int64, ttl time.Duration, primary bool) {
	now := r.env.Fleet.World.Now()
	t := r.find(lease)
	if t == nil {
		r.touches = append(r.touches, touch{lease: lease, ttl: ttl, at: now, primary: primary})
	} else if primary && !t.primary {
		t.at, t.primary = now, true
	}
}

// renewed notes a renewal that is being answered, which is a promise to the session's
// hold if it has the lock and is to keep it.
func (r *reporter) renewed(lease int64) {
	t := r.find(lease)
	t.at = r.env.Fleet.World.Now()
	if r.oldest.lease == lease && r.holder == r.oldest.hold && r.holder != 0 && r.holder != t.left {
		r.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: r.holder, Until: r.until(lease)})
	}
}

// left notes that a client begins to give a hold back: from now on nothing is promised
// to it, even if a keepalive that is on its way is still answered.
func (r *reporter) left(lease int64, hold history.HoldID) { r.find(lease).left = hold }

// abandoned notes that a client gives up a session with which Lock has failed. If the
// service has let it in, of which it does not know, it begins to give the lock back.
func (r *reporter) abandoned(lease int64, hold history.HoldID) {
	r.left(lease, hold)
	if r.holder == hold && r.oldest.lease == lease {
		r.env.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold, Text: "gave up the session"})
	}
}

// until is when the promise of a session ends. The lease is counted in nanoseconds.
func (r *reporter) until(lease int64) sim.Time {
	t := r.find(lease)
	return r.env.PromiseEnd(t.at, t.ttl, 0)
}

// applied records what an entry has changed, if this is the first member to apply it.
func (r *reporter) applied(index uint64, c command, before, after key) {
	if index <= r.index {
		return
	}
	r.index, r.oldest = index, after
	if c.kind == revokeLease {
		r.env.Recorder.Add(history.Record{Kind: history.Note, Hold: holdOf(before, c.lease), Text: "lease revoked"})
	}
	if before == after {
		return
	}
	if r.holder != 0 {
		text := "released"
		if c.kind == revokeLease && c.hold == 0 {
			text = "expired"
		}
		r.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: r.holder, Text: text})
	}
	r.holder = r.claimant(after)
	if r.holder != 0 {
		r.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: r.holder, Token: after.created, Until: r.until(after.lease)})
	}
}

// claimant returns the hold that a key lets in. The key of a session that its client
// has given up, made by a transaction that came late, lets nobody in.
func (r *reporter) claimant(k key) history.HoldID {
	if k.hold == 0 || k.hold == r.find(k.lease).left {
		return 0
	}
	return k.hold
}

// holdOf returns the hold of a key if it is that of the lease.
func holdOf(k key, lease int64) history.HoldID {
	if k.lease == lease {
		return k.hold
	}
	return 0
}
