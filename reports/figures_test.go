package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/reports/plots"
	"fencepost/scenarios/sweeps"
)

// sweptPauses is a table of two locks over three pauses, of ten trials each.
func sweptPauses() *SweepTable {
	t := &SweepTable{Scenario: "s", Seeds: "1-10", Params: []string{"fault.pause", "ttl"}}
	closed := 0.25
	for _, c := range []struct {
		lock, guard, violated string
	}{{"redis", "none", "1-4"}, {"etcd", "none", "3-5,9"}, {"etcd", "fence-writes", ""}} {
		for _, pause := range []string{"5s", "10s", "exponential(20s)"} {
			r := SweepRow{Lock: c.lock, Guard: c.guard, Values: []string{pause, "10s"}, Property: checker.ResourceName, HasSeeds: true}
			if c.violated != "" {
				r.Violated, _ = sweeps.ParseSeeds(c.violated)
			}
			r.Rate = stats.Rate{Trials: 10, Violations: int64(r.Violated.Len()), Confidence: Confidence}
			if c.lock == "redis" {
				r.ClosedForm = &closed
			}
			t.Rows = append(t.Rows, r)
			t.Cells = append(t.Cells, SweepCell{Lock: c.lock, Guard: c.guard, Params: map[string]string{"fault.pause": pause, "ttl": "10s"},
				Acquisitions: 20, Messages: 80, Fsyncs: 10, Waited: Quantiles{Count: 20, P50: 100, P9999: int64(time.Second)},
				Recovered: Quantiles{Count: 10, P50: int64(9 * time.Second)}, Overlapped: Quantiles{Count: 10, Max: int64(time.Second)}})
		}
	}
	t.Rows = append(t.Rows, SweepRow{Lock: "redis", Guard: "fence-writes", Values: []string{"5s", "10s"}, Property: checker.ResourceName, NotApplicable: "no monotonic token"})
	return t
}

// pictured fails if a figure has no picture that can be drawn, and returns its picture.
func pictured[P plots.Picture](t *testing.T, f Figure, err error) P {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	p, ok := f.Picture.(P)
	if !ok {
		t.Fatalf("%s has the picture %T (%s)", f.Name, f.Picture, f.Why)
	}
	var svg bytes.Buffer
	if err := p.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"fencepost " + Version, "seeds 1-10"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("%s does not name %q", f.Name, want)
		}
	}
	for i, row := range f.Data.Rows {
		if len(row) != len(f.Data.Head) {
			t.Errorf("%s: row %d has %d cells, the head %d", f.Name, i, len(row), len(f.Data.Head))
		}
	}
	return p
}

func TestRatePanels(t *testing.T) {
	f, err := RatePanels(sweptPauses(), checker.ResourceName, "fault.pause/ttl")
	p := pictured[*plots.Panels](t, f, err)
	var got []string
	for _, panel := range p.Panels {
		for _, s := range panel.Series {
			got = append(got, fmt.Sprintf("%s: %s %v %t", panel.Name, s.Name, s.Points[0].Rate, s.Formula))
		}
	}
	want := []string{"no guard: redis 0.4 false", "no guard: etcd 0.4 false", "no guard: closed form: redis 0.25 true", "fence-writes: etcd 0 false"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !strings.Contains(p.Note, "not applicable: redis / fence-writes (no monotonic token)") || !strings.Contains(p.Note, "stands at its mean") {
		t.Error(p.Note)
	}
	if len(f.Data.Rows) != 9 || strings.Join(f.Data.Rows[0], ",") != "redis,none,5s,0.5,10,4,0,0.4,0.121552,0.737622,0.25" {
		t.Error(f.Data.Rows)
	}
}

func TestPairChart(t *testing.T) {
	f, err := PairChart(sweptPauses(), checker.ResourceName, "fault.pause", "none")
	p := pictured[*plots.Panels](t, f, err)
	if len(p.Panels) != 1 || p.Panels[0].Name != "redis − etcd" || len(p.Panels[0].Series[0].Points) != 3 {
		t.Fatalf("%+v", p.Panels)
	}
	if d := p.Panels[0].Series[0].Points[0]; d.Rate != 0 || !d.Hollow {
		t.Errorf("%+v", d)
	}
	row := strings.Join(f.Data.Rows[0], " ")
	if !strings.HasPrefix(row, "redis etcd none 5 10 2 2 2 4 0 ") || !strings.HasSuffix(row, " 1-2 5,9") {
		t.Error(row)
	}
	alone, err := PairChart(sweptPauses(), checker.ResourceName, "fault.pause", "fence-writes")
	if err != nil || alone.Picture != nil || alone.Why == "" {
		t.Errorf("%+v, %v", alone, err)
	}
}

// TestUnknownSeedsBelongToNoPair of the four.
func TestUnknownSeedsBelongToNoPair(t *testing.T) {
	seeds := func(text string) sweeps.Seeds { s, _ := sweeps.ParseSeeds(text); return s }
	a := &SweepRow{Violated: seeds("1-3"), Open: seeds("7"), Rate: stats.Rate{Trials: 10}}
	b := &SweepRow{Violated: seeds("2,7"), Open: seeds("3"), Rate: stats.Rate{Trials: 10}}
	if g := paired(a, b); g.pairs != (stats.Pairs{Both: 1, OnlyA: 1, Neither: 6}) || g.onlyA.String() != "1" || len(g.onlyB) != 0 {
		t.Errorf("%+v", g)
	}
}

func TestRateHeat(t *testing.T) {
	f, err := RateHeat(sweptPauses(), checker.ResourceName, "fault.pause", "ttl", "none")
	h := pictured[*plots.Heat](t, f, err)
	if len(h.Maps) != 2 || h.Columns[2] != "20 s" || h.Maps[1].Cells[0][0].Rate != 0.4 || h.XLabel != "pause (mean)" {
		t.Errorf("%+v", h)
	}
}

func TestFrontier(t *testing.T) {
	f, err := Frontier(sweptPauses(), sweptPauses(), checker.ResourceName, "fault.pause")
	p := pictured[*plots.Panels](t, f, err)
	if len(p.Panels) != 2 || len(p.Panels[0].Series) != 3 || p.Panels[0].Series[0].Points[1].Label != "10 s" || p.Panels[0].Series[0].Points[1].X != 9 {
		t.Errorf("%+v", p.Panels)
	}
}

// TestFrontierSaysWhoIsNotThere, and of how many trials a median is.
func TestFrontierSaysWhoIsNotThere(t *testing.T) {
	unsafe, gone := sweptPauses(), sweptPauses()
	for i := range gone.Cells {
		c := &gone.Cells[i]
		switch {
		case c.Lock == "etcd":
			c.Recovered = Quantiles{}
		case c.Params["fault.pause"] == "5s":
			c.Recovered.Count = 3
		}
	}
	f, err := Frontier(unsafe, gone, checker.ResourceName, "fault.pause")
	p := pictured[*plots.Panels](t, f, err)
	for _, want := range []string{
		"Not drawn: redis / fence-writes (no monotonic token); etcd / every guard (" + nobodyRecovered + ") in s",
		"in the others: redis with pause 5 s (3 of 10)",
	} {
		if !strings.Contains(strings.ReplaceAll(p.Note, "none, fence-writes", "every guard"), want) {
			t.Errorf("%q does not say %q", p.Note, want)
		}
	}
	if len(p.Panels) != 1 || strings.Contains(p.Note, "10 of 10") {
		t.Errorf("%d plots, %q", len(p.Panels), p.Note)
	}
	var got []string
	for _, row := range f.Data.Rows {
		got = append(got, strings.Join([]string{row[0], row[1], row[2], row[10], row[14], row[15]}, "|"))
	}
	for _, want := range []string{"redis|none|5s|3|10|", "redis|none|10s|10|10|", "etcd|fence-writes|10s|0|10|" + nobodyRecovered} {
		if !slices.Contains(got, want) {
			t.Errorf("no row %q in %q", want, got)
		}
	}
	for i := range gone.Cells {
		gone.Cells[i].Recovered = Quantiles{}
	}
	if f, err := Frontier(unsafe, gone, checker.ResourceName, "fault.pause"); err != nil || f.Picture != nil || !strings.Contains(f.Why, nobodyRecovered) {
		t.Errorf("%v, %q, %v", f.Picture, f.Why, err)
	}
}

// TestEstimatesAreDrawnAlike: a rate that was not counted is that of the estimate in every figure.
func TestEstimatesAreDrawnAlike(t *testing.T) {
	table := sweptPauses()
	for i := range table.Rows {
		if r := &table.Rows[i]; r.NotApplicable == "" {
			r.Estimate = &Estimate{Method: string(sweeps.Biased), Rate: 0.125, Low: 0.1, High: 0.15}
		}
	}
	h, err := RateHeat(table, checker.ResourceName, "fault.pause", "ttl", "none")
	cell := pictured[*plots.Heat](t, h, err).Maps[0].Cells[0][0]
	r, err := RatePanels(table, checker.ResourceName, "fault.pause")
	p := pictured[*plots.Panels](t, r, err).Panels[0].Series[0].Points[0]
	if cell.Rate != 0.125 || cell.High != 0.15 || p.Rate != cell.Rate || p.High != cell.High {
		t.Errorf("%+v beside %+v", cell, p)
	}
}

// TestDurationsAreWrittenInOneWay at both axes of a map.
func TestDurationsAreWrittenInOneWay(t *testing.T) {
	f, err := RateHeat(sweptPauses(), checker.ResourceName, "fault.pause", "ttl", "none")
	h := pictured[*plots.Heat](t, f, err)
	if got := fmt.Sprint(h.Columns, h.Rows); got != "[5 s 10 s 20 s] [10 s]" {
		t.Error(got)
	}
	for value, want := range map[string]string{"1.576059s": "1.58 s", "100ms": "100 ms", "exponential(2.483961s)": "exponential(2.48s)", "8": "8"} {
		if got := lengthText(value); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

// TestSmallRatesHaveALogarithmicAxis, and those that can be read on a linear one have that.
func TestSmallRatesHaveALogarithmicAxis(t *testing.T) {
	of := func(rate, high float64) plots.Scale {
		table := sweptPauses()
		for i := range table.Rows {
			table.Rows[i].Estimate = &Estimate{Method: string(sweeps.Biased), Rate: rate, Low: rate / 2, High: high}
		}
		c, err := RateChart(table, checker.ResourceName, "fault.pause")
		if err != nil {
			t.Fatal(err)
		}
		return c.Scale
	}
	if of(1e-6, 2e-6) != plots.LogShares || of(1e-5, 0.2) != plots.LogShares || of(0.1, 0.2) != plots.Shares || of(0, 0.2) != plots.Shares {
		t.Error("the scale does not fit the rates")
	}
}

// TestStamps count trials as they are.
func TestStamps(t *testing.T) {
	for want, counts := range map[string][]int64{"1 trial": {1, 1}, "100 trials": {100}, "99 to 100 trials": {100, 99, 100}, "0 trials": nil} {
		var s spread
		for _, n := range counts {
			s.add(n)
		}
		if got := s.of("trial", "trials"); got != want {
			t.Errorf("%v: %q, want %q", counts, got, want)
		}
	}
	table := sweptPauses()
	for i := range table.Rows {
		table.Rows[i].Rate.Trials = 1
	}
	for _, stamp := range []string{table.stamp(), table.stampCost()} {
		if !strings.HasSuffix(stamp, "; 1 trial a point") {
			t.Error(stamp)
		}
	}
}

// TestPairsThatDifferInNumber: the foot has the least and the most, and a correlation that does not exist is
// empty.
func TestPairsThatDifferInNumber(t *testing.T) {
	table := sweptPauses()
	for i := range table.Rows {
		r := &table.Rows[i]
		if r.Lock == "redis" && r.Values[0] == "5s" {
			r.Open, r.Rate.Unknown = sweeps.Seeds{{First: 10, Last: 10}}, 1
		}
		if r.Lock == "redis" && r.Values[0] == "10s" {
			r.Violated, r.Rate.Violations = nil, 0
		}
	}
	f, err := PairChart(table, checker.ResourceName, "fault.pause", "none")
	p := pictured[*plots.Panels](t, f, err)
	if !strings.Contains(p.Note, "; seeds 1-10, 9 to 10 pairs a point;") && !strings.Contains(p.Note, "seeds 1-10, 9 to 10 pairs a point;") {
		t.Error(p.Note)
	}
	column := slices.Index(f.Data.Head, "correlation")
	if f.Data.Rows[1][column] != "" || f.Data.Rows[0][column] == "" || !strings.Contains(f.Read, "empty where one of them was always or never violated") {
		t.Errorf("%q, %q", f.Data.Rows, f.Read)
	}
	if !strings.Contains(p.YLabel, "percentage points") {
		t.Error(p.YLabel)
	}
}

// TestWaitingHasAPlotForEachBackoff, and one for a lock to which it makes no difference.
func TestWaitingHasAPlotForEachBackoff(t *testing.T) {
	table := sweptPauses()
	table.Params = []string{"clients", "retry-jitter"}
	table.Cells = nil
	for i := range table.Rows {
		table.Rows[i].Values = []string{"2", "0s"}
	}
	for _, lock := range []string{"etcd", "redis"} {
		for i, jitter := range []string{"0s", "50ms"} {
			w := Quantiles{Count: 10, P50: 20000}
			if lock == "redis" {
				w.P50 += int64(i)
			}
			table.Cells = append(table.Cells, SweepCell{Lock: lock, Guard: "none", Params: map[string]string{"clients": "2", "retry-jitter": jitter}, Waited: w})
		}
	}
	f, err := Waiting(table, "clients", "retry-jitter")
	var names []string
	for _, p := range pictured[*plots.Panels](t, f, err).Panels {
		names = append(names, p.Name)
	}
	if want := []string{"redis, no jitter", "redis, jitter 50 ms", "etcd"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestCosts(t *testing.T) {
	f, err := Costs(sweptPauses(), "fault.pause", []string{"5s", "10s"}, []string{"short", "long"}, "without jitter")
	b := pictured[*plots.Bars](t, f, err)
	if !strings.Contains(b.Subtitle, "without jitter") || !strings.Contains(f.Shows, "without jitter") {
		t.Errorf("%q, %q", b.Subtitle, f.Shows)
	}
	if len(b.Groups) != 2 || b.Panels[0].Values[0][0] != 4 || b.Panels[1].Values[1][1] != 0.5 {
		t.Errorf("%+v", b)
	}
}

func TestBoundChart(t *testing.T) {
	f, err := BoundChart(sweptPauses(), Figure{Name: "f"}, "fault.pause", "pause (s)", 1, func(lock, value string, _ map[string]string) (time.Duration, bool) {
		return 2 * time.Second, lock == "etcd"
	}, func(lock string) string { return "nothing is told" })
	p := pictured[*plots.Panels](t, f, err)
	if !strings.Contains(p.Note, "; without a bound, and not drawn: redis (nothing is told)") {
		t.Error(p.Note)
	}
	if len(p.Panels) != 1 || p.Panels[0].Series[0].Points[0].Rate != 1 || p.Panels[0].Series[1].Points[0].Rate != 2 || !p.Panels[0].Series[1].Formula {
		t.Errorf("%+v", p.Panels)
	}
}

func TestSuiteMatrix(t *testing.T) {
	s := &Suite{Seeds: "1-10", Scenarios: []SuiteCase{
		{Name: "a", Ran: []SuiteRuns{{Lock: "redis", Guard: "none", Surprises: 1, Violated: map[string]int{checker.Exclusion: 1, checker.ResourceName: 1}}},
			NotApplicable: []Skipped{{"etcd", "none", "why"}}},
		{Name: "b", Ran: []SuiteRuns{{Lock: "redis", Guard: "none", Expected: 1}, {Lock: "etcd", Guard: "none", Unjudged: 1, Violated: map[string]int{checker.Grants: 1}}}},
	}}
	f := SuiteMatrix(s, []string{"redis", "etcd"}, []string{"none"})
	m := pictured[*plots.Matrix](t, f, nil)
	want := [][]plots.MatrixCell{{{Text: "ER", Ground: plots.Hot, Alarm: true}, {Text: "·"}}, {{Ground: plots.Calm}, {Text: "G", Ground: plots.Warm}}}
	for i, row := range m.Rows {
		if !slices.Equal(row.Cells, want[i]) {
			t.Errorf("row %s: %+v, want %+v", row.Name, row.Cells, want[i])
		}
	}
	if got := strings.Join(f.Data.Rows[1], "|"); got != "a|etcd|none|0|0|0|0||why" {
		t.Error(got)
	}
}

// TestSuiteMatrixKeepsTheOrder of the command, sets variants in, and names the trials.
func TestSuiteMatrixKeepsTheOrder(t *testing.T) {
	s := &Suite{Seeds: "1-10", Scenarios: []SuiteCase{
		{Name: "a", Ran: []SuiteRuns{{Lock: "redis", Guard: "fence-writes", Expected: 2}, {Lock: "redis", Guard: "none", Expected: 2}, {Lock: "etcd", Guard: "none", Expected: 2}}},
		{Name: "a/b", Ran: []SuiteRuns{{Lock: "etcd", Guard: "none", Expected: 2}}},
		{Name: "c/d", Ran: []SuiteRuns{{Lock: "etcd", Guard: "none", Expected: 2}}},
	}}
	m := pictured[*plots.Matrix](t, SuiteMatrix(s, []string{"etcd", "redis"}, []string{"none", "fence-writes"}), nil)
	if got := fmt.Sprint(m.Groups); got != "[{etcd [none]} {redis [none fence-writes]}]" {
		t.Error(got)
	}
	var rows []string
	for _, r := range m.Rows {
		rows = append(rows, fmt.Sprint(r.Name, r.Variant))
	}
	if got := strings.Join(rows, " "); got != "afalse btrue c/dfalse" {
		t.Error(got)
	}
	if !strings.Contains(m.Subtitle, "2 trials a cell") {
		t.Error(m.Subtitle)
	}
}

// TestPagesOfAFigure are files of their own, and stand on the page.
func TestPagesOfAFigure(t *testing.T) {
	one := &plots.Bars{}
	c := &Comparison{Figures: []Figure{{Name: "matrix", Title: "What?", Picture: one, More: []plots.Picture{one, one}}}}
	var page bytes.Buffer
	if err := c.WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	files := c.Files()
	for _, name := range []string{"matrix", "matrix-2", "matrix-3"} {
		if files[name+".svg"] == nil || files[name+".png"] == nil || !strings.Contains(page.String(), "]("+name+".svg)\n") {
			t.Errorf("%s is not there", name)
		}
	}
	if !c.Drawn() || (&Comparison{Figures: []Figure{{Name: "pairs"}}}).Drawn() {
		t.Error("what is drawn is not told from what is not")
	}
}

// TestComparisonPage names every file, the commands, and what has no picture.
func TestComparisonPage(t *testing.T) {
	f, err := RatePanels(sweptPauses(), checker.ResourceName, "fault.pause/ttl")
	if err != nil {
		t.Fatal(err)
	}
	f.Commands = []string{"fencepost sweep s"}
	c := &Comparison{Locks: []string{"redis", "etcd"}, Guards: []string{"none"}, Command: "fencepost compare redis,etcd", Interrupted: true,
		Figures: []Figure{f, Figure{Name: "pairs", Title: "Which?"}.nothing("there is one lock")}}
	var page bytes.Buffer
	if err := c.WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# redis, etcd compared", "$ fencepost compare redis,etcd\n", "**Interrupted", "![How often is the resource harmed](rates.svg)", "[rates.csv](rates.csv)", "$ fencepost sweep s\n", "There is no picture: there is one lock."} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in\n%s", want, page.String())
		}
	}
	files := c.Files()
	for _, name := range []string{"compare.md", "rates.csv", "rates.svg", "rates.png", "pairs.csv"} {
		if files[name] == nil {
			t.Errorf("no file %s", name)
		}
	}
	if files["pairs.svg"] != nil {
		t.Error("a picture of nothing")
	}
}
