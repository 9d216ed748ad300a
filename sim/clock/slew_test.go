package clock

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
)

// TestSlewIsLinearAndExact uses big rationals as the oracle: rate and slew add up to the
// exact local time, rounded down once, and when the slew is over it has moved the clock
// by exactly what was asked for.
func TestSlewIsLinearAndExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(-400_000_000, 400_000_000).Draw(t, "rate")
		length := rapid.Int64Range(1, int64(24*time.Hour)).Draw(t, "length")
		by := rapid.Int64Range(-length/2, length/2).Draw(t, "by")
		at := rapid.OneOf(rapid.Int64Range(0, length), rapid.Int64Range(0, int64(48*time.Hour))).Draw(t, "at")
		var c Clock
		c.SetRate(0, rate)
		c.Slew(0, time.Duration(by), time.Duration(length))

		exact := new(big.Rat).Mul(big.NewRat(at, 1), big.NewRat(1e9+rate, 1e9))
		exact.Add(exact, new(big.Rat).Mul(big.NewRat(min(at, length), 1), big.NewRat(by, length)))
		want := new(big.Int).Div(exact.Num(), exact.Denom())
		if got := c.Mono(sim.Time(at)); int64(got) != want.Int64() {
			t.Fatalf("%d ppb and a slew of %d in %d: at %d it reads %d, want %v", rate, by, length, at, got, want)
		}
		if c.Wall(sim.Time(at)) != Wall(c.Mono(sim.Time(at))) {
			t.Fatal("the slew moved the wall clock by something else")
		}
		if deviation := c.DeviationPPB(sim.Time(at)); at >= length && deviation != abs(rate) {
			t.Fatalf("after the slew the clock deviates by %d ppb, its rate is %d", deviation, rate)
		}
	})
}

// TestRateBound: if no rate exceeds ρ, nor rate and slew together, then
// (1−ρ)Δt ≤ ΔC ≤ (1+ρ)Δt between any two changes of the clock, up to a nanosecond for
// each stretch: readings are rounded down, and so is what is left of a slew.
func TestRateBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Int64Range(0, MaxRatePPB).Draw(t, "rho")
		var c Clock
		var now sim.Time
		times, readings := []sim.Time{0}, []Mono{0}
		for range rapid.IntRange(0, 8).Draw(t, "changes") {
			now += sim.Time(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "for"))
			before := c.Mono(now)
			rate := rapid.Int64Range(-rho, rho).Draw(t, "rate")
			c.Slew(now, 0, 0)
			c.SetRate(now, rate)
			if rapid.Bool().Draw(t, "slews") {
				length := rapid.Int64Range(1, int64(time.Hour)).Draw(t, "length")
				most, _ := mulDiv(length, rho-abs(rate), 1e9)
				c.Slew(now, time.Duration(rapid.Int64Range(-most, most).Draw(t, "by")), time.Duration(length))
			}
			if c.DeviationPPB(now) > rho {
				t.Fatalf("a deviation of %d ppb where %d is the bound", c.DeviationPPB(now), rho)
			}
			if c.Mono(now) != before {
				t.Fatal("a change of rate and slew moved the clock")
			}
			times, readings = append(times, now), append(readings, before)
		}
		now += sim.Time(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "rest"))
		times, readings = append(times, now), append(readings, c.Mono(now))
		for i := range times {
			for j := range i {
				checkBound(t, rho, int64(times[i]-times[j]), int64(readings[i]-readings[j]), int64(i-j))
			}
		}
	})
}

func checkBound(t *rapid.T, rho, dt, dc, slack int64) {
	low := new(big.Int).Mul(big.NewInt(dt), big.NewInt(1e9-rho))
	high := new(big.Int).Mul(big.NewInt(dt), big.NewInt(1e9+rho))
	if new(big.Int).Mul(big.NewInt(dc+slack), big.NewInt(1e9)).Cmp(low) < 0 ||
		new(big.Int).Mul(big.NewInt(dc-slack), big.NewInt(1e9)).Cmp(high) > 0 {
		t.Fatalf("the clock gained %d in %d, with a bound of %d ppb", dc, dt, rho)
	}
}

// TestSlewSurvivesChangesOfTheRate: what a slew moves the clock by does not depend on how
// often the rate changes meanwhile.
func TestSlewSurvivesChangesOfTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.Int64Range(1, int64(time.Hour)).Draw(t, "length")
		by := rapid.Int64Range(-length/2, length/2).Draw(t, "by")
		var slewed, plain Clock
		slewed.Slew(0, time.Duration(by), time.Duration(length))
		var now sim.Time
		changes := rapid.IntRange(0, 5).Draw(t, "changes")
		for range changes {
			now += sim.Time(rapid.Int64Range(0, int64(10*time.Minute)).Draw(t, "for"))
			rate := rapid.Int64Range(-100_000_000, 100_000_000).Draw(t, "rate")
			slewed.SetRate(now, rate)
			plain.SetRate(now, rate)
		}
		end := max(now, sim.Time(length))
		if off := int64(slewed.Mono(end)-plain.Mono(end)) - by; abs(off) > int64(changes) {
			t.Fatalf("a slew of %d in %d, %d changes: off by %d", by, length, changes, off)
		}
	})
}

// TestClockNeverRunsBackwards, whatever is asked of it: a slew too steep takes longer,
// but moves the clock by as much.
func TestClockNeverRunsBackwards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Clock
		rate := rates().Draw(t, "rate")
		c.SetRate(0, rate)
		by := rapid.Int64Range(-1000, 1000).Draw(t, "by")
		c.Slew(0, time.Duration(by), time.Duration(rapid.Int64Range(-1, 1000).Draw(t, "length")))
		at := sim.Time(rapid.Int64Range(0, 3000).Draw(t, "at"))
		if rapid.Bool().Draw(t, "changes") {
			c.SetRate(at, rates().Draw(t, "later rate"))
		}
		last := c.Mono(at)
		for range 200 {
			at++
			if now := c.Mono(at); now < last || now > last+2 {
				t.Fatalf("the clock went from %d to %d in a nanosecond", last, now)
			} else {
				last = now
			}
		}
	})
}

// TestNewSlewReplacesTheOld, which leaves what it has done so far (adjtime(3)).
func TestNewSlewReplacesTheOld(t *testing.T) {
	var c Clock
	c.Slew(0, 100*ms, 10*sec)
	c.Slew(sim.Time(4*sec), -10*ms, sec)
	if got, want := c.Mono(sim.Time(20*sec)), Mono(20*sec+40*ms-10*ms); got != want {
		t.Errorf("it reads %d, want %d", got, want)
	}
	c.Slew(sim.Time(20*sec), 100*ms, 10*sec)
	c.Slew(sim.Time(21*sec), 0, 0)
	if got, want := c.Mono(sim.Time(40*sec)), Mono(40*sec+30*ms+10*ms); got != want || c.state != perfect {
		t.Errorf("it reads %d, want %d", got, want)
	}
}

// TestDeviation is arithmetic: 30 ppm and a slew of 10 ms in 20 s, 500 ppm.
func TestDeviation(t *testing.T) {
	for _, c := range []struct{ rate, by, want int64 }{
		{30_000, 10e6, 530_000}, {-30_000, 10e6, 470_000}, {30_000, -10e6, 470_000}, {-30_000, -10e6, 530_000},
		{800_000, -10e6, 800_000}, {0, 1, 1},
	} {
		var k Clock
		k.SetRate(0, c.rate)
		k.Slew(0, time.Duration(c.by), 20*sec)
		if got := k.DeviationPPB(0); got != c.want {
			t.Errorf("%d ppb and %d ns in 20 s: %d ppb, want %d", c.rate, c.by, got, c.want)
		}
	}
}
