package stats_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"fencepost/checker/stats"
)

func conditionalOf(probabilities []float64) *stats.Conditional {
	c := new(stats.Conditional)
	for _, q := range probabilities {
		c.Add(q)
	}
	return c
}

func drawProbabilities(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0, 1e-300), rapid.SampledFrom([]float64{0, 1})), 0, 40).Draw(t, "probabilities")
}

// TestConditionalMergesInAnyOrder: any order and any grouping of the same trials gives the same bytes.
func TestConditionalMergesInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		probabilities := drawProbabilities(t)
		want := encoded(t, conditionalOf(probabilities))
		parts := grouped(t, probabilities, func(c *stats.Conditional, q float64) { c.Add(q) })
		if got := encoded(t, mergedInTree(t, parts)); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}

// TestConditionalAgreesWithGonum, which adds in floating point; and each interval with its formula.
func TestConditionalAgreesWithGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.SliceOfN(rapid.Float64Range(0.1, 1), 2, 60).Draw(t, "probabilities")
		c, n := conditionalOf(q), float64(len(q))
		mean, deviation := stat.MeanStdDev(q, nil)
		if !closeTo(c.Estimate(), mean, 1e-12) || math.Abs(c.StandardError()-deviation/math.Sqrt(n)) > 1e-9 {
			t.Fatalf("%v ± %v, want %v ± %v", c.Estimate(), c.StandardError(), mean, deviation/math.Sqrt(n))
		}
		l := math.Log(4 / 0.05)
		half := deviation*math.Sqrt(2*l/n) + 7*l/(3*(n-1))
		in := c.BernsteinInterval(0.95)
		if math.Abs(in.Low-max(0, mean-half)) > 1e-9 || math.Abs(in.High-min(1, mean+half)) > 1e-9 {
			t.Fatalf("%v, want %v ± %v", in, mean, half)
		}
		if got := c.LargestShare(); got < 1/n || got > 1 {
			t.Fatalf("largest share %v of %v", got, n)
		}
	})
}

// TestStudentIntervalPublishedValues: the table of the t distribution has 2.776 for 4 degrees of freedom
// at 95 %, 4.604 at 99 %, and 12.706 for one at 95 %.
func TestStudentIntervalPublishedValues(t *testing.T) {
	// Mean 0.3 and standard deviation sqrt(0.025).
	five := conditionalOf([]float64{0.1, 0.2, 0.3, 0.4, 0.5})
	for confidence, quantile := range map[float64]float64{0.95: 2.776, 0.99: 4.604} {
		half := quantile * math.Sqrt(0.025/5)
		got := five.StudentInterval(confidence)
		if math.Abs(got.Low-max(0, 0.3-half)) > 5e-5 || math.Abs(got.High-(0.3+half)) > 5e-5 {
			t.Errorf("%v: %v, want 0.3 ± %v", confidence, got, half)
		}
	}
	// Mean 0.5 and standard error 0.01.
	if got := conditionalOf([]float64{0.49, 0.51}).StudentInterval(0.95); math.Abs(got.High-0.5-0.12706) > 5e-6 {
		t.Errorf("two: %v", got)
	}
}

func TestConditionalOfHardlyAnyTrials(t *testing.T) {
	none, one := new(stats.Conditional), conditionalOf([]float64{0.25})
	if !math.IsNaN(none.Estimate()) || one.Estimate() != 0.25 || one.StandardError() != 0 || none.LargestShare() != 0 {
		t.Errorf("%v; %v ± %v", none.Estimate(), one.Estimate(), one.StandardError())
	}
	for _, c := range []*stats.Conditional{none, one} {
		if c.BernsteinInterval(0.95) != (stats.Interval{Low: 0, High: 1}) || c.StudentInterval(0.95) != (stats.Interval{Low: 0, High: 1}) {
			t.Errorf("%d trials: %v and %v", c.Trials(), c.BernsteinInterval(0.95), c.StudentInterval(0.95))
		}
	}
}

// TestConditionalInterval: what is printed has a width, also of trials that are all alike. By hand: 100
// trials that could hit with p in each all come to 0 with (1-p)^100 at most, which is 0.025 at 3.62 %; and
// of one probability, 7 ln 80 / (3·99) on either side of it.
func TestConditionalInterval(t *testing.T) {
	alike := func(q float64) *stats.Conditional { return conditionalOf(slices.Repeat([]float64{q}, 100)) }
	if in := alike(0).Interval(0.95); in.Low != 0 || !closeTo(in.High, 1-math.Pow(0.025, 0.01), 1e-9) {
		t.Errorf("none can hit: %v", in)
	}
	half := 7 * math.Log(80) / (3 * 99)
	if in := alike(0.5).Interval(0.95); !closeTo(in.Low, 0.5-half, 1e-9) || !closeTo(in.High, 0.5+half, 1e-9) {
		t.Errorf("all alike: %v, want 0.5 ± %v", in, half)
	}
	differ := conditionalOf([]float64{0.1, 0.2, 0.3})
	if differ.Alike() || differ.Interval(0.95) != differ.StudentInterval(0.95) {
		t.Errorf("different: %v", differ.Interval(0.95))
	}
	if in := new(stats.Conditional).Interval(0.95); in != (stats.Interval{Low: 0, High: 1}) {
		t.Errorf("none: %v", in)
	}
}

// TestConditionalCoverage: probabilities of 0 and 1 are the hardest, and their number is binomial, so
// that every outcome can be summed.
func TestConditionalCoverage(t *testing.T) {
	intervals := func(n int, of func(*stats.Conditional) stats.Interval) []stats.Interval {
		all := make([]stats.Interval, n+1)
		for ones := range all {
			c := new(stats.Conditional)
			for i := range n {
				c.Add(float64(min(1, max(0, ones-i))))
			}
			all[ones] = of(c)
		}
		return all
	}
	for _, n := range []int{2, 30, 200} {
		bernstein := intervals(n, func(c *stats.Conditional) stats.Interval { return c.BernsteinInterval(0.8) })
		for p := 0.005; p < 1; p += 0.005 {
			if covered := coverage(bernstein, p); covered < 0.8 {
				t.Errorf("%d trials at %v: covered with %v", n, p, covered)
			}
		}
	}
	student := intervals(100, func(c *stats.Conditional) stats.Interval { return c.StudentInterval(0.95) })
	if covered := coverage(student, 0.01); math.Abs(covered-0.64) > 0.01 {
		t.Errorf("Student, one in a hundred: covered with %v", covered)
	}
}

// TestStudentIntervalOfPauses: the documented simulation of 30 trials.
func TestStudentIntervalOfPauses(t *testing.T) {
	rng, covered := rand.New(rand.NewPCG(3, 3)), 0.0
	exact := (math.Exp(-5) - math.Exp(-15)) / 10
	const repeats = 2000
	for range repeats {
		c := new(stats.Conditional)
		for range 30 {
			c.Add(math.Exp(-5 - 10*rng.Float64()))
		}
		if c.StudentInterval(0.95).Contains(exact) {
			covered++
		}
	}
	// Three standard deviations of a share of 0.9 of two thousand.
	if covered /= repeats; math.Abs(covered-0.90) > 0.02 {
		t.Errorf("covered with %v", covered)
	}
}

func TestConditionalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, back := encoded(t, conditionalOf(drawProbabilities(t))), conditionalOf([]float64{0.5})
		if err := back.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if again := encoded(t, back); again != text {
			t.Fatalf("%s, want %s", again, text)
		}
	})
	// 1/2 + 1/4, and 1/4 + 1/16.
	if got := encoded(t, conditionalOf([]float64{0.5, 0.25})); got != "conditional 2 3p-2 5p-4 0.5" {
		t.Error(got)
	}
}

func TestConditionalRefusesOtherText(t *testing.T) {
	for text, says := range map[string]string{
		"weighted 0 0 0 0":               "four numbers",
		"conditional 2 3p-2 5p-4":        "four numbers",
		"conditional 1 1p1 1p2 2":        "largest",
		"conditional 2 3p-2 5p-4 0.25":   "no 2 numbers",
		"conditional 2 3p-2 5p-4 5e-1":   "would be written",
		"conditional 2 3p-2 5p-4 0.5\n":  "largest",
		"conditional x 3p-2 5p-4 0.5":    "count",
		"conditional 2 3p-2 5p-9999 0.5": "sum",
	} {
		c := conditionalOf([]float64{0.5})
		err := c.UnmarshalText([]byte(text))
		if !errors.Is(err, stats.ErrEncoding) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
		if c.Trials() != 1 || c.Estimate() != 0.5 {
			t.Errorf("%q: it is changed, though refused", text)
		}
	}
}

func TestConditionalRefusesNonsense(t *testing.T) {
	for _, f := range []func(){
		func() { new(stats.Conditional).Add(-0.1) },
		func() { new(stats.Conditional).Add(1.1) },
		func() { new(stats.Conditional).Add(math.NaN()) },
		func() { new(stats.Conditional).StudentInterval(1) },
		func() { new(stats.Conditional).BernsteinInterval(0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}
