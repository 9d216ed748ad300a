package reports

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/resource"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
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

// A sweep counts tokens where there are any, and says elsewhere why it does not; who reads
// what it wrote gets the same.
func TestTokensOfASweep(t *testing.T) {
	sweep, cells := swept(t, "bad-weather", "local", "redis")
	if err := sweep.Run(context.Background(), cells); err != nil {
		t.Fatal(err)
	}
	table := NewSweepTable(sweep, cells)
	of := map[string]SweepRow{}
	for _, r := range table.Rows {
		if r.Property == checker.Tokens {
			of[r.Lock] = r
		}
	}
	if r := of["local"]; r.Rate.Trials != 5 || r.Rate.Violations == 0 || r.Harms < r.Rate.Violations || r.NotApplicable != "" {
		t.Errorf("local: %+v", r)
	}
	if r := of["redis"]; r.Rate.Trials != 0 || r.NotApplicable != "no monotonic token" {
		t.Errorf("redis: %+v", r)
	}
	var b bytes.Buffer
	if err := WriteSweepJSON(&b, table); err != nil {
		t.Fatal(err)
	}
	written := b.String()
	read, err := ReadSweepJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := WriteSweepJSON(&again, read); err != nil || again.String() != written {
		t.Errorf("%v; read and written again, it differs", err)
	}
}

// swept is a sweep of five seeds over locks without a guard, and its cells.
func swept(t *testing.T, scenario string, names ...string) (*sweeps.Sweep, []*sweeps.Cell) {
	t.Helper()
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Load(scenario)
	if err != nil {
		t.Fatal(err)
	}
	sweep := &sweeps.Sweep{Scenario: s, Registry: registry, Guards: resource.Guards[:1], Seeds: sweeps.Seeds{{First: 1, Last: 5}}, Workers: 1}
	for _, name := range names {
		lock, _ := registry.Find(name)
		sweep.Locks = append(sweep.Locks, lock)
	}
	cells, err := sweep.Cells()
	if err != nil {
		t.Fatal(err)
	}
	return sweep, cells
}

// A lock with tokens of which nobody was given one has no rate either.
func TestNobodyWasGivenAToken(t *testing.T) {
	_, cells := swept(t, "bad-weather", "local")
	p := cells[0].Plan
	for n, want := range map[sweeps.Count]string{{}: "nobody was given a token", {Trials: 1}: ""} {
		if got := whyNot(p, checker.Tokens, n); got != want {
			t.Errorf("%+v: %q, want %q", n, got, want)
		}
	}
	if got := whyNot(p, checker.LinearLock, sweeps.Count{}); got != "" {
		t.Errorf("porcupine was left out: %q", got)
	}
}
