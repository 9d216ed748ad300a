package clock

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
)

// naive is a clock with a perfect rate that keeps its three readings and moves them on
// by hand.
type naive struct {
	counts                    bool
	now                       sim.Time
	mono, boot                Mono
	wall                      Wall
	frozen, asleep, wallStood bool
}

func (n *naive) to(t sim.Time) {
	d := t.Sub(n.now)
	n.now = t
	if n.frozen {
		return
	}
	n.boot = n.boot.Add(d)
	if !n.asleep || n.counts {
		n.mono = n.mono.Add(d)
	}
	if !n.wallStood {
		n.wall = n.wall.Add(d)
	}
}

// TestStandingClocks compares every sequence of freezes, thaws, suspensions and steps
// with the three readings moved on by hand.
func TestStandingClocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Clock
		c.CountsSuspend = rapid.Bool().Draw(t, "counts")
		n := naive{counts: c.CountsSuspend}
		var now sim.Time
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			now += sim.Time(rapid.Int64Range(0, 1000).Draw(t, "for"))
			n.to(now)
			switch what := rapid.SampledFrom([]string{"freeze", "freeze wall", "thaw", "suspend", "wake", "step", "rate"}).Draw(t, "what"); what {
			case "freeze":
				c.Freeze(now)
				n.frozen = true
			case "freeze wall":
				c.FreezeWall(now)
				n.wallStood = true
			case "thaw":
				c.Thaw(now)
				n.frozen, n.wallStood = false, false
			case "suspend":
				c.Suspend(now)
				n.asleep = true
			case "wake":
				c.Wake(now)
				n.asleep = false
			case "step":
				by := time.Duration(rapid.Int64Range(-1000, 1000).Draw(t, "by"))
				c.Step(by)
				n.wall = n.wall.Add(by)
			case "rate":
				c.SetRate(now, 0) // no change, but a new anchor
			}
			for range 2 {
				if c.Mono(now) != n.mono || c.Boottime(now) != n.boot || c.Wall(now) != n.wall {
					t.Fatalf("at %d: mono %d boot %d wall %d, want %d %d %d", now,
						c.Mono(now), c.Boottime(now), c.Wall(now), n.mono, n.boot, n.wall)
				}
				now += 17
				n.to(now)
			}
			if stands := n.frozen || n.asleep && !n.counts; c.Stands() != stands {
				t.Fatalf("stands: %v, want %v", c.Stands(), stands)
			}
			if when := c.When(now, c.Mono(now)+1); (when == sim.Forever) != c.Stands() {
				t.Fatalf("the next nanosecond comes at %v, stands: %v", when, c.Stands())
			}
		}
	})
}

// TestSuspension in numbers: ten seconds asleep.
func TestSuspension(t *testing.T) {
	for _, counts := range []bool{false, true} {
		c := Clock{CountsSuspend: counts}
		c.Suspend(sim.Time(5 * sec))
		c.Wake(sim.Time(15 * sec))
		mono := Mono(10 * sec)
		if counts {
			mono = Mono(20 * sec)
		}
		if at := sim.Time(20 * sec); c.Mono(at) != mono || c.Boottime(at) != Mono(20*sec) || c.Wall(at) != Wall(20*sec) {
			t.Errorf("counts %v: %d, %d and %d", counts, c.Mono(at), c.Boottime(at), c.Wall(at))
		}
	}
}

// TestFrozenClockKeepsItsSlew: it goes on where it stood.
func TestFrozenClockKeepsItsSlew(t *testing.T) {
	var c Clock
	c.Slew(0, 100*ms, 10*sec)
	c.Freeze(sim.Time(5 * sec))
	c.Thaw(sim.Time(100 * sec))
	if got, want := c.Mono(sim.Time(105*sec)), Mono(10*sec+100*ms); got != want {
		t.Errorf("it reads %d, want %d", got, want)
	}
}

// TestWhenInvertsAnyClock: after any sequence of changes When is the least instant from
// now on at which the monotonic clock reads at least m, also where a slew ends before.
func TestWhenInvertsAnyClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Clock
		var now sim.Time
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			now += sim.Time(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "for"))
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				c.SetRate(now, rates().Draw(t, "rate"))
			case 1, 2:
				c.Slew(now, time.Duration(rapid.Int64Range(-int64(time.Second), int64(time.Second)).Draw(t, "by")),
					time.Duration(rapid.Int64Range(0, int64(2*time.Minute)).Draw(t, "length")))
			case 3:
				c.Freeze(now)
			case 4:
				c.Suspend(now)
			case 5:
				c.Thaw(now)
				c.Wake(now)
			}
		}
		now += sim.Time(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "later"))
		m := c.Mono(now).Add(time.Duration(rapid.Int64Range(-5, int64(5*time.Minute)).Draw(t, "ahead")))
		got := c.When(now, m)
		switch {
		case m <= c.Mono(now):
			if got != now {
				t.Fatalf("When(%d, %d) = %d, want at once", now, m, got)
			}
		case got == sim.Forever:
			if !c.Stands() && c.Mono(got-1) >= m {
				t.Fatalf("When(%d, %d) is never, but the clock comes there", now, m)
			}
		case c.Stands():
			t.Fatalf("a clock that stands reaches %d at %d", m, got)
		case c.Mono(got) < m || c.Mono(got-1) >= m:
			t.Fatalf("When(%d, %d) = %d, where it reads %d after %d", now, m, got, c.Mono(got), c.Mono(got-1))
		}
	})
}

// TestWhenAcrossASlew asks for every reading around the end of a slew.
func TestWhenAcrossASlew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Clock
		c.SetRate(0, rapid.Int64Range(-400_000_000, 400_000_000).Draw(t, "rate"))
		length := rapid.Int64Range(1, 200).Draw(t, "length")
		c.Slew(0, time.Duration(rapid.Int64Range(-length/2, length/2).Draw(t, "by")), time.Duration(length))
		at := sim.Time(0) // the first instant at which the clock reads m
		for m := Mono(0); m < 300; m++ {
			for c.Mono(at) < m {
				at++
			}
			if got := c.When(0, m); got != at {
				t.Fatalf("When(0, %d) = %d, want %d", m, got, at)
			}
		}
	})
}
