package clock

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
)

// durations draws anything that a Duration can be, often an extreme or what people ask for.
func durations() *rapid.Generator[int64] {
	return rapid.OneOf(
		rapid.SampledFrom([]int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MinInt64 + 1, int64(sim.Forever), -int64(sim.Forever),
			int64(10 * time.Second), int64(30 * time.Second), -int64(30 * time.Second)}),
		rapid.Int64Range(-1000, 1000),
		rapid.Int64Range(-int64(time.Hour), int64(time.Hour)),
		rapid.Int64())
}

// spans draws true times that pass, up to all that there is.
func spans() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64Range(0, 1000), rapid.Int64Range(0, int64(time.Hour)), rapid.Int64Range(0, int64(sim.Forever)))
}

// change does anything to a clock that is accepted.
func change(t *rapid.T, c *Clock, now sim.Time) {
	switch rapid.IntRange(0, 6).Draw(t, "what") {
	case 0:
		c.SetRate(now, rates().Draw(t, "rate"))
	case 1:
		c.SetBias(now, rates().Draw(t, "bias"))
	case 2, 3:
		c.Slew(now, time.Duration(durations().Draw(t, "by")), time.Duration(durations().Draw(t, "length")))
	case 4:
		c.Freeze(now)
	case 5:
		c.Suspend(now)
	case 6:
		c.Thaw(now)
		c.Wake(now)
	}
}

// TestNoClockDoesWhatNoneCan: whatever rate, bias and slew are asked for together, the
// clock goes neither backwards nor at more than twice true time, but for a nanosecond that
// a change rounds, and When is the exact inverse of what it reads.
func TestNoClockDoesWhatNoneCan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Clock
		var now sim.Time
		var read Mono
		look := func(at sim.Time) {
			last := read
			if read = c.Mono(at); read < last || int64(read-last) > 2*int64(at-now)+1 {
				t.Fatalf("the clock went from %d to %d between %d and %d", last, read, now, at)
			}
			now = at
		}
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			change(t, &c, now)
			if d := c.DeviationPPB(now); d < 0 || d > 1e9 {
				t.Fatalf("a deviation of %d ppb", d)
			}
			look(now)
			for range rapid.IntRange(0, 3).Draw(t, "steps") {
				look(min(now+1, sim.Forever))
			}
			look(now.Add(time.Duration(spans().Draw(t, "for"))))
			checkInverse(t, &c, now, Mono(spans().Draw(t, "ahead")))
			checkInverse(t, &c, now, math.MaxInt64-read)
		}
	})
}

// checkInverse asks for the instant at which the clock will have gone on by so much.
func checkInverse(t *rapid.T, c *Clock, now sim.Time, ahead Mono) {
	m := c.Mono(now) + ahead
	got := c.When(now, m)
	switch {
	case got < now || got > sim.Forever:
		t.Fatalf("When(%d, %d) = %d", now, m, got)
	case got == sim.Forever && c.Mono(got-1) >= m && got > now:
		t.Fatalf("When(%d, %d) is never, but the clock comes there", now, m)
	case got != sim.Forever && c.Mono(got) < m:
		t.Fatalf("When(%d, %d) = %d, where it reads %d", now, m, got, c.Mono(got))
	case got > now && c.Mono(got-1) >= m:
		t.Fatalf("When(%d, %d) = %d, but it reads %d before", now, m, got, c.Mono(got-1))
	}
}

// TestSlewWithoutRoom: a clock that cannot run faster waits with what it has to gain; one
// that has a little room takes as long as it must.
func TestSlewWithoutRoom(t *testing.T) {
	var c Clock
	c.SetRate(0, MaxRatePPB)
	c.Slew(0, 30*sec, 10*sec)
	if got, want := c.Mono(sim.Time(10*sec)), Mono(20*sec-10); got != want {
		t.Errorf("it reads %d, want %d", got, want)
	}
	c = Clock{}
	c.SetRate(0, 900_000_000)
	c.Slew(0, 30*sec, 10*sec) // 0.1 a second are left, less one in 1e9
	at := sim.Time(301 * sec)
	if got, want := c.Mono(at), Mono(301*sec+301*sec*9/10+30*sec); got != want {
		t.Errorf("it reads %d, want %d", got, want)
	}
	if early := sim.Time(299 * sec); c.Mono(early) >= Mono(299*sec+299*sec*9/10+30*sec) {
		t.Error("the slew was over too early")
	}
}

// TestStandingClockDeviates by all of true time.
func TestStandingClockDeviates(t *testing.T) {
	for _, counts := range []bool{false, true} {
		c := Clock{CountsSuspend: counts}
		c.SetRate(0, 100)
		c.Freeze(0)
		if d := c.DeviationPPB(0); d != 1e9 {
			t.Errorf("frozen: %d ppb", d)
		}
		c.Thaw(1)
		if d := c.DeviationPPB(1); d != 100 {
			t.Errorf("thawed: %d ppb", d)
		}
		c.Suspend(2)
		want := int64(1e9)
		if counts {
			want = 100
		}
		if d := c.DeviationPPB(2); d != want {
			t.Errorf("suspended, counts %v: %d ppb, want %d", counts, d, want)
		}
	}
}
