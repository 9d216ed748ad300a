package chubby

import "fencepost/models/tenure"

// reporter writes the record. It knows true time and all replicas; no protocol step reads it.
type reporter struct{ *tenure.Record }

// applied records what an entry has changed, if this is the first replica to apply it.
func (r *reporter) applied(index uint64, before, after lockNode) {
	if !r.First(index) || before == after {
		return
	}
	why := "released"
	if after.delayed {
		why = "expired"
	}
	r.End(why)
	r.Grant(after.holder, after.hold, after.generation)
}
