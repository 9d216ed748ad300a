package reports

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/checker"
	"fencepost/checker/stats"
)

// aTable draws a sweep's table.
func aTable(t *rapid.T) *SweepTable {
	table := &SweepTable{Scenario: "mine", Hash: "0123456789ab", Workload: "client 1 works", Seeds: "1-10", Params: []string{"fault.pause", "ttl"}}
	for range rapid.IntRange(1, 5).Draw(t, "rows") {
		trials := rapid.Int64Range(1, 1000).Draw(t, "trials")
		violations := rapid.Int64Range(0, trials).Draw(t, "violations")
		r := SweepRow{Lock: rapid.SampledFrom([]string{"redis", "etcd"}).Draw(t, "lock"), Guard: "none",
			Values:   []string{rapid.SampledFrom([]string{"5s", "uniform(1s, 2s)", `a"b,c`}).Draw(t, "pause"), "10s"},
			Property: rapid.SampledFrom(checker.Properties).Draw(t, "property"),
			Rate: stats.Rate{Trials: trials, Violations: violations, Confidence: Confidence,
				Unknown: rapid.Int64Range(0, trials-violations).Draw(t, "unknown")},
			Harms: violations, Acquisitions: 2 * trials, Held: time.Duration(trials) * time.Second}
		if rapid.IntRange(0, 9).Draw(t, "not applicable") == 0 {
			r.Rate, r.NotApplicable = stats.Rate{Confidence: Confidence}, "it cannot, for a reason"
		}
		if rapid.Bool().Draw(t, "closed form") {
			rate := 0.25
			r.ClosedForm = &rate
		}
		if rapid.Bool().Draw(t, "faults") {
			r.Faults = []Fault{{Fault: "pause client 1", Fired: 3, TookEffect: 2, TouchedHolder: 1}, {Fault: "crash redis/1", Random: true}}
		}
		table.Rows = append(table.Rows, r)
	}
	return table
}

// TestSweepJSONRoundTrip: a sweep that is resumed has to be the sweep that was written.
func TestSweepJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := aTable(t)
		var b bytes.Buffer
		if err := WriteSweepJSON(&b, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSweepJSON(&b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, %v, want %+v", got, err, want)
		}
	})
}

// TestSweepCSVRoundTrip: the CSV keeps what a chart needs, and nothing else.
func TestSweepCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := aTable(t)
		var b bytes.Buffer
		if err := WriteSweepCSV(&b, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSweepCSV(&b)
		want.Hash, want.Workload = "", ""
		for i := range want.Rows {
			r := &want.Rows[i]
			r.Harms, r.Acquisitions, r.Held, r.ClosedForm, r.Faults = 0, 0, 0, nil, nil
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, %v, want %+v", got, err, want)
		}
	})
}

// TestHowARateWasComeBySurvivesTheCSV: what is drawn from a CSV is what the sweep printed.
func TestHowARateWasComeBySurvivesTheCSV(t *testing.T) {
	rare := &Estimate{Rate: 1.25e-06, Low: 1e-06, High: 1.5e-06, Warning: "one trial makes 20 % of the estimate"}
	for _, method := range []string{anytime, "bias", "conditional"} {
		want := table("5s", "15s")
		for i := range want.Rows {
			r := &want.Rows[i]
			if method == anytime {
				want.Anytime, r.Rate.Anytime = true, true
				continue
			}
			e := *rare
			e.Method, r.Estimate = method, &e
		}
		var b bytes.Buffer
		if err := WriteSweepCSV(&b, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSweepCSV(&b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %+v, %v, want %+v", method, got, err, want)
		}
	}
}

func TestBadSweepCSV(t *testing.T) {
	const head = "scenario,lock,guard,ttl,property,trials,violations,unknown,rate,low,high,confidence,method,warning,seeds,not_applicable\n"
	for _, c := range []struct{ content, says string }{
		{"", "empty"},
		{"a,b\n", "line 1 must read scenario,lock,guard"},
		{head + "mine,redis,none,10s,exclusion,x,0,0,0,0,1,0.95,clopper-pearson,,1-5,\n", `line 2: "x" is not a count`},
		{head + "mine,redis,none,10s,exclusion,5,-1,0,0,0,1,0.95,clopper-pearson,,1-5,\n", `line 2: "-1" is not a count`},
		{head + "mine,redis,none,10s,exclusion,5,4,2,0,0,1,0.95,clopper-pearson,,1-5,\n", "line 2: 4 violations and 2 unknown of 5 trials cannot be"},
		{head + "mine,redis,none,10s,exclusion,5,4,0,0,0,1,0.95,clopper-pearson,,1-5,\nhis,redis,none,10s,exclusion,5,4,0,0,0,1,0.95,clopper-pearson,,1-5,\n", "line 3: scenario or seeds differ"},
		{head + "mine,redis,none,10s,exclusion,0,0,0,0,0,1,0.95,clopper-pearson,,1-5,\n", "line 2: 0 violations and 0 unknown of 0 trials"},
		{head + "mine,redis,none,10s,exclusion,5,0,0,n/a,n/a,n/a,0.95,clopper-pearson,,1-5,it cannot\n", "line 2: 0 violations and 0 unknown of 5 trials"},
		{head + "mine,redis,none,10s,exclusion,5,4,0,0,0,1,0.95,guessed,,1-5,\n", `line 2: the method "guessed": accepted: clopper-pearson, anytime, bias, conditional`},
		{head + "mine,redis,none,10s,exclusion,5,4,0,x,0,1,0.95,bias,,1-5,\n", `line 2: "x" is no probability`},
		{head + "mine,redis,none,10s,exclusion,5,4,0,0.1,0,1.5,0.95,conditional,,1-5,\n", `line 2: "1.5" is no probability`},
		{strings.Replace(head, ",not_applicable", "", 1), "seeds,not_applicable"},
		{head + "mine,redis\n", "wrong number of fields"},
		{head, "has no rows"},
	} {
		if _, err := ReadSweepCSV(strings.NewReader(c.content)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want an error that says %q", c.content, err, c.says)
		}
	}
	for content, says := range map[string]string{"": "not a sweep's JSON", "[]": "not a sweep's JSON", `{"schema":"x"}`: `its schema is "x"`} {
		if _, err := ReadSweepJSON(strings.NewReader(content)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want an error that says %q", content, err, says)
		}
	}
}

// table is a small sweep for charts.
func table(pauses ...string) *SweepTable {
	t := &SweepTable{Scenario: "mine", Seeds: "1-10", Params: []string{"fault.pause", "ttl"}}
	for i, pause := range pauses {
		t.Rows = append(t.Rows, SweepRow{Lock: "redis", Guard: "none", Values: []string{pause, "10s"}, Property: checker.Exclusion,
			Rate: stats.Rate{Trials: 10, Violations: int64(i), Confidence: Confidence}})
	}
	return t
}

// TestRateChartAxes: a ratio, one parameter, the mean of a distribution, and what is
// refused.
func TestRateChartAxes(t *testing.T) {
	for _, c := range []struct {
		x     string
		want  []float64
		label string
	}{
		{"", []float64{0.5, 2, 3}, "pause ÷ TTL"},
		{"fault.pause/ttl", []float64{0.5, 2, 3}, "pause ÷ TTL"},
		{"fault.pause", []float64{5, 20, 30}, "fault.pause (s)"},
	} {
		chart, err := RateChart(table("30s", "uniform(10s, 30s)", "5s"), checker.Exclusion, c.x)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, p := range chart.Series[0].Points {
			got = append(got, p.X)
		}
		if !reflect.DeepEqual(got, c.want) || chart.XLabel != c.label {
			t.Errorf("x %q: %v, %q, want %v, %q", c.x, got, chart.XLabel, c.want, c.label)
		}
	}
	for x, says := range map[string]string{"pause": `no parameter "pause"; accepted: fault.pause, ttl`, "ttl/": `no parameter ""`} {
		if _, err := RateChart(table("5s", "6s"), checker.Exclusion, x); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("x %q: %v, want an error that says %q", x, err, says)
		}
	}
	if _, err := RateChart(table("never", "5s"), checker.Exclusion, ""); err == nil {
		t.Error("a parameter that is no duration is drawn")
	}
	if _, err := RateChart(table("5s", "6s"), checker.Grants, ""); err == nil {
		t.Error("a property without rows is drawn")
	}
}
