package checker

import (
	"testing"

	"fencepost/sim/history"
)

// What a request has done is told in the terms of what it was done to.
func TestDid(t *testing.T) {
	for _, c := range []struct {
		r             history.Record
		alone, second string // of one object, and of the second of several
	}{
		{changes(1, history.Replaces, 0, 5, 4), "writes v5 over v4", "writes v5 of object 2 over v4"},
		{changes(1, history.Counts, 3, 5, 4), "counts to 3 (v5 over v4)", "counts object 2 to 3 (v5 over v4)"},
		{changes(1, history.Appends, 3, 5, 4), "appends v5 after v4", "appends v5 to object 2 after v4"},
		{changes(1, history.Refers, history.Referenced, 5, 4), "makes a reference to the data", "makes a reference to the data of object 2"},
		{changes(1, history.Deletes, history.Gone, 5, 4), "deletes the data", "deletes the data of object 2"},
		{changes(1, history.Completes, 3, 5, 4), "records job 3 as done", "records job 3 of object 2 as done"},
		{does(1, 3, 0), "does job 3", "does job 3 of object 2"},
		{sees(1, history.Replaces, 0, 5), "reads v5", "reads v5 of object 2"},
		{sees(1, history.Appends, 3, 5), "reads v5", "reads v5 of object 2"},
		{sees(1, history.Counts, 3, 5), "reads 3 (v5)", "reads 3 (v5) of object 2"},
		{sees(1, history.Completes, 0, 0), "reads that no job is done", "reads of object 2 that no job is done"},
		{sees(1, history.Completes, 1, 5), "reads that one job is done", "reads of object 2 that one job is done"},
		{sees(1, history.Completes, 2, 5), "reads that 2 jobs are done", "reads of object 2 that 2 jobs are done"},
		{sees(1, history.Refers, history.Gone, 5), "reads that the data are gone", "reads of object 2 that the data are gone"},
		{sees(1, history.Refers, history.Unreferenced, 0), "reads that nobody refers to the data", "reads of object 2 that nobody refers to the data"},
		{sees(1, history.Refers, history.Referenced, 5), "reads that somebody refers to the data", "reads of object 2 that somebody refers to the data"},
	} {
		second := on(2, c.r)
		if got := Did(&c.r, false); got != c.alone {
			t.Errorf("%q, want %q", got, c.alone)
		}
		if got := Did(&second, true); got != c.second {
			t.Errorf("%q, want %q", got, c.second)
		}
	}
}

// Objects are told apart where there are several: one that nobody has touched but the first is none.
func TestSeveral(t *testing.T) {
	x := newRun().read(0, 1, 0).add(0, on(1, changes(1, history.Replaces, 0, 1, 0)))
	if Several(x.r) {
		t.Error("all is of the first object")
	}
	x.add(s, on(2, history.Record{Kind: history.Request, Effect: history.ReadEffect, Hold: 1}))
	if !Several(x.r) {
		t.Error("a request was sent for the second object")
	}
}
