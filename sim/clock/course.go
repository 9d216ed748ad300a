package clock

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// Turn is one of the things that change a clock in the course of a run.
type Turn uint8

const (
	// Poll is a measurement of the daemon's. It takes a host that runs.
	Poll Turn = iota
	// Wandering, Leaping and Bumping happen to the clock, whatever the host does.
	Wandering
	Leaping
	Bumping

	// Turns is how many there are.
	Turns = iota
)

// Course is what becomes of one clock under a preset. Whoever owns the clock asks when
// the next turn of each kind is and takes it then.
type Course struct {
	preset  PresetInfo
	seed    uint64
	digest  *trace.Digest
	rate    int64 // at the start
	draws   [Turns]uint64
	leapAt  sim.Time
	leapt   bool
	daemon  daemon
	changes uint64
}

// Begin gives a clock its offset and rate at the start of a run, at true time zero. The
// seed is that of the trial and the host; all draws of the course are keyed by it, by
// what is drawn and by a counter of its own.
func (c *Course) Begin(k *Clock, p PresetInfo, seed uint64, digest *trace.Digest) {
	*c = Course{preset: p, seed: seed, digest: digest}
	s := c.stream("clock.rate", 0)
	c.rate = int64(p.Rate.draw(&s))
	k.SetRate(0, c.rate)
	s = c.stream("clock.offset", 0)
	offset := p.Offset.draw(&s)
	k.Step(offset)
	c.beginLeap(k)
	c.beginDaemon(offset)
}

// beginDaemon starts the daemon in the middle of its life: it may have seen the offset
// for a while, but has not acted yet.
func (c *Course) beginDaemon(offset time.Duration) {
	d := &c.preset.Discipline
	c.daemon.synced = true
	if d.StepOut > 0 && abs(int64(offset)) >= int64(d.StepFrom) {
		s := c.stream("clock.stepout", 0)
		c.daemon.large, c.daemon.since = true, sim.Time(-s.Between(0, d.StepOut))
	}
}

// beginLeap draws the instant of the leap second. Of a smear that has begun before the
// run the clock shows the first part already.
func (c *Course) beginLeap(k *Clock) {
	l := &c.preset.Leap
	s := c.stream("clock.leap", 0)
	c.leapAt = sim.Time(l.At.Sample(&s) - l.Smear/2)
	if l.By == 0 || c.leapAt >= 0 {
		return
	}
	c.leapt = true
	smear := slew{by: -int64(l.By), length: int64(l.Smear)}
	rest := smear.rest(-int64(c.leapAt))
	k.Step(time.Duration(smear.by - rest.by))
	k.Slew(0, time.Duration(rest.by), time.Duration(rest.length))
	c.changes++
}

// Restart starts the daemon anew, with its host.
func (c *Course) Restart() { c.daemon = daemon{} }

// stream is the source of the n-th draw of a name.
func (c *Course) stream(name string, n uint64) rng.Stream {
	return rng.New(rng.Hash(c.seed, rng.HashString(name), n), c.digest)
}

// draw is the stream of a turn's next draw.
func (c *Course) draw(turn Turn) rng.Stream {
	c.draws[turn]++
	return c.stream([Turns]string{"clock.poll", "clock.wander", "clock.leap", "clock.bump"}[turn], c.draws[turn])
}

// First returns the true time of the first turn of a kind in a run or, of polls, in the
// daemon's new life from t on. It is [sim.Forever] if there is none. A daemon's first
// poll falls anywhere in its interval, since hosts do not start at one instant.
func (c *Course) First(turn Turn, t sim.Time) sim.Time {
	switch p := &c.preset; turn {
	case Poll:
		if longest := p.Discipline.Poll; longest != (rng.Dist{}) {
			s := c.draw(Poll)
			return t.Add(s.Between(1, max(1, longest.Sample(&s))))
		}
	case Leaping:
		if p.Leap.By != 0 && !c.leapt {
			return c.leapAt
		}
	default:
		return c.Next(turn, t)
	}
	return sim.Forever
}

// Next returns the true time of the turn of a kind that follows the one taken at t.
func (c *Course) Next(turn Turn, t sim.Time) sim.Time {
	switch p := &c.preset; turn {
	case Poll:
		if !c.daemon.quit {
			s := c.draw(Poll)
			return t.Add(max(1, p.Discipline.Poll.Sample(&s)))
		}
	case Wandering:
		if p.Wander.Every > 0 {
			return t.Add(p.Wander.Every)
		}
	case Bumping:
		if p.Bumps.Every != (rng.Dist{}) {
			s := c.draw(Bumping)
			return t.Add(max(1, p.Bumps.Every.Sample(&s)))
		}
	}
	return sim.Forever
}

// Take takes a turn at true time t. Timers on the clock have to be armed anew.
func (c *Course) Take(turn Turn, k *Clock, t sim.Time) {
	switch p := &c.preset; turn {
	case Poll:
		c.poll(k, t)
		return
	case Wandering:
		s := c.draw(Wandering)
		k.SetRate(t, c.rate+int64(p.Wander.By.draw(&s)))
	case Leaping:
		c.leapt = true
		if p.Leap.Smear > 0 {
			k.Slew(t, -p.Leap.By, p.Leap.Smear)
		} else {
			k.Step(-p.Leap.By)
		}
	case Bumping:
		s := c.draw(Bumping)
		k.Step(p.Bumps.By.draw(&s))
	}
	c.changes++
}

// poll is one measurement and what follows from it.
func (c *Course) poll(k *Clock, t sim.Time) {
	d := &c.preset.Discipline
	s := c.draw(Poll)
	offset := k.Wall(t).Sub(Wall(t)) + d.Noise.draw(&s)
	does := c.daemon.decide(d, offset, t)
	switch does {
	case wait:
		return
	case exit:
		c.daemon.quit = true
		return
	}
	if d.Residual.Size != (rng.Dist{}) {
		k.SetRate(t, int64(d.Residual.draw(&s)))
	}
	switch does {
	case step:
		k.Slew(t, 0, 0) // what was being slewed away is in the measured offset
		k.Step(-offset)
	case slewAway:
		k.Slew(t, -offset, d.slewTime(offset))
	}
	c.changes++
}

// Changes counts what the course has changed so far: steps, slews and changes of the
// rate. As long as it is 0 the preset has not been more than an offset and a rate.
func (c *Course) Changes() uint64 { return c.changes }
