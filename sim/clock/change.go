package clock

import (
	"fmt"
	"time"

	"fencepost/sim"
)

// MaxRatePPB bounds a rate: no clock runs backwards or at more than twice true time.
const MaxRatePPB = 999_999_999

// SetRate changes the rate from true time t on; a slew goes on. Timers that wait on this
// clock have to be armed anew: their true instants move. That holds for every method of
// this file and for [Clock.Slew], except for what concerns the wall clock alone.
func (c *Clock) SetRate(t sim.Time, ppb int64) {
	checkRate(ppb)
	c.own = ppb
	c.retune(t)
}

func checkRate(ppb int64) {
	if ppb > MaxRatePPB || ppb < -MaxRatePPB {
		panic(fmt.Sprintf("clock: rate %d ppb is out of ±%d", ppb, MaxRatePPB))
	}
}

// SetBias adds to whatever rate the clock has or is given, as far as the sum is within the
// bounds of a rate: a fault that comes on top of what a crystal and its daemon do.
func (c *Clock) SetBias(t sim.Time, ppb int64) {
	checkRate(ppb)
	c.bias = ppb
	c.retune(t)
}

func (c *Clock) retune(t sim.Time) {
	c.anchor(t)
	c.rate = min(max(c.own+c.bias, -MaxRatePPB), MaxRatePPB)
	c.slew = c.slew.fit(c.rate)
	c.classify()
}

// Step moves the wall clock by d, forward or back. The monotonic clock stays.
func (c *Clock) Step(d time.Duration) {
	c.offset += int64(d)
	c.wallAt += Wall(d)
}

// Freeze makes all clocks stand still from true time t on; a slew waits.
func (c *Clock) Freeze(t sim.Time) {
	c.anchor(t)
	c.frozen = true
	c.classify()
}

// FreezeWall makes the wall clock stand still; the others go on.
func (c *Clock) FreezeWall(t sim.Time) {
	if !c.wallStood {
		c.wallAt, c.wallStood = c.running(t), true
	}
	c.classify()
}

// Thaw sets clocks that stand going again. They go on from where they stood, so they
// stay behind by as long.
func (c *Clock) Thaw(t sim.Time) {
	c.anchor(t)
	c.frozen = false
	if c.wallStood {
		c.offset += int64(c.wallAt - c.running(t))
		c.wallStood = false
	}
	c.classify()
}

// Suspend stops the monotonic clock, unless it counts suspended time.
func (c *Clock) Suspend(t sim.Time) {
	c.anchor(t)
	c.asleep = true
	c.classify()
}

// Wake ends a suspension. The monotonic clock goes on from where it stood, the wall
// clock has jumped to where it would be, both in the eyes of who slept.
func (c *Clock) Wake(t sim.Time) {
	c.anchor(t)
	c.asleep = false
	c.classify()
}

// anchor makes t the instant from which what is in force now counts.
func (c *Clock) anchor(t sim.Time) {
	elapsed := int64(t - c.since)
	c.since = t
	if c.frozen {
		return
	}
	gained := c.gain(elapsed)
	if c.stands() {
		c.slept += gained
		c.offset += gained
	} else {
		c.mono += Mono(gained)
	}
	c.slew = c.slew.rest(elapsed).fit(c.rate) // rounding may have left more than has room
}

// classify finds the shortest way to read the clock.
func (c *Clock) classify() {
	switch {
	case c.slew.length > 0 || c.frozen || c.asleep || c.wallStood:
		c.state = special
	case c.rate != 0:
		c.state = steady
	default:
		c.state = perfect
	}
}
