// Package clock is what a host believes the time to be. Everything is integer
// arithmetic; true time goes in, a local reading comes out.
//
// A host has three clocks on one oscillator, named here as Linux names them
// (clock_gettime(2)):
//
//   - the monotonic clock (CLOCK_MONOTONIC), on which programs set their timers. It
//     stands while the machine is suspended;
//   - the boottime clock (CLOCK_BOOTTIME), which goes on while the machine is suspended;
//   - the wall clock (CLOCK_REALTIME), the only one that is ever stepped.
//
// A rate is a deviation in parts per billion: a clock at +100_000 ppb (100 ppm) gains
// 100 µs on true time every second. The clocks share one rate, and a slew moves all of
// them: on Linux adjtime(3) and NTP change the rate of CLOCK_MONOTONIC too (only
// CLOCK_MONOTONIC_RAW, which nobody sets timers on, is left alone). So a declared bound
// rho, (1-rho)Δt <= ΔC <= (1+rho)Δt, holds for the monotonic clock if rate and slew
// together stay within it; see [Clock.DeviationPPB].
//
// Presets of published clocks, with the daemons that discipline them, are in
// [Presets].
package clock

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/trace"
)

// Mono is a reading of a host's monotonic or boottime clock, in nanoseconds since an
// origin of the host's own. Readings of two hosts cannot be compared.
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

// Clock is one host's clocks. The zero value is a perfect clock.
type Clock struct {
	// CountsSuspend is of hosts whose monotonic clock goes on while the machine is
	// suspended, as CLOCK_BOOTTIME does, and with it Windows' interrupt time
	// (QueryInterruptTime) and a restored gVisor sandbox (google/gvisor#218). It is set
	// before the run.
	CountsSuspend bool

	since  sim.Time // true instant from which the current rate holds
	mono   Mono     // reading at that instant
	offset int64    // wall minus mono, nanoseconds
	rate   int64    // deviation, parts per billion: own and bias together
	state  state

	own, bias int64
	slept     int64 // boottime minus mono, nanoseconds
	slew      slew
	frozen    bool // all clocks stand
	asleep    bool // the machine is suspended
	wallStood bool // the wall clock alone stands, at wallAt
	wallAt    Wall

	jitters []*Jitter // in force
	digest  *trace.Digest
}

// Reset makes the clock a perfect one again.
func (c *Clock) Reset() {
	clear(c.jitters)
	*c = Clock{CountsSuspend: c.CountsSuspend, jitters: c.jitters[:0]}
}

// state tells the clocks that need no more than a line to be read.
type state uint8

const (
	perfect state = iota // runs at true time's rate
	steady               // runs at a constant rate
	special              // slews, stands or sleeps
)

// Mono reads the monotonic clock at true time t, which is no earlier than the last
// change.
func (c *Clock) Mono(t sim.Time) Mono {
	if c.state == perfect {
		return c.mono + Mono(t-c.since)
	}
	return c.imperfect(t)
}

// imperfect is apart so that the compiler inlines the reading of a perfect clock.
func (c *Clock) imperfect(t sim.Time) Mono {
	elapsed := int64(t - c.since)
	switch {
	case c.state == steady:
		return c.mono + Mono(elapsed+scale(elapsed, c.rate))
	case c.stands():
		return c.mono
	}
	return c.mono + Mono(c.gain(elapsed))
}

// Boottime reads the clock that goes on while the machine is suspended.
func (c *Clock) Boottime(t sim.Time) Mono {
	if c.frozen {
		return c.mono + Mono(c.slept)
	}
	return c.mono + Mono(c.slept+c.gain(int64(t-c.since)))
}

// Wall is what the wall clock shows at true time t, without the jitter of a read; see
// [Clock.ReadWall]. It goes on while the machine is suspended: on resume it is set from
// the hardware clock, whose error is left out.
func (c *Clock) Wall(t sim.Time) Wall {
	if c.state == perfect {
		return Wall(int64(c.mono) + int64(t-c.since) + c.offset)
	}
	return c.imperfectWall(t)
}

func (c *Clock) imperfectWall(t sim.Time) Wall {
	switch {
	case c.state == steady:
		elapsed := int64(t - c.since)
		return Wall(int64(c.mono) + elapsed + scale(elapsed, c.rate) + c.offset)
	case c.wallStood:
		return c.wallAt
	}
	return c.running(t)
}

// running is what the wall clock shows if it does not stand alone. It runs with the
// boottime clock.
func (c *Clock) running(t sim.Time) Wall {
	return Wall(int64(c.Boottime(t)) - c.slept + c.offset)
}

// gain is by how much the oscillator advances in a time since the last change, rounded
// down.
func (c *Clock) gain(elapsed int64) int64 { return elapsed + c.slew.gain(elapsed, c.rate) }

// stands reports whether the monotonic clock stands.
func (c *Clock) stands() bool { return c.frozen || c.asleep && !c.CountsSuspend }

// Stands reports whether the monotonic clock stands still, so that no timer on it will
// ever be due unless the clock is set going again.
func (c *Clock) Stands() bool { return c.state == special && c.stands() }

// Even reports whether the clocks run at one rate, without jitter: what they will read can be told
// as long as nothing changes them.
func (c *Clock) Even() bool { return c.state != special && len(c.jitters) == 0 }

// Rate returns the deviation in parts per billion, without a slew.
func (c *Clock) Rate() int64 { return c.rate }

// DeviationPPB returns the greatest deviation from true time's rate, in parts per
// billion and rounded away from zero, that the monotonic clock has from t on if nothing
// changes it: that of its rate or of rate and slew together, whichever is greater, and all
// of true time if it stands. It is the number that a declared rho bounds.
func (c *Clock) DeviationPPB(t sim.Time) int64 {
	if c.Stands() {
		return 1e9
	}
	if c.slew.over(int64(t - c.since)) {
		return abs(c.rate)
	}
	return max(abs(c.rate), abs(c.rate+c.slew.ppb()))
}
