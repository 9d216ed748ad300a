package reports

import (
	"math"
	"testing"

	"fencepost/checker/stats"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// changed is a rate of which some seeds turned bad and some good.
func changed(t *testing.T, bad, good string) Change {
	t.Helper()
	c := Change{}
	for text, to := range map[string]*sweeps.Seeds{"b" + bad: &c.Bad, "g" + good: &c.Good} {
		if text[1:] == "" {
			continue
		}
		var err error
		if *to, err = sweeps.ParseSeeds(text[1:]); err != nil {
			t.Fatal(err)
		}
	}
	c.P = stats.SignTest(int64(c.Bad.Len()), int64(c.Good.Len()))
	return c
}

// TestGateJudgesTogether: what is a rise by itself need not be one among several, unchanged rates
// cost nothing, and what turned good counts against what turned bad.
func TestGateJudgesTogether(t *testing.T) {
	for _, c := range []struct {
		name    string
		changes []Change
		rose    bool
		p       float64 // of the first
	}{
		{"seven alone", []Change{changed(t, "1-7", "")}, true, 1.0 / 128},
		{"six", []Change{changed(t, "1-6", "")}, false, 1.0 / 64},
		{"with what is as before", []Change{changed(t, "1-7", ""), changed(t, "", ""), changed(t, "", "")}, true, 1.0 / 128},
		{"with another", []Change{changed(t, "1-7", ""), changed(t, "1-7", "")}, false, 2.0 / 128},
		{"with a strong one", []Change{changed(t, "1-8", ""), changed(t, "1-7", "")}, true, 2.0 / 256},
		{"as many good ones", []Change{changed(t, "1-10", "11-20")}, false, stats.SignTest(10, 10)},
		{"good ones alone", []Change{changed(t, "", "1-20")}, false, 1},
		{"nothing", []Change{changed(t, "", "")}, false, 1},
	} {
		g := &Gate{Alpha: 0.01, Against: []Against{{Changes: c.changes[:1]}, {Changes: c.changes[1:]}}}
		g.Judge()
		if got := g.Against[0].Changes[0].Adjusted; g.Rose() != c.rose || math.Abs(got-c.p) > 1e-12 {
			t.Errorf("%s: rose %v, p %v; want %v, %v", c.name, g.Rose(), got, c.rose, c.p)
		}
	}
}

// TestBaselineComparesSeeds: a seed that a bound left open is in neither list.
func TestBaselineComparesSeeds(t *testing.T) {
	seeds := func(text string) sweeps.Seeds {
		s, err := sweeps.ParseSeeds(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	table := &SweepTable{Seeds: "1-20", Rows: []SweepRow{{Lock: "redis", Guard: "none", Property: "exclusion", HasSeeds: true,
		Rate: stats.Rate{Trials: 20, Violations: 5, Unknown: 1}, Violated: seeds("1-5"), Open: seeds("20")}}}
	b, err := NewBaseline(table, "a.json", Version)
	if err != nil {
		t.Fatal(err)
	}
	cell := &sweeps.Cell{Plan: &scenarios.Plan{Instance: &scenarios.Instance{}}}
	c := b.change(&table.Rows[0], cell, &sweeps.Outcome{Violated: seeds("3-9,20"), Open: seeds("1")})
	if c.Bad.String() != "6-9" || c.Good.String() != "2" || c.Open.String() != "1,20" || c.Before != 5 || c.After != 8 {
		t.Errorf("%+v", c)
	}
}
