package hazelcast

import (
	"fencepost/models"
	"fencepost/models/tenure"
	"fencepost/sim/history"
)

// reporter writes the record. It knows true time and all members; no protocol step reads it.
type reporter struct {
	*tenure.Record
	env *models.Env
}

// applied records what an entry has changed, if this is the first member to apply it.
func (r *reporter) applied(index uint64, c command, before, after request) {
	if !r.First(index) || before == after {
		return
	}
	why := "released"
	switch c.kind {
	case expireSession:
		why = history.Expired
	case removeSession:
		why = history.Removed
		r.env.Recorder.AddRemoval(int(c.version), before.hold)
	}
	r.End(why)
	r.Grant(after.session, after.hold, after.fence)
}
