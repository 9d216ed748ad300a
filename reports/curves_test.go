package reports

import (
	"reflect"
	"strings"
	"testing"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/reports/plots"
)

// grid is a sweep over pauses and TTLs in which a pause that is longer than the TTL is a
// violation, but not under chubby; consul does not run with a TTL of 5 s.
func grid() *SweepTable {
	t := &SweepTable{Scenario: "mine", Seeds: "1-10", Params: []string{"fault.pause", "ttl"}}
	for _, lock := range []string{"redis", "etcd", "consul", "chubby"} {
		for _, guard := range []string{"none", "fence-writes"} {
			for i, pause := range []string{"1s", "1.576059s", "6.170061s", "15.326189s"} {
				for k, ttl := range []string{"5s", "10s"} {
					r := SweepRow{Lock: lock, Guard: guard, Values: []string{pause, ttl}, Property: checker.Exclusion}
					switch {
					case lock == "redis" && guard != "none", lock == "consul" && ttl == "5s":
						r.NotApplicable = "it cannot"
					default:
						r.Rate = stats.Rate{Trials: 10, Confidence: Confidence}
						if i >= 2+k && lock != "chubby" {
							r.Rate.Violations = 10
						}
					}
					t.Rows = append(t.Rows, r)
				}
			}
		}
	}
	return t
}

// TestCurvesAreNamedTogether: what has the same rates shares a curve, and its name is short.
func TestCurvesAreNamedTogether(t *testing.T) {
	for x, want := range map[string][]string{
		"fault.pause": {
			"redis, etcd / none, TTL 5s;\netcd / fence-writes, TTL 5s",
			"redis, etcd, consul / none, TTL 10s;\netcd, consul / fence-writes, TTL 10s",
			"chubby / none, fence-writes, TTL 5s, 10s",
		},
		"ttl": {
			"redis, etcd / none, pause 1s, 1.58s;\netcd / fence-writes, pause 1s, 1.58s;\nchubby / none, fence-writes, every pause",
			"redis, etcd / none, pause 6.17s;\netcd / fence-writes, pause 6.17s",
			"redis, etcd / none, pause 15.3s;\netcd / fence-writes, pause 15.3s",
			"consul / none, fence-writes, pause 1s to 6.17s",
			"consul / none, fence-writes, pause 15.3s",
		},
	} {
		chart, err := RateChart(grid(), checker.Exclusion, x)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range chart.Series {
			got = append(got, s.Name)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("x %s:\n%q\nwant\n%q", x, got, want)
		}
	}
}

// TestNotRun: a chart says what it leaves out, and with which values.
func TestNotRun(t *testing.T) {
	table := grid()
	want := "; not applicable: redis / fence-writes (it cannot); consul / none, fence-writes with TTL 5s (it cannot)"
	if got := table.notRun(checker.Exclusion); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range table.Rows { // neither parameter alone tells which
		if r := &table.Rows[i]; r.Lock == "etcd" && r.Guard == "none" && (r.Values[0] == "1s") == (r.Values[1] == "5s") {
			r.NotApplicable = "it cannot"
		}
	}
	if got := table.notRun(checker.Exclusion); !strings.Contains(got, "; etcd / none in 4 of 8 cells (it cannot)") {
		t.Errorf("%q does not say in how many cells etcd did not run", got)
	}
	if got := table.notRun(checker.Grants); got != "" {
		t.Errorf("of a property without rows: %q", got)
	}
}

// TestShownAs: values are shortened as long as all of them stay different.
func TestShownAs(t *testing.T) {
	of := func(values ...string) map[string]string { return table(values...).shownAs(0) }
	if got, want := of("1.576059s", "60s", "exponential(2.483961s)"), (map[string]string{"1.576059s": "1.58s", "60s": "60s", "exponential(2.483961s)": "exponential(2.48s)"}); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := of("1.5761s", "1.5762s", "2.483961s"); got["1.5761s"] != "1.5761s" || got["2.483961s"] != "2.483961s" {
		t.Errorf("%v: two values look the same, or some are shortened", got)
	}
}

func TestGeometric(t *testing.T) {
	of := func(xs ...float64) []plots.Series {
		s := plots.Series{}
		for _, x := range xs {
			s.Points = append(s.Points, plots.Point{X: x})
		}
		return []plots.Series{s}
	}
	for _, c := range []struct {
		xs   []float64
		want bool
	}{
		{[]float64{1, 1.58, 2.48, 3.91, 6.17, 9.72, 15.3, 24.2, 38.1, 60}, true},
		{[]float64{1, 10, 100, 1000}, true},
		{[]float64{5, 10, 20, 40}, false}, // reads well on either
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8}, false},
		{[]float64{0, 1, 10, 100}, false},
		{[]float64{1, 100}, false},
	} {
		if got := geometric(of(c.xs...)); got != c.want {
			t.Errorf("%v: %v, want %v", c.xs, got, c.want)
		}
	}
}

// TestPick: a part of a sweep, by lock, guard and value, as written or as shown.
func TestPick(t *testing.T) {
	for _, c := range []struct {
		pick Pick
		want int
	}{
		{Pick{}, 64},
		{Pick{Locks: []string{"redis", "chubby"}}, 32},
		{Pick{Guards: []string{"none"}, Only: map[string][]string{"ttl": {"5s"}}}, 16},
		{Pick{Only: map[string][]string{"fault.pause": {"1.58s", "6.170061s", "1000ms"}}}, 48},
	} {
		got, err := grid().Pick(c.pick)
		if err != nil || len(got.Rows) != c.want {
			t.Errorf("%+v: %v, %v, want %d rows", c.pick, got, err, c.want)
		}
	}
	for says, pick := range map[string]Pick{
		`no lock "etcdd"; accepted: redis, etcd, consul, chubby`: {Locks: []string{"etcdd"}},
		`no guard "fence"; accepted: none, fence-writes`:         {Guards: []string{"fence"}},
		`no ttl of "7s"; accepted: 5s, 10s`:                      {Only: map[string][]string{"ttl": {"5s", "7s"}}},
		`no parameter "pause"; accepted: fault.pause, ttl`:       {Only: map[string][]string{"pause": {"1s"}}},
	} {
		if _, err := grid().Pick(pick); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want an error that says %q", pick, err, says)
		}
	}
}
