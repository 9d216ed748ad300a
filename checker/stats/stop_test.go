package stats_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"fencepost/checker/stats"
)

func TestStopSaysWhy(t *testing.T) {
	for _, c := range []struct {
		name string
		stop stats.Stop
		rate stats.Rate
		want stats.Reason
	}{
		// ClopperPearson of 5 of 10 is [0.187086, 0.812914] (binom.test of R): 1.251656 times the rate.
		{"wide", stats.Stop{RelativeWidth: 1.2516}, stats.Rate{Trials: 10, Violations: 5}, stats.GoOn},
		{"narrow", stats.Stop{RelativeWidth: 1.2517}, stats.Rate{Trials: 10, Violations: 5}, stats.Narrow},
		{"narrow but for an unknown one", stats.Stop{RelativeWidth: 1.2517}, stats.Rate{Trials: 10, Violations: 5, Unknown: 1}, stats.GoOn},
		{"no rate", stats.Stop{RelativeWidth: 100}, stats.Rate{Trials: 1_000_000}, stats.GoOn},
		{"no trials", stats.Stop{RelativeWidth: 100, Budget: 0.5}, stats.Rate{}, stats.GoOn},
		{"withheld", stats.Stop{RelativeWidth: 100}, stats.Rate{Trials: 100, Violations: 50, Unknown: 2}, stats.GoOn},
		{"nothing asked", stats.Stop{}, stats.Rate{Trials: 1000, Violations: 500}, stats.GoOn},
		// The sequence of no hit of 10 000 ends at 8.17/n, see its test.
		{"below", stats.Stop{Budget: 8.2e-4}, stats.Rate{Trials: 10_000}, stats.Below},
		{"not yet below", stats.Stop{Budget: 8.1e-4}, stats.Rate{Trials: 10_000}, stats.GoOn},
		{"below but for an unknown one", stats.Stop{Budget: 8.2e-4}, stats.Rate{Trials: 10_000, Unknown: 1}, stats.GoOn},
		{"above", stats.Stop{Budget: 1 - 8.2e-4}, stats.Rate{Trials: 10_000, Violations: 10_000}, stats.Above},
		{"surer", stats.Stop{Budget: 8.2e-4, Confidence: 0.99}, stats.Rate{Trials: 10_000}, stats.GoOn},
		{"the decision comes first", stats.Stop{Budget: 0.5, RelativeWidth: 10}, stats.Rate{Trials: 1000, Violations: 1}, stats.Below},
	} {
		if got := c.stop.After(c.rate); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestStopSeesPrefixesOnly: what First says is what After says of the sums, and neither batches
// behind nor the confidence of a batch change it.
func TestStopSeesPrefixesOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stop := stats.Stop{
			RelativeWidth: rapid.SampledFrom([]float64{0, 0.5, 1, 2}).Draw(t, "width"),
			Budget:        rapid.SampledFrom([]float64{0, 0.1, 0.5}).Draw(t, "budget"),
		}
		batches := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) stats.Rate {
			violations := rapid.Int64Range(0, 20).Draw(t, "violations")
			return stats.Rate{Trials: 20, Violations: violations, Unknown: rapid.Int64Range(0, min(1, 20-violations)).Draw(t, "unknown"),
				Confidence: rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "confidence")}
		}), 0, 12).Draw(t, "batches")

		n, why := stop.First(batches)
		var sofar stats.Rate
		for i, b := range batches[:n] {
			sofar = stats.Rate{Trials: sofar.Trials + b.Trials, Violations: sofar.Violations + b.Violations, Unknown: sofar.Unknown + b.Unknown}
			if got := stop.After(sofar); i < n-1 && got != stats.GoOn || i == n-1 && got != why {
				t.Fatalf("after batch %d: %q; First says %d, %q", i+1, got, n, why)
			}
		}
		if why == stats.GoOn && n != len(batches) {
			t.Fatalf("%d of %d batches, for nothing", n, len(batches))
		}
		if again, _ := stop.First(batches[:n]); again != n {
			t.Fatalf("%d without the batches behind, %d with them", again, n)
		}
	})
}

// coverageAtStop is how often the interval for a fixed number of trials and that of the sequence
// cover p when a sweep in batches of ten stops, summed over every way there.
func coverageAtStop(stop stats.Stop, p float64, batches int) (fixed, sequence, stopped float64) {
	inBatch := make([]float64, 11)
	for k := range inBatch {
		inBatch[k] = distuv.Binomial{N: 10, P: p}.Prob(float64(k))
	}
	alive := []float64{1}
	for b := 1; b <= batches; b++ {
		next := make([]float64, 10*b+1)
		for k, mass := range alive {
			for j, q := range inBatch {
				next[k+j] += mass * q
			}
		}
		for k, mass := range next {
			r := stats.Rate{Trials: int64(10 * b), Violations: int64(k)}
			if mass < 1e-9 || stop.After(r) == stats.GoOn {
				continue
			}
			next[k] = 0
			stopped += mass
			if r.Interval().Contains(p) {
				fixed += mass
			}
			if r.AnytimeInterval().Contains(p) {
				sequence += mass
			}
		}
		alive = next
	}
	return fixed, sequence, stopped
}

// TestStopAndTheIntervalThatIsPrinted holds the documented coverages of a stop by width at their
// worst, and that the sequence keeps its own.
func TestStopAndTheIntervalThatIsPrinted(t *testing.T) {
	for _, c := range []struct {
		width, p, fixed float64
		batches         int
	}{{0.2, 0.82, 0.937, 25}, {0.5, 0.48, 0.942, 25}} {
		fixed, sequence, stopped := coverageAtStop(stats.Stop{RelativeWidth: c.width}, c.p, c.batches)
		if stopped < 1-1e-4 || math.Abs(fixed-c.fixed) > 6e-4 || sequence < 0.95 {
			t.Errorf("width %v, p = %v: stopped %v, fixed %v, sequence %v", c.width, c.p, stopped, fixed, sequence)
		}
	}
}

func TestStopValidates(t *testing.T) {
	for _, s := range []stats.Stop{
		{RelativeWidth: -1}, {RelativeWidth: math.NaN()}, {RelativeWidth: math.Inf(1)}, {Budget: -0.1}, {Budget: 1}, {Budget: math.NaN()},
		{Confidence: 1}, {Confidence: -1}, {Confidence: math.NaN()},
	} {
		if s.Validate() == nil {
			t.Errorf("%+v is accepted", s)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v: no panic", s)
				}
			}()
			s.After(stats.Rate{})
		}()
	}
	if err := (stats.Stop{RelativeWidth: 3, Budget: 0.001, Confidence: 0.99}).Validate(); err != nil {
		t.Error(err)
	}
}
