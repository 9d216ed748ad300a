package stats_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"fencepost/checker/stats"
)

// Two worked examples of M. W. Fagerland, S. Lydersen and P. Laake: airways of children before and
// after a transplantation (Bentur et al. 2009) and responses to a therapy (Cavo et al. 2012).
var (
	bentur = stats.Pairs{Both: 1, OnlyA: 1, OnlyB: 7, Neither: 12}
	cavo   = stats.Pairs{Both: 59, OnlyA: 6, OnlyB: 16, Neither: 80}
)

// TestPairsPublishedValues: table V of their paper of 2014, and chapter 8 of their "Statistical
// Analysis of Contingency Tables" (2017), as its package contingencytables tests it; scoreci.mp of the
// R package PropCIs, to four digits, which takes only B before only A.
func TestPairsPublishedValues(t *testing.T) {
	for _, c := range []struct {
		name       string
		pairs      stats.Pairs
		confidence float64
		low, high  float64
		digits     float64
	}{
		{"Bentur", bentur, 0.95, -0.517, -0.026, 5e-4},
		{"Cavo", cavo, 0.95, -0.1240, -0.0054, 5e-5},
		{"scoreci.mp(20, 60, 1000)", stats.Pairs{OnlyA: 60, OnlyB: 20, Neither: 920}, 0.95, 0.0231, 0.0584, 5e-5},
		{"scoreci.mp(25, 28, 618)", stats.Pairs{Both: 300, OnlyA: 28, OnlyB: 25, Neither: 265}, 0.90, -0.0148, 0.0247, 5e-5},
	} {
		if got := c.pairs.Interval(c.confidence); math.Abs(got.Low-c.low) > c.digits || math.Abs(got.High-c.high) > c.digits {
			t.Errorf("%s: %v, want [%v %v]", c.name, got, c.low, c.high)
		}
	}
	// 2 (1 + 8)/2^8 of the one, and McNemar_exact_cond_test_paired_2x2 of the other.
	if got := bentur.P(); math.Abs(got-18.0/256) > 1e-12 {
		t.Errorf("Bentur: p = %v", got)
	}
	if got := cavo.P(); math.Abs(got-0.052479) > 5e-7 {
		t.Errorf("Cavo: p = %v", got)
	}
	if got := cavo.Difference(); math.Abs(got+0.0621) > 5e-5 {
		t.Errorf("Cavo: difference %v", got)
	}
}

// TestPairsPAgreesWithSummedTails: every outcome of the pairs that differ which is no likelier than the
// one seen, summed; the distribution is symmetric.
func TestPairsPAgreesWithSummedTails(t *testing.T) {
	for n := 0; n <= 20; n++ {
		for a := 0; a <= n; a++ {
			want := 0.0
			for k := 0; k <= n; k++ {
				if math.Abs(float64(2*k-n)) >= math.Abs(float64(2*a-n)) {
					want += float64(combin.Binomial(n, k)) / math.Exp2(float64(n))
				}
			}
			if got := (stats.Pairs{OnlyA: int64(a), OnlyB: int64(n - a), Both: 3}).P(); !closeTo(got, want, 1e-12) {
				t.Errorf("%d and %d: %v, want %v", a, n-a, got, want)
			}
		}
	}
}

// TestPairsIntervalEndsAreWhereTheScoreIs finds the likeliest probabilities at each end by trying, as
// the closed form does not.
func TestPairsIntervalEndsAreWhereTheScoreIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) int64 { return rapid.Int64Range(0, 200).Draw(t, name) }
		pairs := stats.Pairs{Both: draw("both"), OnlyA: draw("only A"), OnlyB: draw("only B"), Neither: draw("neither")}
		confidence := rapid.SampledFrom([]float64{0.5, 0.9, 0.95, 0.999}).Draw(t, "confidence")
		in := pairs.Interval(confidence)
		if pairs.Trials() == 0 {
			if in != (stats.Interval{Low: -1, High: 1}) {
				t.Fatalf("no pairs: %v", in)
			}
			return
		}
		if d := pairs.Difference(); !in.Contains(d) || in.Low < -1 || in.High > 1 {
			t.Fatalf("%v does not contain %v", in, d)
		}
		z, n := distuv.UnitNormal.Quantile((1+confidence)/2), float64(pairs.Trials())
		for _, d := range []float64{in.Low, in.High} {
			if d == -1 || d == 1 {
				continue
			}
			b := likeliest(pairs, d)
			score := math.Abs(float64(pairs.OnlyA-pairs.OnlyB)-n*d) / math.Sqrt(n*(2*b+d*(1-d)))
			if !closeTo(score, z, 1e-4) { // b is found to the root of the precision of the likelihood
				t.Fatalf("%+v: the score at %v is %v, want %v", pairs, d, score, z)
			}
		}
		mirror := stats.Pairs{Both: pairs.Both, OnlyA: pairs.OnlyB, OnlyB: pairs.OnlyA, Neither: pairs.Neither}.Interval(confidence)
		if math.Abs(in.Low+mirror.High) > 1e-9 || math.Abs(in.High+mirror.Low) > 1e-9 {
			t.Fatalf("A and B swapped: %v and %v", in, mirror)
		}
	})
}

// likeliest maximizes the likelihood over the probability of only B, given the difference, by
// cutting the range in thirds: the logarithm is concave.
func likeliest(pairs stats.Pairs, d float64) float64 {
	term := func(count int64, p float64) float64 {
		if count == 0 {
			return 0
		}
		return float64(count) * math.Log(p)
	}
	likelihood := func(b float64) float64 {
		return term(pairs.OnlyA, b+d) + term(pairs.OnlyB, b) + term(pairs.Both+pairs.Neither, 1-2*b-d)
	}
	from, to := max(0, -d), (1-d)/2
	for range 200 {
		third := (to - from) / 3
		if likelihood(from+third) < likelihood(to-third) {
			from += third
		} else {
			to -= third
		}
	}
	return (from + to) / 2
}

// TestPairsIntervalCoverage sums the probability of every outcome whose interval contains the
// difference: the numbers of the documentation.
func TestPairsIntervalCoverage(t *testing.T) {
	worst, sum, grid := 1.0, 0.0, 0
	for i := 1; i < 20; i++ {
		for j := 1; i+j < 20; j++ {
			covered := pairsCoverage(10, float64(i)/20, float64(j)/20)
			worst, sum, grid = min(worst, covered), sum+covered, grid+1
		}
	}
	if mean := sum / float64(grid); math.Abs(worst-0.940) > 1e-3 || math.Abs(mean-0.963) > 1e-3 {
		t.Errorf("10 pairs: covered with %v at worst, %v on average", worst, mean)
	}
	for _, p := range [][2]float64{{0.005, 0.0005}, {0.01, 0.001}, {0.001, 0.0001}} {
		if covered := pairsCoverage(1000, p[0], p[1]); covered < 0.947 {
			t.Errorf("1000 pairs, %v: covered with %v", p, covered)
		}
	}
}

func pairsCoverage(n int, onlyA, onlyB float64) float64 {
	covered := 0.0
	a := distuv.Binomial{N: float64(n), P: onlyA}
	for i := 0; i <= n; i++ {
		if a.Prob(float64(i)) < 1e-6 {
			continue // less than 1e-3 of all; it counts as not covered
		}
		b := distuv.Binomial{N: float64(n - i), P: onlyB / (1 - onlyA)}
		for j := 0; i+j <= n; j++ {
			probability := a.Prob(float64(i)) * b.Prob(float64(j))
			if probability < 1e-6 {
				continue
			}
			pairs := stats.Pairs{OnlyA: int64(i), OnlyB: int64(j), Neither: int64(n - i - j)}
			if pairs.Interval(0.95).Contains(onlyA - onlyB) {
				covered += probability
			}
		}
	}
	return covered
}

// TestPairsConcordanceAndCorrelation: phi is Pearson's correlation of the outcomes as 0 and 1.
func TestPairsConcordanceAndCorrelation(t *testing.T) {
	if got := cavo.Concordance(); !closeTo(got, 139.0/161, 1e-12) {
		t.Errorf("concordance %v", got)
	}
	for _, pairs := range []stats.Pairs{bentur, cavo, {OnlyA: 5, OnlyB: 5}, {Both: 5, Neither: 7}} {
		var n, x, y, xy float64
		for _, c := range []struct {
			count int64
			a, b  float64
		}{{pairs.Both, 1, 1}, {pairs.OnlyA, 1, 0}, {pairs.OnlyB, 0, 1}, {pairs.Neither, 0, 0}} {
			k := float64(c.count)
			n, x, y, xy = n+k, x+k*c.a, y+k*c.b, xy+k*c.a*c.b
		}
		want := (xy/n - x/n*y/n) / math.Sqrt(x/n*(1-x/n)*y/n*(1-y/n))
		if got := pairs.Correlation(); !closeTo(got, want, 1e-12) {
			t.Errorf("%+v: %v, want %v", pairs, got, want)
		}
	}
	if got := (stats.Pairs{Neither: 5}).Correlation(); !math.IsNaN(got) {
		t.Errorf("never violated: %v", got)
	}
}

func TestPairsRefuseNonsense(t *testing.T) {
	for _, f := range []func(){
		func() { stats.Pairs{Both: -1}.Trials() },
		func() { stats.Pairs{Neither: -1}.Interval(0.95) },
		func() { stats.Pairs{OnlyA: -1}.P() },
		func() { cavo.Interval(1) },
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
