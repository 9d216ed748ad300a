package clock

import (
	"slices"

	"fencepost/sim"
	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// Jitter makes every read of a wall clock be off by a draw, forward or back with equal
// chance: the time that passes between the clock and the program, coarse counters,
// processors that disagree. It is owned by whoever put it there, so that no two of them
// undo each other or share their noise. The monotonic clock has none, so that it stays
// monotone.
type Jitter struct {
	Dist rng.Dist
	// Key is a hash of what the jitter is, the trial's seed included. Draws are keyed by it
	// and by Reads.
	Key uint64
	// Reads counts the reads that it has drawn for.
	Reads uint64
}

// AddJitter puts a jitter in force on top of those that are.
func (c *Clock) AddJitter(j *Jitter, digest *trace.Digest) {
	c.jitters, c.digest = append(c.jitters, j), digest
}

// RemoveJitter ends a jitter. One that is not in force is none of its business.
func (c *Clock) RemoveJitter(j *Jitter) {
	if i := slices.Index(c.jitters, j); i >= 0 {
		c.jitters = slices.Delete(c.jitters, i, i+1)
	}
}

// ReadWall is what a program reads from the wall clock at true time t. Only programs
// call it: a read changes what later reads draw.
func (c *Clock) ReadWall(t sim.Time) Wall {
	w := c.Wall(t)
	for _, j := range c.jitters {
		j.Reads++
		s := rng.New(rng.Hash(j.Key, j.Reads), c.digest)
		w = w.Add(Spread{Size: j.Dist}.draw(&s))
	}
	return w
}
