package stats_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"fencepost/checker/stats"
)

// TestWilsonPublishedValues: the four examples of R. G. Newcombe, "Two-sided confidence intervals for
// the single proportion", Statist. Med. 17 (1998) 857-872, table I, method 3.
func TestWilsonPublishedValues(t *testing.T) {
	for _, c := range []struct {
		hits, trials int64
		low, high    float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		got := stats.Wilson(c.hits, c.trials, 0.95)
		if math.Abs(got.Low-c.low) > 5e-5 || math.Abs(got.High-c.high) > 5e-5 {
			t.Errorf("%d of %d: got %v, want [%v %v]", c.hits, c.trials, got, c.low, c.high)
		}
	}
}

// TestWilsonEndsAreWhereTheScoreIs holds the closed form to what it solves.
func TestWilsonEndsAreWhereTheScoreIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.Int64Range(1, 1_000_000).Draw(t, "trials")
		hits := rapid.Int64Range(0, trials).Draw(t, "hits")
		confidence := rapid.Float64Range(0.01, 0.9999).Draw(t, "confidence")
		z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
		share, in := float64(hits)/float64(trials), stats.Wilson(hits, trials, confidence)
		if !in.Contains(share) || in.Low < 0 || in.High > 1 || (in.Low == 0) != (hits == 0) || (in.High == 1) != (hits == trials) {
			t.Fatalf("%d of %d: %v", hits, trials, in)
		}
		for _, p := range []float64{in.Low, in.High} {
			if p == 0 || p == 1 {
				continue
			}
			// Near 1 the end itself is rounded to 1e-16, and 1-p with it.
			if score := math.Abs(share-p) / math.Sqrt(p*(1-p)/float64(trials)); !closeTo(score, z, 1e-6) {
				t.Fatalf("%d of %d: the score at %v is %v, want %v", hits, trials, p, score, z)
			}
		}
	})
}

// TestWilsonCoverage: just below the lower end of one hit, only no hit covers, with e^-0.1765 = 0.838
// (Brown, Cai and DasGupta 2001); the average is what is promised.
func TestWilsonCoverage(t *testing.T) {
	const trials = 1000
	intervals := make([]stats.Interval, trials+1)
	for hits := range intervals {
		intervals[hits] = stats.Wilson(int64(hits), trials, 0.95)
	}
	p := intervals[1].Low * (1 - 1e-9)
	if got := coverage(intervals, p); math.Abs(p*trials-0.1765) > 5e-4 || math.Abs(got-0.838) > 1e-3 {
		t.Errorf("at %v: covered with %v", p, got)
	}

	small := intervals[:51]
	for hits := range small {
		small[hits] = stats.Wilson(int64(hits), 50, 0.95)
	}
	sum, steps := 0.0, 1000
	for i := range steps {
		sum += coverage(small, (float64(i)+0.5)/float64(steps))
	}
	// What "about" is to mean: half a percent.
	if mean := sum / float64(steps); math.Abs(mean-0.95) > 0.005 {
		t.Errorf("50 trials: covered with %v on average", mean)
	}
}
