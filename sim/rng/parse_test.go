package rng

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"15s":                          "15s",
		" constant( 1500ms ) ":         "1.5s",
		"0s":                           "0s",
		"45µs":                         "45us",
		"uniform(1s, 2s)":              "uniform(1s, 2s)",
		"uniform(1s,1s)":               "1s",
		"exponential(100ms)":           "exponential(100ms)",
		"loguniform(4ms, 262144ms)":    "loguniform(4ms, 4m22.144s)",
		"loguniform(1s, 1s)":           "1s",
		"loguniform(1s, 1000000900ns)": "uniform(1s, 1.0000009s)",
		"halfnormal(300us)":            "halfnormal(300us)",
		"lognormal(45us, 0.30)":        "lognormal(45us, 0.3)",
		"pareto(1ms, 15e-1)":           "pareto(1ms, 1.5)",
		"empirical(79s, 23.3s,31s)":    "empirical(23.3s, 31s, 1m19s)",
		"empirical(5s)":                "5s",
		"mixture(9: constant(1ms), 1: uniform(5ms, 100ms))": "mixture(9: 1ms, 1: uniform(5ms, 100ms))",
		"histogram(1ms: 10, 2ms: 5)":                        "histogram(1ms: 10, 2ms: 5)",
		"scaled(4, uniform(8s,10s))":                        "scaled(4, uniform(8s, 10s))",
		"scaled(2.50, uniform(8s,10s))":                     "scaled(5/2, uniform(8s, 10s))",
		"scaled(1/3, scaled(3, uniform(8s,10s)))":           "uniform(8s, 10s)",
		"scaled(0.5, 3ns)":                                  "2ns",
		"shifted(75ms, exponential(1ms))":                   "shifted(75ms, exponential(1ms))",
		"shifted(75ms, shifted(0s, shifted(5ms, net/az)))":  "shifted(80ms, lognormal(45us, 0.3))",
		"shifted(0s, net/az)":                               "lognormal(45us, 0.3)",
		"shifted(75ms, 5ms)":                                "80ms",
		"pause/hbase-juliet":                                "uniform(8s, 10s)",
		"pause/hbase-juliet(4)":                             "scaled(4, uniform(8s, 10s))",
		"pause/hbase-juliet ( 0.5 )":                        "scaled(1/2, uniform(8s, 10s))",
		"mixture(1: net/az, 3: scaled(2, net/az))":          "mixture(1: lognormal(45us, 0.3), 3: scaled(2, lognormal(45us, 0.3)))",
	} {
		d, err := Parse(text)
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
		} else if got := d.String(); got != want {
			t.Errorf("Parse(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text    string
		offset  int
		problem string
	}{
		{"", 0, "expected a distribution"},
		{"fifteen", 0, "expected a duration"},
		{"15", 0, "expected a duration"},
		{"-1s", 0, "negative"},
		{"uniform", 0, "needs its arguments"},
		{"gauss(1s, 2s)", 0, `unknown distribution "gauss"`},
		{"uniform(2s, 1s)", 0, "below the lower end"},
		{"uniform(1s 2s)", 11, "expected ','"},
		{"uniform(1s, 2s", 14, "end of the text"},
		{"uniform(1s, -2s)", 12, "negative"},
		{"uniform(1s, 2s) x", 16, "expected the end"},
		{"exponential(0s)", 0, "must be above zero"},
		{"loguniform(0s, 1s)", 0, "must be above zero"},
		{"loguniform(2s, 1s)", 0, "below the lower end"},
		{"loguniform(2s)", 13, "expected ','"},
		{"halfnormal(0s)", 0, "must be above zero"},
		{"lognormal(1s, 0)", 14, "must be above zero"},
		{"lognormal(1s, -1)", 14, "must be above zero"},
		{"lognormal(1s, NaN)", 14, "finite decimal"},
		{"lognormal(1s, 1e999)", 14, "too large"},
		{"pareto(1ms, Inf)", 12, "finite decimal"},
		{"pareto(1ms, 0x1p4)", 12, "finite decimal"},
		{"pareto(1ms, 1e-999)", 12, "above zero"},
		{"pareto(0s, 1)", 0, "minimum 0s"},
		{"empirical()", 10, "expected a duration"},
		{"empirical(1s, )", 14, "expected a duration"},
		{"mixture(0: 1s)", 0, "weight 0"},
		{"mixture(-1: 1s)", 8, "not negative"},
		{"mixture(1: uniform(3s, 2s))", 11, "below the lower end"},
		{"mixture(9223372036854775807: 1s, 1: 2s)", 0, "add up"},
		{"mixture(9223372036854775808: 1s)", 8, "larger than"},
		{"histogram(2ms: 1, 1ms: 1)", 0, "must be above 2ms"},
		{"histogram(2ms: 0)", 0, "above zero"},
		{"scaled(1/0, 1s)", 7, "divides by zero"},
		{"shifted(-1s, 1s)", 8, "negative"},
		{"shifted(1s)", 10, "expected ','"},
		{"shifted(net/az, 1s)", 8, "expected a duration"},
		{"scaled(-1, 1s)", 7, "not negative"},
		{"scaled(, 1s)", 7, "whole number"},
		{"scaled(0.1234567890123456789, 1s)", 7, "decimals"},
		{"net/nowhere", 0, "no preset"},
		{"net/az(2)", 6, "takes no argument"},
		{strings.Repeat("scaled(1,", 100), 9 * (maxDepth + 1), "levels"},
	} {
		_, err := Parse(c.text)
		var pe *ParseError
		if !errors.As(err, &pe) {
			t.Errorf("Parse(%q) = %v, want a *ParseError", c.text, err)
			continue
		}
		if pe.Offset != c.offset || !strings.Contains(pe.Problem, c.problem) {
			t.Errorf("Parse(%q): offset %d, %q; want offset %d, %q", c.text, pe.Offset, pe.Problem, c.offset, c.problem)
		}
		if !strings.Contains(err.Error(), "accepted forms: 15s") {
			t.Errorf("Parse(%q) does not list the forms", c.text)
		}
	}
}

// checkRoundTrip reports whether d's text reads back to a distribution with the same
// text and the same samples.
func checkRoundTrip(t interface{ Fatalf(string, ...any) }, d Dist) {
	back, err := Parse(d.String())
	if err != nil {
		t.Fatalf("Parse(%q): %v", d, err)
	}
	if back.String() != d.String() {
		t.Fatalf("%q reads back as %q", d, back)
	}
	s, twin := New(1, nil), New(1, nil)
	for range 5 {
		if x, y := d.Sample(&s), back.Sample(&twin); x != y {
			t.Fatalf("%q samples %v, read back %v", d, x, y)
		}
	}
}

func TestParseRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, genDist().Draw(t, "dist")) })
}

func FuzzParse(f *testing.F) {
	for _, d := range oneOfEach() {
		f.Add(d.String())
	}
	for _, text := range []string{"", "pause/hbase-juliet(4)", "scaled(2.5, net/az)", "shifted(1s, net/az)", "mixture(1:", "1h2m3.5µs", "lognormal(1s, 1e-999)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text)
		if err != nil {
			var pe *ParseError
			if !errors.As(err, &pe) || pe.Offset < 0 || pe.Offset > len(text) {
				t.Fatalf("Parse(%q): %v", text, err)
			}
			return
		}
		checkRoundTrip(t, d)
		if p := d.Survival(time.Second); !(p >= 0 && p <= 1) {
			t.Fatalf("%q: Survival(1s) = %v", d, p)
		}
		if m := d.Mean(); m < 0 || m > Longest {
			t.Fatalf("%q: Mean = %v", d, m)
		}
	})
}
