package rng

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The deviates of the generator's last words: the largest normal one is the quantile of
// the largest number that unitOpen makes, the largest exponential one is that of the
// smallest that unitClosed makes.
func TestDeviatesEndBelowTheirBounds(t *testing.T) {
	if most := normalQuantile(1 - 1.0/(1<<53)); most > mostNormal || most < mostNormal-0.02 {
		t.Errorf("normal deviates go up to %v, the bound is %v", most, mostNormal)
	}
	if most := -logOf(1.0 / (1 << 53)); most > mostExponential || most < mostExponential-0.02 {
		t.Errorf("exponential deviates go up to %v, the bound is %v", most, mostExponential)
	}
}

func TestNoSampleExceedsMax(t *testing.T) {
	all := oneOfEach()
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(all).Draw(t, "distribution")
		s := New(rapid.Uint64().Draw(t, "seed"), nil)
		for range 100 {
			if x := d.Sample(&s); x > d.Max() {
				t.Fatalf("%v gave %v, its most is %v", d, x, d.Max())
			}
		}
	})
}

func TestMax(t *testing.T) {
	for _, c := range []struct {
		d        Dist
		from, to time.Duration
	}{
		{Constant(3 * ms), 3 * ms, 3 * ms},
		{Uniform(ms, 5*ms), 5 * ms, 5 * ms},
		{LogUniform(ms, 5*ms), 5 * ms, 5 * ms},
		{Empirical(ms, 9*ms, 2*ms), 9 * ms, 9 * ms},
		{Histogram(Bucket{ms, 10}, Bucket{4 * ms, 5}), 4 * ms, 4 * ms},
		{Exponential(ms), 36 * ms, 37 * ms},                    // 53 bits: 53 ln 2 = 36.7
		{LogNormal(45*us, 0.3), 500 * us, 600 * us},            // e^(0.3 * 8.2) = 11.7
		{Pareto(ms, 1), Longest / (1 << 10), Longest},          // 2^53 ms
		{HalfNormal(ms), 8 * ms, 9 * ms},                       // 8.2 deviations
		{Uniform(ms, 5*ms).Scaled(3, 2), 7500 * us, 7500 * us}, //
		{Uniform(ms, 5*ms).Shifted(2 * ms), 7 * ms, 7 * ms},    //
		{Mixture(Weighted{1, Constant(ms)}, Weighted{9, Constant(us)}), ms, ms},
	} {
		if got := c.d.Max(); got < c.from || got > c.to {
			t.Errorf("%v: at most %v, want %v to %v", c.d, got, c.from, c.to)
		}
	}
}
