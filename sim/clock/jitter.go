package clock

import (
	"fencepost/sim"
	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// SetJitter makes every read of the wall clock be off by a draw of d, forward or back
// with equal chance: the time that passes between the clock and the program, coarse
// counters, processors that disagree. Draws are keyed by the seed and by how often the
// clock was read. A constant zero ends it. The monotonic clock has none, so that it stays
// monotone.
func (c *Clock) SetJitter(d rng.Dist, seed uint64, digest *trace.Digest) {
	c.jitter, c.jitterSeed, c.reads, c.digest = d, seed, 0, digest
}

// ReadWall is what a program reads from the wall clock at true time t. Only programs
// call it: a read changes what later reads draw.
func (c *Clock) ReadWall(t sim.Time) Wall {
	w := c.Wall(t)
	if c.jitter == (rng.Dist{}) {
		return w
	}
	c.reads++
	s := rng.New(rng.Hash(c.jitterSeed, c.reads), c.digest)
	return w.Add(Spread{Size: c.jitter}.draw(&s))
}
