package reports

import (
	"slices"
	"testing"

	"fencepost/checker"
)

// A table has a column for tokens if one of its runs violates them, and else it has not.
func TestColumnOfTokens(t *testing.T) {
	for _, c := range []struct {
		second checker.Status
		want   bool
	}{{checker.OK, false}, {checker.Unknown, false}, {checker.Violated, true}} {
		runs := []Run{
			{Lock: "redis", Guard: "none", Tokens: checker.NotApplicable},
			{Lock: "local", Guard: "none", Tokens: c.second, Kinds: map[string]string{checker.Tokens: "grant-order"}},
		}
		shown := shownOf(runs)
		head, rows, counts := header(shown), rowsOf(runs, shown), countsOf(group(runs), shown)
		at := slices.Index(head, "tokens")
		if at >= 0 != c.want {
			t.Errorf("%s: %v", c.second, head)
		}
		if !c.want {
			continue
		}
		if rows[0][at] != "n/a" || rows[1][at] != "violated (grant-order)" || counts[1][at] != "violated 1/1" {
			t.Errorf("rows %v, counts %v", rows, counts)
		}
	}
}
