package rng_test

import (
	"math"
	"testing"
	"time"

	"fencepost/checker/stats"
	"fencepost/sim/rng"
)

// TestBiasedIntervalCovers: the interval that is printed of biased runs covers the true rate as often as
// it says, wherever between two tails the rate lies, with few runs and with many, and where it is not
// called poor, too.
func TestBiasedIntervalCovers(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	one, many := rng.LogNormal(50*time.Millisecond, 1.1), rng.Exponential(400*time.Millisecond)
	for _, c := range []struct {
		of        rng.Dist
		most      int
		durations int
		rate      float64 // of exceeding, by one duration
		runs      int
	}{
		{one, 1, 1, 1.4e-6, 300},
		{one, 1, 1, 1.05e-6, 2000},
		{many, 3, 3, 1.2e-5, 1000},
	} {
		const repeats = 100
		at := c.of.Exceeded(c.rate)
		rate := 1 - math.Pow(1-c.of.Survival(at), float64(c.durations))
		covered, trusted, coveredThen := 0.0, 0.0, 0.0
		b := rng.NewBias([]rng.RareDuration{{Dist: c.of, Most: c.most}}, false)
		for k := range uint64(repeats) {
			w := new(stats.Weighted)
			for i := range uint64(c.runs) {
				w.Add(exceeds(b, c.of, c.durations, at, k*uint64(c.runs)+i))
			}
			covers := 0.0
			if w.GammaInterval(0, 0.95).Contains(rate) {
				covers = 1
			}
			covered += covers
			if w.Poor() == "" {
				trusted, coveredThen = trusted+1, coveredThen+covers
			}
		}
		t.Logf("%d runs at %.3g: covers with %.3f, called poor with %.2f", c.runs, rate, covered/repeats, 1-trusted/repeats)
		const tolerance = 3 * 0.0218 // standard deviations of a share of 0.95 of so many
		if covered/repeats < 0.95-tolerance {
			t.Errorf("%d runs at %.3g: covers with %.3f", c.runs, rate, covered/repeats)
		}
		if trusted > repeats/2 && coveredThen/trusted < 0.95-tolerance {
			t.Errorf("%d runs at %.3g: where it is not called poor it covers with %.3f", c.runs, rate, coveredThen/trusted)
		}
	}
}

// exceeds draws a run with some durations, and returns its weight and whether one exceeds an instant.
func exceeds(b *rng.Bias, of rng.Dist, durations int, at time.Duration, seed uint64) (weight float64, hit bool) {
	b.Reset(seed)
	s := rng.New(rng.Hash(seed, 99), nil)
	for range durations {
		hit = b.Duration(0, of.Sample(&s)) > at || hit
	}
	return b.Weight(), hit
}
