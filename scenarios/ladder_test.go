package scenarios

import (
	"math"
	"testing"
	"time"

	"fencepost/sim/rng"
)

// TestConditionalByHand: integrate finds each change of the verdict.
func TestConditionalByHand(t *testing.T) {
	d := rng.Exponential(time.Second)
	l := newLadder(d)
	for name, c := range map[string]struct {
		is   func(x time.Duration) bool
		want float64
	}{
		"never":         {func(time.Duration) bool { return false }, 0},
		"always":        {func(time.Duration) bool { return true }, 1},
		"above 13.8 s":  {func(x time.Duration) bool { return x > 13800*time.Millisecond }, math.Exp(-13.8)},
		"below 1.5 s":   {func(x time.Duration) bool { return x <= 1500*time.Millisecond }, 1 - math.Exp(-1.5)},
		"between":       {func(x time.Duration) bool { return x > 2*time.Second && x <= 10*time.Second }, math.Exp(-2) - math.Exp(-10)},
		"below, beyond": {func(x time.Duration) bool { return x <= time.Second || x > 20*time.Second }, 1 - math.Exp(-1) + math.Exp(-20)},
	} {
		asked := 0
		got, err := l.integrate(func(x time.Duration) (bool, error) { asked++; return c.is(x), nil })
		// Each change is found to 50 microseconds, in which the exponential loses 5e-5 of what is left.
		if err != nil || math.Abs(got-c.want) > 1e-4*math.Min(c.want, 1) {
			t.Errorf("%s: %g (%v), want %g", name, got, err, c.want)
		}
		if asked > 80 {
			t.Errorf("%s: asked %d times", name, asked)
		}
	}
}
