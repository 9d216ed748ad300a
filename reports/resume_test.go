package reports

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/checker/stats"
)

// twoCells is what a sweep of two cells has written, the second not applicable.
func twoCells() *SweepTable {
	t := &SweepTable{Params: []string{"ttl"}}
	for _, p := range checker.Properties {
		t.Rows = append(t.Rows, SweepRow{Lock: "redis", Guard: "none", Values: []string{"10s"}, Property: p,
			Rate: stats.Rate{Trials: 10, Violations: 3, Confidence: Confidence}, Harms: 3, Acquisitions: 20, Held: time.Minute, GaveUp: 1,
			Faults: []Fault{{Fault: "pause client 1", Fired: 10}}})
	}
	for _, p := range checker.Properties {
		t.Rows = append(t.Rows, SweepRow{Lock: "redis", Guard: "fence-writes", Values: []string{"10s"}, Property: p, NotApplicable: "no monotonic token"})
	}
	return t
}

// A table that was changed since is refused: a row that is missing, twice there, moved, or of
// another cell, property or count.
func TestWhole(t *testing.T) {
	if err := twoCells().whole(10); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(t *SweepTable){
		"porcupine was left out":        func(t *SweepTable) { t.Rows = slices.Delete(t.Rows, 5, 7) },
		"some trials have no token":     func(t *SweepTable) { t.Rows[4].Rate.Trials = 9 },
		"tokens are n/a in every trial": func(t *SweepTable) { t.Rows[4].Rate, t.Rows[4].NotApplicable = stats.Rate{}, "no monotonic token" },
	} {
		x := twoCells()
		change(x)
		if err := x.whole(10); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		change func(t *SweepTable)
		says   string
	}{
		"the first row is missing":   {func(t *SweepTable) { t.Rows = t.Rows[1:] }, "rows 1 to 6: a cell has the rows grants, exclusion"},
		"the second row is missing":  {func(t *SweepTable) { t.Rows = slices.Delete(t.Rows, 1, 2) }, "rows 1 to 6"},
		"a row is there twice":       {func(t *SweepTable) { t.Rows = slices.Insert(t.Rows, 0, t.Rows[0]) }, "rows 1 to 8"},
		"two rows are swapped":       {func(t *SweepTable) { t.Rows[0], t.Rows[1] = t.Rows[1], t.Rows[0] }, "these are exclusion, grants"},
		"another property":           {func(t *SweepTable) { t.Rows[2].Property = "harm" }, "harm"},
		"another lock":               {func(t *SweepTable) { t.Rows[2].Lock = "etcd" }, "rows 1 to 2"},
		"another value":              {func(t *SweepTable) { t.Rows[9].Values = []string{"5s"} }, "rows 8 to 9"},
		"too few trials":             {func(t *SweepTable) { t.Rows[3].Rate.Trials = 9 }, "row 4: it has 9 trials of 10 seeds"},
		"more acquisitions":          {func(t *SweepTable) { t.Rows[3].Acquisitions++ }, "row 4: it says something else"},
		"another ledger":             {func(t *SweepTable) { t.Rows[5].Faults = []Fault{{Fault: "pause client 1", Fired: 9}} }, "row 6: it says something else"},
		"half not applicable":        {func(t *SweepTable) { t.Rows[8].NotApplicable = "" }, "row 9"},
		"tokens of more trials":      {func(t *SweepTable) { t.Rows[4].Rate.Trials = 11 }, "row 5: it has 11 trials of 10 seeds"},
		"tokens of a cell not run":   {func(t *SweepTable) { t.Rows[11].NotApplicable = "another reason" }, "row 12: it says something else"},
		"before tokens were counted": {func(t *SweepTable) { t.Rows = slices.Delete(t.Rows, 4, 5) }, "rows 1 to 6: the cell has no row of tokens, which sweeps did not count when the file was written; run the sweep anew, without --resume"},
		"before, without porcupine":  {func(t *SweepTable) { t.Rows = slices.Delete(t.Rows, 4, 7) }, "rows 1 to 4: the cell has no row of tokens"},
	} {
		x := twoCells()
		c.change(x)
		if err := x.whole(10); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", name, err, c.says)
		}
	}
}

// What cannot be a count, or names other parameters, is refused where it is read.
func TestRowsThatCannotBe(t *testing.T) {
	const head = `{"schema":"` + SweepSchema + `","fencepost":"` + Version + `","params":["ttl"],"rows":[{"params":{"ttl":"1s"},"trials":1`
	for content, says := range map[string]string{
		head + `,"faults":[{"fired":-4}]}]}`:                                 "row 1: -4 is not a count",
		head + `,"held_ns":-1}]}`:                                            "row 1: -1 is not a count",
		strings.Replace(head, `"ttl":"1s"`, ``, 1) + `}]}`:                   "row 1: its parameters are not those of the sweep: ttl",
		strings.Replace(head, `"ttl":"1s"`, `"ttl":"1s","x":"y"`, 1) + `}]}`: "row 1: its parameters",
	} {
		if _, err := ReadSweepJSON(strings.NewReader(content)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want an error that says %q", content, err, says)
		}
	}
}
