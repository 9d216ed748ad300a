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
	env *models.Env
}

// applied records what an entry has changed, if this is the first server to apply it.
func (r *reporter) applied(index uint64, c command, before, after entry) {
	if !r.First(index) {
		return
	}
	if c.kind == failNode || c.kind == reviveNode {
		r.note(serfNote(c))
	}
	if before.session == after.session {
		return
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
