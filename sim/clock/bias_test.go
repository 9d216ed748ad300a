package clock

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
)

// TestBiasAddsToTheRate: a clock whose rate and bias change in any order reads as one that
// is given their sum each time, within the bounds of a rate.
func TestBiasAddsToTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var biased, plain Clock
		rate, bias, now := int64(0), int64(0), sim.Time(0)
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			now += sim.Time(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "for"))
			if rapid.Bool().Draw(t, "bias") {
				bias = rates().Draw(t, "to")
				biased.SetBias(now, bias)
			} else {
				rate = rates().Draw(t, "to")
				biased.SetRate(now, rate)
			}
			plain.SetRate(now, min(max(rate+bias, -MaxRatePPB), MaxRatePPB))
			later := now + sim.Time(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "look"))
			if biased.Mono(later) != plain.Mono(later) || biased.Rate() != plain.Rate() {
				t.Fatalf("%d at %v, want %d", biased.Mono(later), later, plain.Mono(later))
			}
		}
	})
}
