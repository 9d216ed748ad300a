package stats_test

import (
	"math"
	"math/big"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"fencepost/checker/stats"
)

// mixture is B(1/2+k, 1/2+m) / B(1/2, 1/2) of k hits and m misses in 300-bit arithmetic, without any
// gamma function: (2k over k)/4^k (2m over m)/4^m / (n over k).
func mixture(hits, trials int64) *big.Float {
	product, term := wide().SetInt64(1), wide()
	for _, count := range []int64{hits, trials - hits} {
		for i := int64(1); i <= count; i++ { // (2i over i)/4^i is (2i-1)/(2i) of the one before
			product.Mul(product, term.Quo(wide().SetInt64(2*i-1), wide().SetInt64(2*i)))
		}
	}
	for i := int64(1); i <= hits; i++ {
		product.Mul(product, term.Quo(wide().SetInt64(i), wide().SetInt64(trials-hits+i)))
	}
	return product
}

// TestConfidenceSequenceAgreesWithTheRatio: just inside of an end, the ratio is below 1/alpha, and
// just outside of it above.
func TestConfidenceSequenceAgreesWithTheRatio(t *testing.T) {
	cases := [][2]int64{{0, 1}, {1, 1}, {1, 2}, {0, 20}, {3, 20}, {20, 20}, {19, 20}, {0, 1000}, {1, 1000}, {500, 1000}, {999, 1000}}
	if !testing.Short() {
		cases = append(cases, [2]int64{7, 100_000}, [2]int64{50_000, 100_000})
	}
	for _, c := range cases {
		mean := mixture(c[0], c[1])
		for _, confidence := range []float64{0.5, 0.95, 0.9999} {
			in := stats.ConfidenceSequence(c[0], c[1], confidence)
			limit := wide().SetFloat64(1 / (1 - confidence))
			kept := func(p float64) bool {
				x := wide().SetFloat64(p)
				likelihood := wide().Mul(power(x, c[0]), power(wide().Sub(wide().SetInt64(1), x), c[1]-c[0]))
				return mean.Cmp(likelihood.Mul(likelihood, limit)) < 0
			}
			const near = 1e-9
			if in.Low == 0 != (c[0] == 0) || in.Low > 0 && (kept(in.Low*(1-near)) || !kept(in.Low*(1+near))) {
				t.Errorf("%v at %v: low end of %v", c, confidence, in)
			}
			aside := max((1-in.High)*near, 0x1p-52) // a float64 below 1 is not nearer to it
			if in.High == 1 != (c[0] == c[1]) || in.High < 1 && (kept(in.High+aside) || !kept(in.High-aside)) {
				t.Errorf("%v at %v: high end of %v", c, confidence, in)
			}
		}
	}
}

// everExcluded is the probability that an interval at one of the looks, one after each batch of
// trials, excludes p: the distribution of hits is carried from look to look, and what was excluded
// leaves it. Ends of intervals rise with the hits and fall with the trials, so those that cover p
// are a range whose ends only rise.
func everExcluded(interval func(hits, trials int64) stats.Interval, p float64, batch, looks int) float64 {
	inBatch := make([]float64, batch+1)
	for k := range inBatch {
		inBatch[k] = distuv.Binomial{N: float64(batch), P: p}.Prob(float64(k))
	}
	alive, from, to := []float64{1}, 0, 0
	for look := 1; look <= looks; look++ {
		n := int64(look * batch)
		next := make([]float64, int(n)+1)
		for k, mass := range alive {
			if mass < 1e-15 { // all of them together are below 1e-9
				continue
			}
			for j, q := range inBatch {
				next[k+j] += mass * q
			}
		}
		for int64(from) < n && interval(int64(from), n).High < p {
			from++
		}
		for int64(to) < n && interval(int64(to+1), n).Low <= p {
			to++
		}
		clear(next[:from])
		clear(next[to+1:])
		alive = next
	}
	left := 0.0
	for _, mass := range alive {
		left += mass
	}
	return 1 - left
}

// TestConfidenceSequenceHoldsWheneverOneLooks, after each trial, where ClopperPearson does not even
// if one looks after every tenth only: the numbers of Stop's documentation.
func TestConfidenceSequenceHoldsWheneverOneLooks(t *testing.T) {
	at95 := func(f func(int64, int64, float64) stats.Interval) func(int64, int64) stats.Interval {
		return func(hits, trials int64) stats.Interval { return f(hits, trials, 0.95) }
	}
	for _, p := range []float64{0.003, 0.1, 0.5, 0.9} {
		if got := everExcluded(at95(stats.ConfidenceSequence), p, 1, 600); got > 0.05 || got < 1e-4 {
			t.Errorf("p = %v: excluded with %v, want at most 0.05", p, got)
		}
	}
	if got := everExcluded(at95(stats.ClopperPearson), 0.1, 10, 100); math.Abs(got-0.28) > 0.005 {
		t.Errorf("ClopperPearson: excluded with %v", got)
	}
}

func TestConfidenceSequenceShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.Int64Range(1, 1_000_000).Draw(t, "trials")
		hits := rapid.Int64Range(0, trials).Draw(t, "hits")
		confidence := rapid.Float64Range(0.5, 0.999).Draw(t, "confidence")
		in := stats.ConfidenceSequence(hits, trials, confidence)
		if !in.Contains(float64(hits) / float64(trials)) {
			t.Fatalf("%d of %d: %v", hits, trials, in)
		}
		if hits < trials {
			if more := stats.ConfidenceSequence(hits+1, trials, confidence); more.Low <= in.Low || more.High <= in.High && in.High < 1 {
				t.Fatalf("one more hit: %v, after %v", more, in)
			}
		}
		mirror := stats.ConfidenceSequence(trials-hits, trials, confidence)
		if math.Abs(in.Low-(1-mirror.High)) > 1e-9 || math.Abs(in.High-(1-mirror.Low)) > 1e-9 {
			t.Fatalf("not symmetric: %v and %v", in, mirror)
		}
	})
}

func TestAnytimeIntervalHoldsWhateverTheUnknownWere(t *testing.T) {
	if got := (stats.Rate{}).AnytimeInterval(); got != (stats.Interval{Low: 0, High: 1}) {
		t.Errorf("no trials: %v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		r := drawRate(t)
		in, truth := r.AnytimeInterval(), r
		truth.Unknown = 0
		truth.Violations += rapid.Int64Range(0, r.Unknown).Draw(t, "truly violated")
		if decided := truth.AnytimeInterval(); decided.Low < in.Low || decided.High > in.High {
			t.Fatalf("%v exceeds %v", decided, in)
		}
	})
}

// TestConfidenceSequenceOfNoHit: 1/((1-p)^n sqrt(pi n)) is 1/alpha, by Stirling's formula for
// (2n over n)/4^n, whose relative error is 1/(8n).
func TestConfidenceSequenceOfNoHit(t *testing.T) {
	const n = 10_000
	want := -math.Expm1((math.Log(0.05) - 0.5*math.Log(math.Pi*n)) / n)
	if got := stats.ConfidenceSequence(0, n, 0.95).High; !closeTo(got, want, 1e-5) || math.Abs(n*got-8.2) > 0.05 {
		t.Errorf("%v, want %v", got, want)
	}
}
