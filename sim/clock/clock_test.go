package clock

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
)

// rates draws a rate, often one that is extreme.
func rates() *rapid.Generator[int64] {
	return rapid.OneOf(
		rapid.SampledFrom([]int64{0, 1, -1, 100_000, -100_000, MaxRatePPB, -MaxRatePPB}),
		rapid.Int64Range(-MaxRatePPB, MaxRatePPB))
}

// instants draws true times up to a year.
func instants() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64Range(0, 1000), rapid.Int64Range(0, int64(365*24*time.Hour)))
}

// TestMonoIsTrueTimeAtTheRate uses big rationals as the oracle: a reading is the exact
// local time, rounded down.
func TestMonoIsTrueTimeAtTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate, at := rates().Draw(t, "rate"), instants().Draw(t, "at")
		var c Clock
		c.SetRate(0, rate)
		exact := new(big.Int).Mul(big.NewInt(at), big.NewInt(1e9+rate))
		want := exact.Div(exact, big.NewInt(1e9)) // Euclidean: down, since the divisor is positive
		if got := c.Mono(sim.Time(at)); int64(got) != want.Int64() {
			t.Fatalf("at %d with %d ppb: %d, want %v", at, rate, got, want)
		}
	})
}

// TestWhenInvertsMono: When is the least instant from t on at which the clock reads at
// least m.
func TestWhenInvertsMono(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Clock
		c.SetRate(0, rates().Draw(t, "first rate"))
		since := sim.Time(instants().Draw(t, "since"))
		c.SetRate(since, rates().Draw(t, "rate"))
		now := since + sim.Time(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "now"))
		m := c.Mono(now).Add(time.Duration(rapid.Int64Range(-5, int64(time.Minute)).Draw(t, "ahead")))
		got := c.When(now, m)
		if got < now {
			t.Fatalf("When(%d, %d) = %d, before now", now, m, got)
		}
		if got == sim.Forever {
			// Only a clock that nearly stands still takes so long.
			if c.Mono(got-1) >= m {
				t.Fatalf("When(%d, %d) is never, but the clock reads %d in time", now, m, c.Mono(got-1))
			}
			return
		}
		if c.Mono(got) < m {
			t.Fatalf("at %d the clock reads %d, not yet %d", got, c.Mono(got), m)
		}
		if got > now && c.Mono(got-1) >= m {
			t.Fatalf("the clock reads %d before %d already", m, got)
		}
	})
}

func TestWhenSaturates(t *testing.T) {
	for _, rate := range []int64{0, -MaxRatePPB, MaxRatePPB} {
		var c Clock
		c.SetRate(0, rate)
		if got := c.When(0, Mono(1<<62)); got != sim.Forever {
			t.Errorf("with %d ppb: %v, want forever", rate, got)
		}
	}
}

// TestStepMovesTheWallClockOnly, by what it says, whenever it happens.
func TestStepMovesTheWallClockOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stepped, plain Clock
		rate := rates().Draw(t, "rate")
		stepped.SetRate(0, rate)
		plain.SetRate(0, rate)
		by := time.Duration(0)
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			d := time.Duration(rapid.Int64Range(-int64(time.Hour), int64(time.Hour)).Draw(t, "by"))
			stepped.Step(d)
			by += d
		}
		at := sim.Time(instants().Draw(t, "at"))
		if stepped.Mono(at) != plain.Mono(at) {
			t.Fatal("the monotonic clock moved")
		}
		if got := stepped.Wall(at).Sub(plain.Wall(at)); got != by {
			t.Fatalf("the wall clock moved by %v, want %v", got, by)
		}
		if stepped.Rate() != rate {
			t.Fatal("the rate changed")
		}
	})
}

func TestZeroClockIsPerfect(t *testing.T) {
	var c Clock
	for _, at := range []sim.Time{0, 1, 1e9, sim.Forever} {
		if c.Mono(at) != Mono(at) || c.Wall(at) != Wall(at) {
			t.Errorf("at %d it reads %d and %d", at, c.Mono(at), c.Wall(at))
		}
	}
}

func TestMilliTruncatesDown(t *testing.T) {
	for w, want := range map[Wall]int64{0: 0, 999_999: 0, 1_000_000: 1, -1: -1, -1_000_000: -1, -1_000_001: -2} {
		if got := w.Milli(); got != want {
			t.Errorf("Wall(%d).Milli() = %d, want %d", w, got, want)
		}
	}
}

func TestRateOutOfRangePanics(t *testing.T) {
	for _, rate := range []int64{MaxRatePPB + 1, -MaxRatePPB - 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a rate of %d ppb was accepted", rate)
				}
			}()
			var c Clock
			c.SetRate(0, rate)
		}()
	}
}
