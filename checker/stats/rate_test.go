package stats_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fencepost/checker/stats"
)

func TestRateString(t *testing.T) {
	for _, c := range []struct {
		rate stats.Rate
		want string
	}{
		{stats.Rate{Trials: 400, Violations: 50, Confidence: 0.95}, "12.5 % [9.4, 16.2] of 400 trials (95 %)"},
		{stats.Rate{Trials: 400, Violations: 50}, "12.5 % [9.4, 16.2] of 400 trials (95 %)"},
		{stats.Rate{Trials: 400, Violations: 50, Unknown: 1}, "12.5 % [9.4, 16.5] of 400 trials, 1 unknown (95 %)"},
		{stats.Rate{Trials: 400}, "< 0.92 % of 400 trials (95 %)"},
		{stats.Rate{Trials: 400, Confidence: 0.999}, "< 1.9 % of 400 trials (99.9 %)"},
		{stats.Rate{Trials: 400, Unknown: 4}, "< 2.6 % of 400 trials, 4 unknown (95 %)"},
		{stats.Rate{Trials: 400, Violations: 400}, "> 99.08 % of 400 trials (95 %)"},
		{stats.Rate{Trials: 400, Violations: 398, Unknown: 2}, "> 98.2 % of 400 trials, 2 unknown (95 %)"},
		{stats.Rate{Trials: 1}, "< 98 % of 1 trial (95 %)"},
		{stats.Rate{Trials: 100, Violations: 1}, "1.0 % [0.02, 5.5] of 100 trials (95 %)"},
		{stats.Rate{Trials: 100, Violations: 99}, "99.0 % [94.5, 99.98] of 100 trials (95 %)"},
		{stats.Rate{Trials: 1_000_000, Violations: 3}, "0.00030 % [0.00006, 0.00088] of 1000000 trials (95 %)"},
		{stats.Rate{Trials: 100, Violations: 7, Unknown: 5}, "withheld: 5 of 100 trials unknown"},
		{stats.Rate{}, "withheld: no trials"},
	} {
		if got := c.rate.String(); got != c.want {
			t.Errorf("%+v prints %q, want %q", c.rate, got, c.want)
		}
	}
}

func TestPointIsWithheldAboveOnePercent(t *testing.T) {
	for _, c := range []struct {
		trials, unknown int64
		ok              bool
	}{{0, 0, false}, {99, 1, false}, {100, 1, true}, {100, 2, false}, {1000, 10, true}, {1000, 11, false}} {
		if _, ok := (stats.Rate{Trials: c.trials, Unknown: c.unknown}).Point(); ok != c.ok {
			t.Errorf("%d of %d unknown: ok = %v", c.unknown, c.trials, ok)
		}
	}
}

func drawRate(t *rapid.T) stats.Rate {
	trials := rapid.Int64Range(1, 100_000).Draw(t, "trials")
	violations := rapid.Int64Range(0, trials).Draw(t, "violations")
	return stats.Rate{
		Trials:     trials,
		Violations: violations,
		Unknown:    rapid.Int64Range(0, min(trials-violations, trials/50)).Draw(t, "unknown"),
		Confidence: rapid.SampledFrom([]float64{0, 0.5, 0.9, 0.95, 0.99, 0.999999}).Draw(t, "confidence"),
	}
}

func TestRateIntervalHoldsWhateverTheUnknownWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRate(t)
		in := r.Interval()
		if point, ok := r.Point(); ok && !in.Contains(point) {
			t.Fatalf("%v not in %v", point, in)
		}
		truth := r
		truth.Unknown = 0
		truth.Violations += rapid.Int64Range(0, r.Unknown).Draw(t, "truly violated")
		if decided := truth.Interval(); decided.Low < in.Low || decided.High > in.High {
			t.Fatalf("%v exceeds %v", decided, in)
		}
	})
}

var number = regexp.MustCompile(`[0-9.]+`)

// TestPrintedRateIsTrue reads the numbers back: never 0 % or 100 %, ends rounded outwards.
func TestPrintedRateIsTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRate(t)
		point, ok := r.Point()
		if !ok {
			return
		}
		text, in := r.String(), r.Interval()
		var read []float64
		for _, digits := range number.FindAllString(strings.Split(text, " of ")[0], -1) {
			v, err := strconv.ParseFloat(digits, 64)
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, v/100)
		}
		const rounding = 1e-12
		switch {
		case point == 0:
			ok = strings.HasPrefix(text, "< ") && read[0] >= in.High-rounding && read[0] <= 1.11*in.High
		case point == 1:
			ok = strings.HasPrefix(text, "> ") && read[0] <= in.Low+rounding && 1-read[0] <= 1.11*(1-in.Low)
		default:
			ok = read[0] > 0 && read[0] < 1 && read[1] <= in.Low+rounding && read[2] >= in.High-rounding &&
				read[1] <= read[0] && read[0] <= read[2] && read[1] > 0 == (in.Low > 0) && read[2] < 1 == (in.High < 1)
		}
		if !ok {
			t.Fatalf("%+v prints %q of %v", r, text, in)
		}
	})
}
