package etcd

import (
	"fencepost/models"
	"fencepost/models/tenure"
	"fencepost/sim/history"
)

// reporter writes the record. It knows true time and all members; no protocol step
// reads it.
type reporter struct {
	*tenure.Record
	env *models.Env
}

// applied records what an entry has changed, if this is the first member to apply it.
func (r *reporter) applied(index uint64, c command, before, after key) {
	if !r.First(index) {
		return
	}
	if c.kind == revokeLease {
		r.env.Recorder.Add(history.Record{Kind: history.Note, Hold: holdOf(before, c.lease), Text: "lease revoked"})
	}
	if before == after {
		return
	}
	why := "released"
	if c.kind == removeKey {
		why = history.Removed
		r.env.Recorder.AddRemoval(int(c.seconds), before.hold)
	}
	if c.kind == revokeLease && c.hold == 0 {
		why = history.Expired
	}
	r.End(why)
	r.Grant(after.lease, after.hold, after.created)
}

// deposed notes that a member which leads no more, and does not know, renews or revokes the lease of
// a hold.
func (r *reporter) deposed(s *server, lease int64, does string) {
	if hold := holdOf(s.store.oldest(), lease); hold != 0 && s.member.Deposed() {
		h := s.member.Host()
		r.env.Note(h, hold, history.StaleLeader+": "+h.Name+" "+does+", though another leads")
	}
}

// holdOf returns the hold of a key if it is that of the lease.
func holdOf(k key, lease int64) history.HoldID {
	if k.lease == lease {
		return k.hold
	}
	return 0
}
