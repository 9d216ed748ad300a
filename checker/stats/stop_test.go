package stats_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"fencepost/checker/stats"
)

func TestStopSaysWhy(t *testing.T) {
	// What is printed of 500 of 1000, in terms of the rate.
	half := stats.Rate{Trials: 1000, Violations: 500, Anytime: true}.Interval()
	widthOfHalf := (half.High - half.Low) / 0.5
	for _, c := range []struct {
		name string
		stop stats.Stop
		rate stats.Rate
		want stats.Reason
	}{
		{"wide", stats.Stop{RelativeWidth: widthOfHalf - 1e-6}, stats.Rate{Trials: 1000, Violations: 500}, stats.GoOn},
		{"narrow", stats.Stop{RelativeWidth: widthOfHalf + 1e-6}, stats.Rate{Trials: 1000, Violations: 500}, stats.Narrow},
		{"narrow but for an unknown one", stats.Stop{RelativeWidth: widthOfHalf + 1e-6}, stats.Rate{Trials: 1000, Violations: 500, Unknown: 1}, stats.GoOn},
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

// coverageAtStop is how often the interval that is printed covers p when a sweep in batches of ten stops,
// summed over every way there.
func coverageAtStop(t *testing.T, stop stats.Stop, p float64, batches int) (covered, stopped float64) {
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
			r := stats.Rate{Trials: int64(10 * b), Violations: int64(k), Anytime: true}
			if mass < 1e-9 || stop.After(r) == stats.GoOn {
				continue
			}
			next[k] = 0
			stopped += mass
			in := r.Interval()
			if in.Contains(p) {
				covered += mass
			}
			if rate, _ := r.Point(); in.High-in.Low > stop.RelativeWidth*rate {
				t.Errorf("stopped after %d of %d, of which %v is printed", k, 10*b, in)
			}
		}
		alive = next
	}
	return covered, stopped
}

// TestStopAndTheIntervalThatIsPrinted: it is as narrow as was asked for, and keeps its promise although
// what was seen decided where to stop.
func TestStopAndTheIntervalThatIsPrinted(t *testing.T) {
	for _, c := range []struct {
		width, p float64
		batches  int
	}{{0.3, 0.82, 60}, {0.5, 0.48, 80}, {1, 0.3, 60}} {
		covered, stopped := coverageAtStop(t, stats.Stop{RelativeWidth: c.width}, c.p, c.batches)
		if stopped < 1-1e-4 || covered < 0.95 {
			t.Errorf("width %v, p = %v: stopped %v, covered %v", c.width, c.p, stopped, covered)
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
