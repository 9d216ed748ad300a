package monitor

import (
	"testing"

	"fencepost/sim/history"
)

// refers makes a reference. Whether the data are there after it, the resource says.
func refers(at, hold int, found bool) history.Record {
	r := of(hold, history.Record{At: sec(at), Kind: history.Write, Effect: history.WriteEffect, Change: history.Refers, Content: history.Gone})
	if found {
		r.Content = history.Referenced
	}
	return r
}

func deletes(at, hold int) history.Record {
	return of(hold, history.Record{At: sec(at), Kind: history.Write, Effect: history.WriteEffect, Change: history.Deletes, Content: history.Gone})
}

func dangling(at, first, second int, by history.Change) Finding {
	return Finding{Kind: "dangling", At: sec(at), From: sec(at), To: sec(at), First: history.HoldID(first), Second: history.HoldID(second), Change: by}
}

func TestDangling(t *testing.T) {
	const there, gone = true, false
	for _, c := range []twins{{
		name: "what nobody refers to may be deleted",
		good: in(deletes(1, 1), deletes(2, 2)),
		bad:  in(refers(1, 2, there), deletes(2, 1)),
		want: []Finding{dangling(2, 2, 1, history.Deletes)},
	}, {
		name: "a reference to what is gone refers to nothing, unless it brings the data with it",
		good: in(deletes(1, 1), refers(2, 2, there)),
		bad:  in(deletes(1, 1), refers(2, 2, gone)),
		want: []Finding{dangling(2, 1, 2, history.Refers)},
	}, {
		name: "data that are made anew can be deleted in vain again",
		bad:  in(deletes(1, 1), refers(2, 2, there), deletes(3, 3)),
		want: []Finding{dangling(3, 2, 3, history.Deletes)},
	}, {
		name: "who made the last reference is named, and who deleted last",
		bad:  in(refers(1, 1, there), refers(2, 2, there), deletes(3, 3), deletes(4, 1), refers(5, 2, gone)),
		want: []Finding{dangling(3, 2, 3, history.Deletes), dangling(5, 1, 2, history.Refers)},
	}, {
		name: "a reference that is broken is told once",
		bad:  in(refers(1, 2, there), deletes(2, 1), deletes(3, 3)),
		want: []Finding{dangling(2, 2, 1, history.Deletes)},
	}, {
		name: "and so is one that was broken when it was made",
		bad:  in(deletes(1, 1), refers(2, 2, gone), deletes(3, 3)),
		want: []Finding{dangling(2, 1, 2, history.Refers)},
	}, {
		name: "each reference that is broken is told",
		bad:  in(deletes(1, 1), refers(2, 2, gone), refers(3, 3, gone)),
		want: []Finding{dangling(2, 1, 2, history.Refers), dangling(3, 1, 3, history.Refers)},
	}, {
		name: "a reference that is made good is whole",
		bad:  in(deletes(1, 1), refers(2, 2, gone), refers(3, 3, there), deletes(4, 1)),
		want: []Finding{dangling(2, 1, 2, history.Refers), dangling(4, 3, 1, history.Deletes)},
	}, {
		name: "a deletion that was rejected deletes nothing",
		good: in(refers(1, 2, there), of(1, history.Record{At: sec(2), Kind: history.Reject, Effect: history.WriteEffect})),
	}} {
		c.check(t, &Resource{}, func() {})
	}
}

// To write what another has not seen is no lost update where it replaces nothing of it: a reference,
// a deletion and the record of a job stand for themselves.
func TestWhatReplacesNothingLosesNoUpdate(t *testing.T) {
	for _, change := range []history.Change{history.Refers, history.Deletes, history.Completes} {
		first, second := write(3, 1, 1, 0), write(4, 2, 2, 1)
		first.Change, second.Change = change, change
		if change == history.Refers {
			first.Content, second.Content = history.Referenced, history.Referenced
		}
		m := &Resource{}
		if observe(m, in(read(1, 1, 0), read(2, 2, 0), first, second)); m.Violated() || m.LostUpdates != 0 {
			t.Errorf("change %d: %+v", change, m.Findings())
		}
	}
	for _, change := range []history.Change{history.Replaces, history.Counts, history.Appends} {
		want := lost(4, 1, 2, 1, 0, 2)
		want.Change = change
		first, second := write(3, 1, 1, 0), write(4, 2, 2, 1)
		first.Change, second.Change = change, change
		m := &Resource{}
		if got := observe(m, in(read(1, 1, 0), read(2, 2, 0), first, second)); len(got) != 1 || got[0] != want || m.LostUpdates != 1 {
			t.Errorf("change %d: %+v, want %+v", change, got, want)
		}
	}
}
