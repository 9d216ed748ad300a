package resource

import (
	"testing"

	"fencepost/sim/history"
)

// What a program makes of what it has read.
func TestNext(t *testing.T) {
	nothing := Write{Nothing: true}
	for _, c := range []struct {
		name   string
		of     Settings
		prunes bool
		read   int64
		want   Write
	}{
		{"a register's value is the write", Settings{}, false, 5, Write{}},
		{"so is an entry", Settings{Kind: Log}, false, 5, Write{}},
		{"and a content that is new", Settings{Kind: Object}, false, 5, Write{}},
		{"the next number", Settings{Kind: Counter}, false, 5, Write{Content: 6}},
		{"the next job", Settings{Kind: Effect}, false, 0, Write{Content: 1}},
		{"the next state", Settings{Kind: Object, States: 3}, false, 1, Write{Content: 2}},
		{"the first state after the last", Settings{Kind: Object, States: 3}, false, 2, Write{Content: 0}},
		{"a reference to what is there", Settings{Kind: References}, false, history.Unreferenced, Write{Content: refer}},
		{"another reference", Settings{Kind: References}, false, history.Referenced, Write{Content: refer}},
		{"a reference to what has to be made anew", Settings{Kind: References}, false, history.Gone, Write{Content: create}},
		{"a deletion of what nobody refers to", Settings{Kind: References}, true, history.Unreferenced, Write{Content: remove}},
		{"none of what somebody refers to", Settings{Kind: References}, true, history.Referenced, nothing},
		{"nor of what is gone", Settings{Kind: References}, true, history.Gone, nothing},
	} {
		got := c.of.Next(c.read, c.prunes)
		if got.Nothing != c.want.Nothing || !got.Nothing && got.Content != c.want.Content {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
