package resource

import (
	"slices"
	"testing"

	"fencepost/sim/history"
)

// A number is what its last writer has counted to, so that a stale one goes back.
func TestCounter(t *testing.T) {
	x := newHeard(t, "none", Settings{Kind: Counter})
	if a := x.ask(t, reads(1)); !a.OK || a.Content != 0 {
		t.Errorf("at the beginning: %+v", a)
	}
	x.ask(t, reads(2))
	x.ask(t, writes(1, 11, 1))
	x.ask(t, writes(1, 12, 2))
	if a := x.ask(t, reads(1)); a.Content != 2 || a.Value != 12 {
		t.Errorf("counted twice: %+v", a)
	}
	if a := x.ask(t, writes(2, 13, 1)); !a.OK || a.Content != 1 {
		t.Errorf("counted on from 0: %+v", a)
	}
	want := []history.Record{
		{Kind: history.Read, Effect: read, Change: history.Counts, Hold: 1},
		{Kind: history.Read, Effect: read, Change: history.Counts, Hold: 2},
		{Kind: history.Write, Effect: write, Change: history.Counts, Hold: 1, Value: 11, Base: 0, Content: 1},
		{Kind: history.Write, Effect: write, Change: history.Counts, Hold: 1, Value: 12, Base: 11, Content: 2},
		{Kind: history.Read, Effect: read, Change: history.Counts, Hold: 1, Value: 12, Content: 2},
		{Kind: history.Write, Effect: write, Change: history.Counts, Hold: 2, Value: 13, Base: 12, Content: 1},
	}
	if got := x.effects(); !slices.Equal(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if got := x.harms(); !slices.Equal(got, []string{"lost-update"}) {
		t.Errorf("harms %v", got)
	}
}

// An entry is put behind the others, whatever its writer has read.
func TestLog(t *testing.T) {
	x := newHeard(t, "none", Settings{Kind: Log})
	for i, value := range []int64{21, 22, 22} {
		if a := x.ask(t, writes(1, value, 0)); !a.OK || a.Content != int64(i+1) {
			t.Errorf("entry %d: %+v", i+1, a)
		}
	}
	want := []history.Record{
		{Kind: history.Write, Effect: write, Change: history.Appends, Hold: 1, Value: 21, Base: 0, Content: 1},
		{Kind: history.Write, Effect: write, Change: history.Appends, Hold: 1, Value: 22, Base: 21, Content: 2},
		{Kind: history.Write, Effect: write, Change: history.Appends, Hold: 1, Value: 22, Base: 22, Content: 3},
	}
	if got := x.effects(); !slices.Equal(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if got := x.harms(); !slices.Equal(got, []string{"doubled-effect"}) {
		t.Errorf("harms %v", got)
	}
}

// Hold 1 gets the object in its first state; hold 2 puts it through all of its states, to the first
// again. An ETag that is a digest of the content is the same again then, and the put of hold 1 is
// accepted: "if the ETag matches", says RFC 9110, and it does. A version is never the same again.
func TestObjectWhoseStateComesRound(t *testing.T) {
	for _, c := range []struct {
		content bool
		why     string
		harms   []string
	}{
		{content: true, harms: []string{"lost-update"}},
		{content: false, why: history.VersionDiffers},
	} {
		s := Settings{Kind: Object, States: 3, ContentETag: c.content}
		x := newHeard(t, "if-match", s)
		stale := x.ask(t, reads(1))
		for value := int64(31); value < 34; value++ {
			a := x.ask(t, reads(2))
			next := s.Next(a.Content, false).Content
			if a := x.ask(t, over(a.Revision, writes(2, value, next))); !a.OK || a.Content != next {
				t.Errorf("content ETag %t: state %d: %+v", c.content, next, a)
			}
		}
		if a := x.ask(t, reads(2)); a.Content != stale.Content || (a.Revision == stale.Revision) != c.content {
			t.Errorf("content ETag %t: round again: %+v, and at first %+v", c.content, a, stale)
		}
		a := x.ask(t, over(stale.Revision, writes(1, 34, 1)))
		last := x.r.Records[len(x.r.Records)-1]
		if a.OK != c.content || last.Text != c.why || !slices.Equal(x.harms(), c.harms) {
			t.Errorf("content ETag %t: the late put: %+v, %+v, harms %v", c.content, a, last, x.harms())
		}
	}
}

// Each content is new unless there are few states: then an ETag of the content is as good as a version.
func TestObjectWhoseContentIsNew(t *testing.T) {
	for _, content := range []bool{false, true} {
		x := newHeard(t, "if-match", Settings{Kind: Object, ContentETag: content})
		stale := x.ask(t, reads(1))
		x.ask(t, over(x.ask(t, reads(2)).Revision, writes(2, 41, 0)))
		x.ask(t, over(x.ask(t, reads(2)).Revision, writes(2, 42, 0)))
		if a := x.ask(t, over(stale.Revision, writes(1, 43, 0))); a.OK || x.value() != 42 {
			t.Errorf("content ETag %t: the late put: %+v, value %d", content, a, x.value())
		}
		if a := x.ask(t, over(x.ask(t, reads(1)).Revision, writes(1, 44, 0))); !a.OK {
			t.Errorf("content ETag %t: after another get: %+v", content, a)
		}
	}
}

// Hold 1 prunes and hold 2 refers: what each reads, writes, and leaves.
func TestReferences(t *testing.T) {
	s := Settings{Kind: References}
	for _, c := range []struct {
		name    string
		writes  []int64 // contents, of holds 1, 2, 1, 2...
		content int64
		harms   []string
	}{
		{"nothing was done", nil, history.Unreferenced, nil},
		{"deleted", []int64{remove}, history.Gone, nil},
		{"deleted, and made anew", []int64{remove, create}, history.Referenced, nil},
		{"deleted, and referred to as if it were there", []int64{remove, refer}, history.Gone, []string{"dangling"}},
		{"referred to, twice", []int64{refer, refer}, history.Referenced, nil},
		{"referred to, and deleted as if nobody had", []int64{refer, remove}, history.Gone, []string{"dangling"}},
		{"made anew where it is", []int64{create}, history.Referenced, nil},
	} {
		x := newHeard(t, "none", s)
		for i, content := range c.writes {
			x.ask(t, writes(history.HoldID(1+i%2), int64(51+i), content))
		}
		if a := x.ask(t, reads(1)); a.Content != c.content || !slices.Equal(x.harms(), c.harms) {
			t.Errorf("%s: reads %d, want %d; harms %v", c.name, a.Content, c.content, x.harms())
		}
	}
	x := newHeard(t, "none", s)
	x.ask(t, reads(1))
	x.ask(t, writes(1, 51, remove))
	x.ask(t, writes(2, 52, refer))
	want := []history.Record{
		{Kind: history.Read, Effect: read, Change: history.Refers, Hold: 1, Content: history.Unreferenced},
		{Kind: history.Write, Effect: write, Change: history.Deletes, Hold: 1, Value: 51, Content: history.Gone},
		{Kind: history.Write, Effect: write, Change: history.Refers, Hold: 2, Value: 52, Base: 51, Content: history.Gone},
	}
	if got := x.effects(); !slices.Equal(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

// Each object has its own value, content, version and token.
func TestObjectsAreGuardedByThemselves(t *testing.T) {
	x := newHeard(t, "fence-writes", Settings{Kind: Counter, Objects: 2})
	x.ask(t, of(1, with(34, writes(2, 61, 1))))
	if a := x.ask(t, of(2, with(33, writes(1, 62, 5)))); !a.OK {
		t.Error("a token that the first object has seen keeps a lower one from the second")
	}
	if a := x.ask(t, of(1, with(33, writes(1, 63, 2)))); a.OK {
		t.Error("the first object has seen a higher token")
	}
	if got := x.Audit(nil); !slices.Equal(got, []int64{61, 62}) {
		t.Errorf("values %v", got)
	}
	if a, b := x.ask(t, of(1, reads(1))), x.ask(t, of(2, reads(1))); a.Content != 1 || b.Content != 5 {
		t.Errorf("they hold %d and %d", a.Content, b.Content)
	}
	v := newHeard(t, "if-match", Settings{Objects: 2})
	v.ask(t, of(1, writes(1, 64, 0)))
	if a := v.ask(t, of(2, reads(1))); a.Revision != 0 {
		t.Errorf("a write of the first object gave the second version %d", a.Revision)
	}
	last := v.r.Records[len(v.r.Records)-1]
	if last.Object != 1 {
		t.Errorf("on record is object %d", last.Object)
	}
}

// Kinds are as they are listed, and every kind starts as Reset leaves it.
func TestKinds(t *testing.T) {
	if got, want := KindNames(), []string{"register", "counter", "log", "object", "references", "effect"}; !slices.Equal(got, want) {
		t.Errorf("kinds %v, want %v", got, want)
	}
	for _, k := range Kinds {
		sections := k.Name != References && k.Name != Effect // design: the other kinds have oracles instead
		if k.Name.LosesUpdates() != sections || k.Doc == "" {
			t.Errorf("%s loses updates: %t", k.Name, k.Name.LosesUpdates())
		}
		x := newHeard(t, "none", Settings{Kind: k.Name})
		before := x.ask(t, reads(1))
		x.ask(t, does(1, 71, 1))
		x.ask(t, writes(1, 72, 1))
		x.Reset(1)
		if after := x.ask(t, reads(1)); after.Content != before.Content || after.Value != 0 || before.Value != 0 {
			t.Errorf("%s: reads %+v, and after a reset %+v", k.Name, before, after)
		}
	}
	if none := Kind(""); !none.LosesUpdates() || none.info().Name != Register {
		t.Errorf("no kind is %v", none.info())
	}
}
