package monitor

import "fencepost/sim/history"

// references is what is known of an object that can be deleted, and was there at the beginning.
type references struct {
	by      history.HoldID // who has referred to it, 0 if nobody has
	deleted history.HoldID // who has deleted it, 0 if it is there
}

// refer judges a reference, or a deletion: nobody may refer to what is gone. A reference that was
// broken is told once.
func (m *Resource) refer(r *history.Record) {
	o := &m.objects[r.Object].references
	other := o.by
	switch {
	case r.Change == history.Deletes:
		o.deleted = r.Hold
	case r.Content != history.Gone:
		o.by, o.deleted = r.Hold, 0
		return
	default:
		o.by, other = r.Hold, o.deleted
	}
	if o.by != 0 && o.deleted != 0 {
		m.add(Finding{Kind: "dangling", At: r.At, First: other, Second: r.Hold, Object: int(r.Object), Change: r.Change, From: r.At, To: r.At})
		o.by = 0
	}
}
