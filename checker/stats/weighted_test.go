package stats_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"fencepost/checker/stats"
)

type weightedTrial struct {
	weight float64
	hit    bool
}

// drawTrials draws weights of every order of magnitude that a float64 has, subnormal ones and 0.
func drawTrials(t *rapid.T) []weightedTrial {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) weightedTrial {
		return weightedTrial{
			rapid.OneOf(rapid.Float64Range(0, 5), rapid.Float64Range(0, math.MaxFloat64), rapid.SampledFrom([]float64{0, 5e-324, 1e-310})).Draw(t, "weight"),
			rapid.Bool().Draw(t, "hit"),
		}
	}), 0, 40).Draw(t, "trials")
}

func weightedOf(trials []weightedTrial) *stats.Weighted {
	w := new(stats.Weighted)
	for _, trial := range trials {
		w.Add(trial.weight, trial.hit)
	}
	return w
}

// TestWeightedMergesInAnyOrder: any order and any grouping of the same trials gives the same bytes.
func TestWeightedMergesInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := drawTrials(t)
		want := encoded(t, weightedOf(trials))
		parts := grouped(t, trials, func(w *stats.Weighted, trial weightedTrial) { w.Add(trial.weight, trial.hit) })
		if got := encoded(t, mergedInTree(t, parts)); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}

// TestWeightedIsExact: of fractions, computed from their definitions and rounded once. In floating
// point, 2^53 + 1 + 1 is 2^53.
func TestWeightedIsExact(t *testing.T) {
	large := weightedOf([]weightedTrial{{1 << 53, true}, {1, true}, {1, true}})
	if got := large.Estimate() * 3; got != 1<<53+2 {
		t.Errorf("the sum is %v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		trials := drawTrials(t)
		w := weightedOf(trials)
		n := new(big.Rat).SetInt64(int64(len(trials)))
		sum, squares, all, largest, hits := new(big.Rat), new(big.Rat), new(big.Rat), 0.0, int64(0)
		for _, trial := range trials {
			x := new(big.Rat).SetFloat64(trial.weight)
			all.Add(all, x)
			if trial.hit {
				hits++
				largest = max(largest, trial.weight)
				sum.Add(sum, x)
				squares.Add(squares, new(big.Rat).Mul(x, x))
			}
		}
		same := func(what string, got float64, want *big.Rat) {
			if rounded, _ := want.Float64(); got != rounded {
				t.Fatalf("%s %v, want %v", what, got, rounded)
			}
		}
		if w.Trials() != int64(len(trials)) || w.Hits() != hits {
			t.Fatalf("%d hits of %d", w.Hits(), w.Trials())
		}
		if len(trials) == 0 {
			if !math.IsNaN(w.Estimate()) || !math.IsNaN(w.MeanWeight()) {
				t.Fatalf("of none: %v, %v", w.Estimate(), w.MeanWeight())
			}
			return
		}
		mean := new(big.Rat).Quo(sum, n)
		same("estimate", w.Estimate(), mean)
		same("mean weight", w.MeanWeight(), all.Quo(all, n))
		if largest == 0 {
			return
		}
		same("effective hits", w.EffectiveHits(), new(big.Rat).Quo(new(big.Rat).Mul(sum, sum), squares))
		same("largest share", w.LargestShare(), new(big.Rat).Quo(new(big.Rat).SetFloat64(largest), sum))
		if len(trials) < 2 {
			return
		}
		spread := new(big.Rat)
		for _, trial := range trials {
			off := new(big.Rat).Neg(mean)
			if trial.hit {
				off.Add(off, new(big.Rat).SetFloat64(trial.weight))
			}
			spread.Add(spread, off.Mul(off, off))
		}
		spread.Quo(spread, n).Quo(spread, new(big.Rat).SetInt64(int64(len(trials)-1)))
		root := wide().SetRat(spread)
		if want, _ := root.Sqrt(root).Float64(); w.StandardError() != want {
			t.Fatalf("standard error %v, want %v", w.StandardError(), want)
		}
	})
}

// TestEffectiveTrials: of equal weights all of them, and of weights 1 and 3 (1+3)²/(1+9).
func TestEffectiveTrials(t *testing.T) {
	if got := weightedOf([]weightedTrial{{0.3, true}, {0.3, false}, {0.3, false}}).EffectiveTrials(); got != 3 {
		t.Errorf("equal weights: %v", got)
	}
	if got := weightedOf([]weightedTrial{{1, false}, {3, false}}).EffectiveTrials(); got != 1.6 {
		t.Errorf("1 and 3: %v", got)
	}
	if got := weightedOf([]weightedTrial{{0, true}}).EffectiveTrials(); got != 0 {
		t.Errorf("0: %v", got)
	}
}

func repeat(weight float64, hits int, trials []weightedTrial) []weightedTrial {
	for range hits {
		trials = append(trials, weightedTrial{weight, true})
	}
	return trials
}

func TestPoor(t *testing.T) {
	misses := make([]weightedTrial, 1000)
	for _, c := range []struct {
		name   string
		trials []weightedTrial
		want   string
	}{
		{"no trials", nil, "no trial hit"},
		{"no hit", misses, "no trial hit"},
		{"of weight 0", repeat(0, 1, misses), "no trial hit"},
		{"one", repeat(1, 1, misses), "one run holds 100 % of the weight"},
		{"nine alike", repeat(1, 9, misses), "one run holds 11 % of the weight"},
		{"ten alike", repeat(1, 10, misses), "the hits are worth 10 of equal weights, fewer than 100"},
		{"99 alike", repeat(1, 99, misses), "the hits are worth 99 of equal weights, fewer than 100"},
		{"100 alike", repeat(1, 100, misses), ""},
		{"one much heavier", repeat(1, 1000, repeat(112, 1, misses)), "one run holds 10 % of the weight"},
		// (1000+30)²/(1000+900) = 558
		{"one heavier", repeat(1, 1000, repeat(30, 1, misses)), ""},
	} {
		if got := weightedOf(c.trials).Poor(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestGammaIntervalPublishedValues: table II of Fay and Feuer 1997, Down's syndrome of fifth and later
// children in Michigan by the mother's age, standardized to all births: the weighted sum of counts as
// the packages asht and dsrTest print it, per 100 000. The largest weight that there can be is of an age
// without a case.
func TestGammaIntervalPublishedValues(t *testing.T) {
	births := []float64{327, 30666, 123419, 149919, 104088, 34392}
	all := []float64{319933, 931318, 786511, 488235, 237863, 61313}
	cases := []int{0, 8, 63, 112, 262, 295}
	total := 0.0
	for _, n := range all {
		total += n
	}
	weight := func(age int) float64 { return all[age] / births[age] / total }
	w := new(stats.Weighted)
	for age, count := range cases {
		for range count {
			w.Add(weight(age), true)
		}
	}
	in := w.GammaInterval(weight(0), 0.95)
	for _, c := range [][2]float64{{w.Estimate(), 75.52901}, {in.Low, 67.70212}, {in.High, 188.30017}} {
		if got := 1e5 * c[0] * float64(w.Trials()); math.Abs(got-c[1]) > 5e-6 {
			t.Errorf("%v, want %v", got, c[1])
		}
	}
}

// TestGammaIntervalOfEqualWeights is the exact Poisson one: F. Garwood, "Fiducial limits for the Poisson
// distribution", Biometrika 28 (1936) 437-442, to three digits behind the point.
func TestGammaIntervalOfEqualWeights(t *testing.T) {
	const n, weight = 10_000, 1e-3
	misses := make([]weightedTrial, n)
	for hits, want := range map[int][2]float64{0: {0, 3.689}, 1: {0.025, 5.572}, 2: {0.242, 7.225}, 10: {4.795, 18.390}, 30: {20.241, 42.827}} {
		w := weightedOf(repeat(weight, hits, misses[hits:]))
		got := w.GammaInterval(weight, 0.95)
		if math.Abs(got.Low/weight*n-want[0]) > 6e-4 || math.Abs(got.High/weight*n-want[1]) > 6e-4 {
			t.Errorf("%d hits: [%v %v], want %v", hits, got.Low/weight*n, got.High/weight*n, want)
		}
		if unknown := w.GammaInterval(0, 0.95); hits > 0 && unknown != got || hits == 0 && unknown != (stats.Interval{Low: 0, High: 1}) {
			t.Errorf("%d hits, bound unknown: %v", hits, unknown)
		}
	}
	if got := new(stats.Weighted).GammaInterval(1, 0.95); got != (stats.Interval{Low: 0, High: 1}) {
		t.Errorf("no trials: %v", got)
	}
}

// threeOfFive is what a run of a toy weighs in which a hit needs three of five nodes to fail, each
// with probability real, and drawn with probability biased.
func threeOfFive(rng *rand.Rand, real, biased float64) (weight float64, hit bool) {
	weight = 1
	failed := 0
	for range 5 {
		if rng.Float64() < biased {
			weight *= real / biased
			failed++
		} else {
			weight *= (1 - real) / (1 - biased)
		}
	}
	return weight, failed >= 3
}

// TestFailureBiasing: at least three of five are 10 p³(1-p)² + 5 p⁴(1-p) + p⁵, 1e-8 of p = 1e-3, and as
// good an estimate takes a million times as many plain trials.
func TestFailureBiasing(t *testing.T) {
	const real = 1e-3
	exact := 10*math.Pow(real, 3)*math.Pow(1-real, 2) + 5*math.Pow(real, 4)*(1-real) + math.Pow(real, 5)
	rng, w := rand.New(rand.NewPCG(1, 1)), new(stats.Weighted)
	const n = 20_000
	for range n {
		w.Add(threeOfFive(rng, real, 0.5))
	}
	if math.Abs(w.Estimate()-exact) > 4*w.StandardError() || w.Poor() != "" || !w.GammaInterval(0, 0.9999).Contains(exact) {
		t.Errorf("%v ± %v, want %v; %s", w.Estimate(), w.StandardError(), exact, w.Poor())
	}
	if gain := exact / n / math.Pow(w.StandardError(), 2); gain < 1e6 {
		t.Errorf("the variance is only %v times smaller", gain)
	}
	if off := math.Abs(w.MeanWeight() - 1); off > 4*math.Sqrt(1/w.EffectiveTrials()) {
		t.Errorf("mean weight %v", w.MeanWeight())
	}
}

// TestGammaIntervalCoverage sums the probability of every outcome of 15 trials of threeOfFive: a hit has
// one of three weights. A normal interval is of no use with so few.
func TestGammaIntervalCoverage(t *testing.T) {
	const n, real = 15, 0.01
	for _, biased := range []float64{0.1, 0.5, 0.9} {
		var weights, likely [3]float64
		exact, miss := 0.0, 1.0
		for i := range weights {
			failed := float64(3 + i)
			ways := float64(combin.Binomial(5, 3+i))
			weights[i] = math.Pow(real/biased, failed) * math.Pow((1-real)/(1-biased), 5-failed)
			likely[i] = ways * math.Pow(biased, failed) * math.Pow(1-biased, 5-failed)
			exact += ways * math.Pow(real, failed) * math.Pow(1-real, 5-failed)
			miss -= likely[i]
		}
		var gamma, normal float64
		for a := 0; a <= n; a++ {
			for b := 0; a+b <= n; b++ {
				for c := 0; a+b+c <= n; c++ {
					probability := float64(combin.Binomial(n, a)*combin.Binomial(n-a, b)*combin.Binomial(n-a-b, c)) *
						math.Pow(likely[0], float64(a)) * math.Pow(likely[1], float64(b)) * math.Pow(likely[2], float64(c)) * math.Pow(miss, float64(n-a-b-c))
					trials := repeat(weights[2], c, repeat(weights[1], b, repeat(weights[0], a, make([]weightedTrial, n-a-b-c))))
					w := weightedOf(trials)
					if w.GammaInterval(weights[0], 0.95).Contains(exact) {
						gamma += probability
					}
					if math.Abs(w.Estimate()-exact) <= 1.96*w.StandardError() {
						normal += probability
					}
				}
			}
		}
		if gamma < 0.95 || normal > 0.91 {
			t.Errorf("biased to %v: gamma %v, normal %v", biased, gamma, normal)
		}
	}
}

// TestGammaIntervalOfPauses: an exponential pause that exceeds ten of its means, drawn five times as long
// four times in five; the weight falls as the pause grows. The documented coverage.
func TestGammaIntervalOfPauses(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const n, repeats, slack = 100, 1000, 10.0
	ratio := func(x float64) float64 { return math.Exp(-x) / (0.2*math.Exp(-x) + 0.8*math.Exp(-x/5)/5) }
	rng, known, normal := rand.New(rand.NewPCG(2, 2)), 0.0, 0.0
	for range repeats {
		w := new(stats.Weighted)
		for range n {
			pause := rng.ExpFloat64()
			if rng.Float64() < 0.8 {
				pause *= 5
			}
			w.Add(ratio(pause), pause > slack)
		}
		if w.GammaInterval(ratio(slack), 0.95).Contains(math.Exp(-slack)) {
			known++
		}
		if math.Abs(w.Estimate()-math.Exp(-slack)) <= 1.96*w.StandardError() {
			normal++
		}
	}
	// Three standard deviations of a share near 0.95 of a thousand are 0.02.
	if known/repeats < 0.96-0.02 || normal/repeats > 0.93 {
		t.Errorf("covered with %v, a normal interval with %v", known/repeats, normal/repeats)
	}
}

func TestWeightedRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := weightedOf(drawTrials(t))
		text, back := encoded(t, w), weightedOf([]weightedTrial{{7, true}})
		if err := back.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if again := encoded(t, back); again != text {
			t.Fatalf("%s, want %s", again, text)
		}
	})
}

// TestWeightedEncoding: 1.5 hit and 0.25 did not: 7/4 with squares 37/16, and 3/2 with 9/4.
func TestWeightedEncoding(t *testing.T) {
	const want = "weighted 2 7p-2 25p-4 1.5 1 3p-1 9p-2 1.5"
	if got := encoded(t, weightedOf([]weightedTrial{{1.5, true}, {0.25, false}})); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestWeightedRefusesOtherText(t *testing.T) {
	for text, says := range map[string]string{
		"":                                      "eight numbers",
		"conditional 0 0 0 0":                   "eight numbers",
		"weighted 2 7p-2 25p-4 1.5 1 3p-1 9p-2": "eight numbers",
		"weighted 2 7p-2 25p-4 1.5 1 3p-1 9p-2 1.5 ":         "eight numbers",
		"weighted -2 7p-2 25p-4 1.5 1 3p-1 9p-2 1.5":         "count",
		"weighted 2 7 25p-4 1.5 1 3p-1 9p-2 1.5":             "sum",
		"weighted 2 p-2 25p-4 1.5 1 3p-1 9p-2 1.5":           "sum",
		"weighted 2 -7p-2 25p-4 1.5 1 3p-1 9p-2 1.5":         "sum",
		"weighted 2 7p-1075 25p-4 1.5 1 3p-1 9p-2 1.5":       "sum",
		"weighted 2 7p99999999999 25p-4 1.5 1 3p-1 9p-2 1.5": "sum",
		"weighted 2 7p-2 25p-4 Inf 1 3p-1 9p-2 1.5":          "largest",
		"weighted 2 7p-2 25p-4 NaN 1 3p-1 9p-2 1.5":          "largest",
		"weighted 2 7p-2 25p-4 -1 1 3p-1 9p-2 1.5":           "largest",
		"weighted 2 7p-2 25p-4 1.5 1 3p-1 9p-2 1.6":          "largest",
		"weighted 1 7p-2 25p-4 1.5 1 3p-1 9p-2 1.5":          "no 1 numbers",
		"weighted 2 7p-2 25p-4 1.9 1 3p-1 9p-2 1.5":          "no 2 numbers",
		"weighted 2 7p-2 1p-4 1.5 1 3p-1 9p-2 1.5":           "no 2 numbers",
		"weighted 2 7p-2 25p2 1.5 1 3p-1 9p-2 1.5":           "no 2 numbers",
		"weighted 0 7p-2 25p-4 1.5 1 3p-1 9p-2 1.5":          "no 0 numbers",
		"weighted 1 3p-1 9p-2 1.5 2 7p-2 25p-4 1.5":          "more than the trials",
		"weighted 02 7p-2 25p-4 1.5 1 3p-1 9p-2 1.5":         "would be written",
		"weighted 10 9p0 5p0 1 0 0 0 0":                      "no 10 numbers",
		"weighted 10 1p0 1p-1 1 0 0 0 0":                     "no 10 numbers",
		"weighted 1 3p-1 9p-2 1.5 2 3p-1 9p-2 1.5":           "more than the trials",
		"weighted 2 7p-2 25p-4 1.5 2 fp-3 25p-4 1.5":         "more than the trials",
		"weighted 2 7p-2 25p-4 1.5 2 7p-2 13p-3 1.5":         "more than the trials",
		"weighted 2 ep-3 25p-4 1.5 1 3p-1 9p-2 1.5":          "would be written",
		"weighted 2 7p-02 25p-4 1.5 1 3p-1 9p-2 1.5":         "would be written",
		"weighted 2 7p-2 25p-4 1.50 1 3p-1 9p-2 1.5":         "would be written",
	} {
		w := weightedOf([]weightedTrial{{7, true}})
		err := w.UnmarshalText([]byte(text))
		if !errors.Is(err, stats.ErrEncoding) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
		if w.Estimate() != 7 {
			t.Errorf("%q: it is changed, though refused", text)
		}
	}
}

func TestWeightedRefusesNonsense(t *testing.T) {
	w := weightedOf([]weightedTrial{{2, true}, {3, false}})
	for _, f := range []func(){
		func() { w.Add(-1, true) },
		func() { w.Add(math.NaN(), true) },
		func() { w.Add(math.Inf(1), true) },
		func() { w.GammaInterval(1.9, 0.95) },
		func() { w.GammaInterval(-1, 0.95) },
		func() { w.GammaInterval(2, 1) },
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
	// The bound is of hits, and may be rounded in another way than the weight.
	w.GammaInterval(2*(1-1e-12), 0.95)
}

// TestChiSquaredOfManyDegrees: what is asked of gonum for many hits, by another path, of which
// E. B. Wilson and M. M. Hilferty, Proc. Natl. Acad. Sci. 17 (1931) 684-688, are right to 5e-6 there.
func TestChiSquaredOfManyDegrees(t *testing.T) {
	for _, k := range []float64{2e3, 2e5, 2e7} {
		for _, p := range []float64{0.005, 0.025, 0.975, 0.995} {
			z := distuv.UnitNormal.Quantile(p)
			want := k * math.Pow(1-2/(9*k)+z*math.Sqrt(2/(9*k)), 3)
			if got := (distuv.ChiSquared{K: k}).Quantile(p); !closeTo(got, want, 5e-6) {
				t.Errorf("%v degrees, %v: %v, want %v", k, p, got, want)
			}
		}
	}
}

func BenchmarkWeightedAdd(b *testing.B) {
	var w stats.Weighted
	for i := 0; b.Loop(); i++ {
		w.Add(1e-9*float64(i%100+1), i%2 == 0)
	}
}
