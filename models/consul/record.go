package consul

import (
	"time"

	"fencepost/models"
	"fencepost/models/tenure"
	"fencepost/sim/history"
)

// reporter writes the record. It knows true time and all servers; no protocol step reads
// it. What a session is promised is the documented TTL: that Consul keeps it for twice as
// long, and the key for the lock-delay after that, is not promised.
type reporter struct {
	*tenure.Record
	env     *models.Env
	delayed int64 // the entry that began the last lock-delay
}

// delayEvaded is the remark on an acquire for which no lock-delay was in force when the leader
// asked, because the entry that began it had not been applied.
const delayEvaded = "in the log before the lock-delay began"

// Reset forgets everything.
func (r *reporter) Reset() {
	r.Record.Reset()
	r.delayed = 0
}

// applied records what an entry has changed, if this is the first server to apply it.
func (r *reporter) applied(index uint64, c command, before, after entry) {
	if !r.First(index) {
		return
	}
	if c.kind == failNode || c.kind == reviveNode {
		r.note(0, serfNote(c))
	}
	if before.session == after.session {
		return
	}
	if before.session != 0 && c.kind != unlockKey && r.env.Params.Duration("lock-delay") > 0 {
		r.delayed = int64(index)
	}
	if after.session != 0 && c.asked < r.delayed {
		r.note(after.hold, delayEvaded)
	}
	if c.kind == removeSession {
		r.env.Recorder.AddRemoval(int(c.asked), before.hold)
	}
	r.End(endOf(c.kind))
	r.Grant(after.session, after.hold, r.tokenOf(after))
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
		return history.Expired
	case removeSession:
		return history.Removed
	case failNode:
		return history.Unhealthy
	}
	return "released"
}

func serfNote(c command) string {
	if c.kind == failNode {
		return "serfHealth is critical"
	}
	return "serfHealth passes"
}

func (r *reporter) note(hold history.HoldID, text string) {
	r.env.Recorder.Add(history.Record{Kind: history.Note, Hold: hold, Local: time.Duration(r.env.Fleet.World.Now()), Text: text})
}
