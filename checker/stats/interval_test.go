package stats_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"fencepost/checker/stats"
)

// tailAtLeast sums P(X >= hits) for X ~ Binomial(trials, p), 0 < p < 1, in 300-bit arithmetic.
func tailAtLeast(hits, trials int64, p float64) *big.Float {
	x := wide().SetFloat64(p)
	y := wide().Sub(wide().SetInt64(1), x)
	odds := wide().Quo(x, y)
	term := wide().SetInt(new(big.Int).Binomial(trials, hits))
	term.Mul(term.Mul(term, power(x, hits)), power(y, trials-hits))
	sum := wide().Set(term)
	for k := hits; k < trials; k++ {
		term.Mul(term, odds).Mul(term, wide().SetInt64(trials-k)).Quo(term, wide().SetInt64(k+1))
		sum.Add(sum, term)
	}
	return sum
}

func wide() *big.Float { return new(big.Float).SetPrec(300) }

func power(base *big.Float, exponent int64) *big.Float {
	result, square := wide().SetInt64(1), wide().Set(base)
	for ; exponent > 0; exponent /= 2 {
		if exponent%2 == 1 {
			result.Mul(result, square)
		}
		square.Mul(square, square)
	}
	return result
}

// oracleLow bisects tailAtLeast, independently of any beta function.
func oracleLow(hits, trials int64, confidence float64) float64 {
	tail := new(big.Float).SetFloat64((1 - confidence) / 2)
	below, above := 0.0, 1.0
	for range 64 {
		middle := below + (above-below)/2
		if tailAtLeast(hits, trials, middle).Cmp(tail) < 0 {
			below = middle
		} else {
			above = middle
		}
	}
	return below
}

func closeTo(got, want, relative float64) bool {
	return math.Abs(got-want) <= relative*math.Abs(want)
}

func TestClopperPearsonAgreesWithSummedTails(t *testing.T) {
	sizes := []int64{1, 2, 3, 7, 20}
	if !testing.Short() {
		sizes = append(sizes, 60, 150)
	}
	for _, confidence := range []float64{0.5, 0.95, 0.999, 0.99999999} {
		for _, trials := range sizes {
			for hits := int64(0); hits <= trials; hits += max(1, trials/9) {
				got := stats.ClopperPearson(hits, trials, confidence)
				low, high := 0.0, 1.0
				if hits > 0 {
					low = oracleLow(hits, trials, confidence)
				}
				if hits < trials {
					high = 1 - oracleLow(trials-hits, trials, confidence)
				}
				if !closeTo(got.Low, low, 1e-10) || !closeTo(got.High, high, 1e-10) {
					t.Errorf("%d of %d at %v: got %v, want [%v %v]", hits, trials, confidence, got, low, high)
				}
			}
		}
	}
}

func TestClopperPearsonKnownValues(t *testing.T) {
	// As the binom.test of R prints them, with seven digits.
	for _, c := range []struct {
		hits, trials int64
		confidence   float64
		low, high    float64
	}{
		{0, 10, 0.95, 0, 0.3084971},
		{10, 10, 0.95, 0.6915029, 1},
		{1, 10, 0.95, 0.002528579, 0.4450161},
		{5, 10, 0.95, 0.187086, 0.812914},
	} {
		got := stats.ClopperPearson(c.hits, c.trials, c.confidence)
		if math.Abs(got.Low-c.low) > 1e-6 || math.Abs(got.High-c.high) > 1e-6 {
			t.Errorf("%d of %d: got %v, want [%v %v]", c.hits, c.trials, got, c.low, c.high)
		}
	}
}

// TestCoverageByEnumeration sums the probability of every outcome whose interval contains
// p. Coverage jumps at the ends of intervals only, so both sides of each end are tried.
func TestCoverageByEnumeration(t *testing.T) {
	for _, confidence := range []float64{0.8, 0.95, 0.99} {
		for trials := int64(1); trials <= 25; trials++ {
			intervals := make([]stats.Interval, trials+1)
			var rates []float64
			for hits := range intervals {
				in := stats.ClopperPearson(int64(hits), trials, confidence)
				intervals[hits] = in
				rates = append(rates, in.Low*(1-1e-9), in.Low*(1+1e-9), in.High*(1-1e-9), min(1, in.High*(1+1e-9)))
			}
			for i := range 50 {
				rates = append(rates, float64(i)/50)
			}
			for _, p := range rates {
				if covered := coverage(intervals, p); covered < confidence-1e-7 {
					t.Errorf("%d trials at p = %v: covered with %v, want at least %v", trials, p, covered, confidence)
				}
			}
		}
	}
}

func coverage(intervals []stats.Interval, p float64) float64 {
	n, sum := len(intervals)-1, 0.0
	for hits, in := range intervals {
		if in.Contains(p) {
			ways, _ := new(big.Float).SetInt(new(big.Int).Binomial(int64(n), int64(hits))).Float64()
			sum += ways * math.Pow(p, float64(hits)) * math.Pow(1-p, float64(n-hits))
		}
	}
	return sum
}

func TestClopperPearsonShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.Int64Range(1, 2_000_000).Draw(t, "trials")
		hits := rapid.Int64Range(0, trials).Draw(t, "hits")
		confidence := rapid.Float64Range(0.01, 0.999999).Draw(t, "confidence")
		in := stats.ClopperPearson(hits, trials, confidence)
		point := float64(hits) / float64(trials)
		if !(0 <= in.Low && in.Low <= in.High && in.High <= 1) || !in.Contains(point) {
			t.Fatalf("%v does not contain %v", in, point)
		}
		if hits < trials {
			more := stats.ClopperPearson(hits+1, trials, confidence)
			if more.Low <= in.Low || more.High <= in.High {
				t.Fatalf("one more hit: %v, after %v", more, in)
			}
		}
		surer := stats.ClopperPearson(hits, trials, confidence+(1-confidence)/2)
		if surer.Low > in.Low || surer.High < in.High {
			t.Fatalf("more confidence: %v, after %v", surer, in)
		}
		mirror := stats.ClopperPearson(trials-hits, trials, confidence)
		if math.Abs(in.Low-(1-mirror.High)) > 1e-9 || math.Abs(in.High-(1-mirror.Low)) > 1e-9 {
			t.Fatalf("not symmetric: %v and %v", in, mirror)
		}
	})
}

// TestCornersOfTheInverse holds where gonum's own inverse is some percent off.
func TestCornersOfTheInverse(t *testing.T) {
	const trials, confidence = 10_000_000, 1 - 1e-9
	if got, want := stats.ClopperPearson(trials, trials, confidence).Low, math.Exp(math.Log(5e-10)/trials); !closeTo(got, want, 1e-12) {
		t.Errorf("all hit: %v, want %v", got, want)
	}
	// With one miss, P(X >= n-1) = n p^(n-1) - (n-1) p^n.
	p := stats.ClopperPearson(trials-1, trials, confidence).Low
	tail := trials*math.Exp((trials-1)*math.Log(p)) - (trials-1)*math.Exp(trials*math.Log(p))
	if !closeTo(tail, 5e-10, 1e-6) {
		t.Errorf("one miss: tail %v at %v", tail, p)
	}
}

func TestZeroTrialsSayNothing(t *testing.T) {
	if got := stats.ClopperPearson(0, 0, 0.95); got != (stats.Interval{Low: 0, High: 1}) {
		t.Error(got)
	}
}

func TestClopperPearsonRefusesNonsense(t *testing.T) {
	for _, f := range []func(){
		func() { stats.ClopperPearson(-1, 2, 0.95) },
		func() { stats.ClopperPearson(3, 2, 0.95) },
		func() { stats.ClopperPearson(1, 2, 0) },
		func() { stats.ClopperPearson(1, 2, 1) },
		func() { stats.ClopperPearson(1, 2, math.NaN()) },
		func() { _ = stats.Rate{Trials: 2, Violations: 2, Unknown: 1}.String() },
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
