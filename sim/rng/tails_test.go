package rng_test

import (
	"math"
	"testing"
	"time"

	"fencepost/sim/rng"
)

// tailed are distributions of every family that has a tail.
var tailed = map[string]rng.Dist{
	"exponential": rng.Exponential(time.Second),
	"log-normal":  rng.LogNormal(50*time.Millisecond, 1.1),
	"pareto":      rng.Pareto(time.Second, 1.5),
	"uniform":     rng.Uniform(time.Second, time.Minute),
	"half-normal": rng.HalfNormal(time.Second),
	"shifted":     rng.Exponential(time.Second).Shifted(3 * time.Second),
	"mixture":     rng.Mixture(rng.Weighted{Weight: 999, Dist: rng.Constant(time.Millisecond)}, rng.Weighted{Weight: 1, Dist: rng.Exponential(time.Minute)}),
}

// TestExceeded: a duration is exceeded with the probability asked for, and the one before it more often.
func TestExceeded(t *testing.T) {
	for name, d := range tailed {
		for _, p := range []float64{0.5, 0.1, 1e-3, 1e-6, 1e-9} {
			x := d.Exceeded(p)
			if s := d.Survival(x); s > p {
				t.Errorf("%s: %v is exceeded with %g, want at most %g", name, x, s, p)
			}
			if s := d.Survival(x - 1); x > 0 && s <= p {
				t.Errorf("%s: %v is exceeded with %g, so %v is too long for %g", name, x-1, s, x, p)
			}
		}
	}
}

// TestTailsAreUnbiased: draws from the tails, each weighed by one over the ratio, have the distribution
// above the first tail's lower end: the mean weight of those above any length is the probability of
// exceeding it. The standard error of the mean of n weights is theirs over the root of n; four of them
// are exceeded by chance once in 16 000 comparisons.
func TestTailsAreUnbiased(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of draws by one goroutine: the plain run is their proof")
	}
	const n = 4000
	for name, d := range tailed {
		tails := rng.NewTails(d)
		if !tails.Any() {
			t.Errorf("%s has no tail", name)
			continue
		}
		s := rng.New(7, nil)
		drawn := make([]time.Duration, n)
		for i := range drawn {
			drawn[i] = tails.Draw(&s)
		}
		for _, p := range []float64{0.1, 1e-2, 1e-4, 1e-6, 1e-8} {
			beyond := d.Exceeded(p)
			sum, squares := 0.0, 0.0
			for _, x := range drawn {
				if x > beyond {
					w := 1 / tails.Ratio(x)
					sum += w
					squares += w * w
				}
			}
			mean := sum / n
			deviation := math.Sqrt((squares/n - mean*mean) / n)
			if want := d.Survival(beyond); math.Abs(mean-want) > 4*deviation {
				t.Errorf("%s: P(X > %v) is %g from the tails, with a standard error of %g, want %g", name, beyond, mean, deviation, want)
			}
		}
	}
}

// TestNoTails: what is always the same has none, and weighs nothing.
func TestNoTails(t *testing.T) {
	tails := rng.NewTails(rng.Constant(time.Second))
	if tails.Any() || tails.Ratio(time.Second) != 1 {
		t.Errorf("%+v", tails)
	}
}
