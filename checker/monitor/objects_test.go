package monitor

import (
	"testing"

	"fencepost/sim/history"
)

// on says which object, from 1, a record speaks of.
func on(object int, r history.Record) history.Record {
	r.Object = uint8(object - 1)
	return r
}

func foundOn(object int, f Finding) Finding {
	f.Object = object - 1
	return f
}

// Each object is judged by itself: what a hold saw or did of one says nothing of another.
func TestObjectsAreJudgedByThemselves(t *testing.T) {
	for _, c := range []twins{{
		name: "an update is lost where it was not seen",
		good: in(on(1, read(1, 1, 0)), on(2, read(1, 1, 0)), on(2, read(2, 2, 0)), on(1, write(3, 1, 1, 0)), on(2, write(4, 2, 2, 0))),
		bad:  in(on(1, read(1, 1, 0)), on(2, read(1, 1, 0)), on(2, read(2, 2, 0)), on(2, write(3, 1, 1, 0)), on(2, write(4, 2, 2, 1))),
		want: []Finding{foundOn(2, lost(4, 1, 2, 1, 0, 2))},
	}, {
		name: "who has read the first object has read nothing of the second",
		good: in(on(1, read(1, 2, 0)), on(2, write(2, 1, 1, 0)), on(2, write(3, 2, 2, 1))),
	}, {
		name: "a later hold has touched one object, and not the other",
		good: in(on(1, write(1, 2, 1, 0)), on(2, write(2, 1, 2, 0))),
		bad:  in(on(2, write(1, 2, 1, 0)), on(1, write(2, 2, 2, 0)), on(2, write(3, 1, 3, 1))),
		want: []Finding{foundOn(2, stale(3, 1, 2))},
	}, {
		name: "each has a newest value",
		good: in(on(1, write(1, 1, 1, 0)), on(2, read(2, 2, 0)), on(1, read(3, 2, 1))),
		bad:  in(on(1, write(1, 1, 1, 0)), on(2, write(2, 1, 2, 0)), on(2, read(3, 2, 1))),
		want: []Finding{foundOn(2, old(3, 1, 2, 2, 1))},
	}, {
		name: "jobs of two objects are two jobs, and go on at once",
		good: in(on(1, performs(1, 1, 1, 5)), on(2, performs(2, 2, 1, 5))),
		bad:  in(on(2, performs(1, 1, 1, 5)), on(1, performs(2, 1, 1, 5)), on(2, performs(3, 2, 1, 5))),
		want: []Finding{foundOn(2, doneAgain(3, 1, 2, 1))},
	}, {
		name: "a reference is to one of them",
		good: in(on(1, refers(1, 1, true)), on(2, deletes(2, 2))),
		bad:  in(on(1, refers(1, 1, true)), on(2, refers(1, 1, true)), on(2, deletes(2, 2))),
		want: []Finding{foundOn(2, dangling(2, 1, 2, history.Deletes))},
	}, {
		name: "an entry is in one log",
		good: in(on(1, appends(1, 1, 1, 0)), on(2, appends(2, 1, 1, 0))),
		bad:  in(on(2, appends(1, 1, 1, 0)), on(2, appends(2, 1, 1, 1))),
		want: []Finding{foundOn(2, enteredTwice(2, 1, 1))},
	}} {
		c.check(t, &Resource{Ordered: fenceWrites, Newest: true}, func() {})
	}
	m := &Resource{}
	observe(m, in(on(history.MaxObjects, performs(1, 1, 1, 0)), on(history.MaxObjects, performs(2, 1, 1, 0))))
	if len(m.Findings()) != 1 || m.Findings()[0].Object != history.MaxObjects-1 {
		t.Errorf("of the last object: %+v", m.Findings())
	}
}
