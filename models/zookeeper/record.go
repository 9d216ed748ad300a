package zookeeper

import (
	"fencepost/models"
	"fencepost/models/tenure"
	"fencepost/sim/history"
)

// reporter writes the record. It knows true time and all servers; no protocol step reads
// it.
type reporter struct {
	*tenure.Record
	env   *models.Env
	token int
}

// applied records what an entry has changed, if this is the first server to apply it.
func (r *reporter) applied(index uint64, c command, before, after node) {
	if !r.First(index) {
		return
	}
	if c.kind == deleteParent {
		r.note(0, "container deleted if empty")
	}
	if before == after {
		return
	}
	why := "released"
	switch c.kind {
	case closeSession:
		why = history.Expired
	case removeNode:
		why = history.Removed
		r.env.Recorder.AddRemoval(int(c.term), before.hold)
	}
	r.End(why)
	r.Grant(after.session, after.hold, r.tokenOf(after))
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
