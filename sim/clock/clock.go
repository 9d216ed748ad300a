// Package clock is what a host believes the time to be: a monotonic clock that runs
// at a rate of its own and a wall clock that can also be stepped. Everything is
// integer arithmetic; true time goes in, a local reading comes out.
//
// Rates are deviations in parts per billion: a clock at +100_000 ppb (100 ppm) gains
// 100 µs on true time every second. The wall clock shares the monotonic clock's
// oscillator and therefore its rate, as CLOCK_REALTIME and CLOCK_MONOTONIC do on
// Linux (clock_gettime(2)); only the wall clock steps.
package clock

import (
	"fmt"
	"math/bits"
	"time"

	"fencepost/sim"
)

// Mono is a reading of a host's monotonic clock, in nanoseconds since an origin of
// the host's own. Readings of two hosts cannot be compared.
type Mono int64

// Add returns m+d.
func (m Mono) Add(d time.Duration) Mono { return m + Mono(d) }

// Sub returns m-n.
func (m Mono) Sub(n Mono) time.Duration { return time.Duration(m - n) }

// Wall is a reading of a host's wall clock, in nanoseconds since the run's epoch as
// this host believes it.
type Wall int64

// Add returns w+d.
func (w Wall) Add(d time.Duration) Wall { return w + Wall(d) }

// Sub returns w-v.
func (w Wall) Sub(v Wall) time.Duration { return time.Duration(w - v) }

// Milli truncates to whole milliseconds, as gettimeofday-based servers do.
func (w Wall) Milli() int64 { return floorDiv(int64(w), int64(time.Millisecond)) }

// MaxRatePPB bounds a rate: no clock runs backwards or at more than twice true time.
const MaxRatePPB = 999_999_999

// Clock is one host's pair of clocks. The zero value is a perfect clock.
type Clock struct {
	since  sim.Time // true instant from which the current rate holds
	mono   Mono     // reading at that instant
	offset int64    // wall minus mono, nanoseconds
	rate   int64    // deviation, parts per billion
}

// Mono reads the monotonic clock at true time t.
func (c *Clock) Mono(t sim.Time) Mono {
	elapsed := int64(t - c.since)
	if c.rate == 0 {
		return c.mono + Mono(elapsed)
	}
	return c.mono + Mono(elapsed+scale(elapsed, c.rate))
}

// Wall reads the wall clock at true time t.
func (c *Clock) Wall(t sim.Time) Wall { return Wall(int64(c.Mono(t)) + c.offset) }

// Rate returns the deviation in parts per billion.
func (c *Clock) Rate() int64 { return c.rate }

// SetRate changes the rate from true time t on. Timers that wait on this clock have
// to be armed anew: their true instants move.
func (c *Clock) SetRate(t sim.Time, ppb int64) {
	if ppb > MaxRatePPB || ppb < -MaxRatePPB {
		panic(fmt.Sprintf("clock: rate %d ppb is out of ±%d", ppb, MaxRatePPB))
	}
	c.mono, c.since, c.rate = c.Mono(t), t, ppb
}

// Step moves the wall clock by d, forward or back. The monotonic clock stays.
func (c *Clock) Step(d time.Duration) { c.offset += int64(d) }

// When returns the earliest true time at or after t at which the monotonic clock
// reads at least m, if the rate stays as it is.
func (c *Clock) When(t sim.Time, m Mono) sim.Time {
	if m <= c.Mono(t) {
		return t
	}
	if c.rate == 0 {
		return c.since.Add(m.Sub(c.mono))
	}
	local := uint64(m - c.mono)
	hi, lo := bits.Mul64(local, 1e9)
	divisor := uint64(1e9 + c.rate)
	if hi >= divisor {
		return sim.Forever
	}
	elapsed, remainder := bits.Div64(hi, lo, divisor)
	if remainder != 0 {
		elapsed++
	}
	if elapsed >= uint64(sim.Forever) {
		return sim.Forever
	}
	return c.since.Add(time.Duration(elapsed))
}

// scale returns floor(n*ppb/1e9) without overflow.
func scale(n, ppb int64) int64 {
	negative := (n < 0) != (ppb < 0)
	hi, lo := bits.Mul64(magnitude(n), magnitude(ppb))
	quotient, remainder := bits.Div64(hi, lo, 1e9)
	if !negative {
		return int64(quotient)
	}
	if remainder != 0 {
		quotient++
	}
	return -int64(quotient)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

func floorDiv(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}
