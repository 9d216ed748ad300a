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
	index   uint64 // highest index that any member has applied
	oldest  key    // who holds the lock after it
	touches []touch
}

// touch is when a session's lease was last granted or renewed.
type touch struct {
	lease   int64
	ttl     time.Duration
	at      sim.Time
	primary bool // a primary has granted it
}

func (r *reporter) reset() {
	r.index, r.oldest, r.touches = 0, key{}, r.touches[:0]
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
// hold if it has the lock.
func (r *reporter) renewed(lease int64) {
	t := r.find(lease)
	t.at = r.env.Fleet.World.Now()
	if r.oldest.lease == lease && r.oldest.hold != 0 {
		r.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: r.oldest.hold, Until: r.until(lease)})
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
	if before.hold != 0 {
		text := "released"
		if c.kind == revokeLease {
			text = "expired"
		}
		r.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: before.hold, Text: text})
	}
	if after.hold != 0 {
		r.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: after.hold, Token: after.created, Until: r.until(after.lease)})
	}
}

// holdOf returns the hold of a key if it is that of the lease.
func holdOf(k key, lease int64) history.HoldID {
	if k.lease == lease {
		return k.hold
	}
	return 0
}
