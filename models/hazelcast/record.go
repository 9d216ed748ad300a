package hazelcast

import "fencepost/models/tenure"

// reporter writes the record. It knows true time and all members; no protocol step reads it.
type reporter struct{ *tenure.Record }

// applied records what an entry has changed, if this is the first member to apply it.
func (r *reporter) applied(index uint64, c command, before, after request) {
	if !r.First(index) || before == after {
		return
	}
	why := "released"
	if c.kind == expireSession {
		why = "expired"
	}
	r.End(why)
	r.Grant(after.session, after.hold, after.fence)
}
