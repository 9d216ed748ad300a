package host

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/rng"
)

// TestTimersKeepLocalTime: whatever the clock does while they wait, timers come when the
// host's own clock reads what they are set for, and at no instant earlier.
func TestTimersKeepLocalTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig()
		defer r.fleet.Close()
		h := r.fleet.NewHost("host")
		h.Clock.CountsSuspend = rapid.Bool().Draw(t, "counts")
		s := r.script()
		changed := sim.Time(0) // before that the clock does not know what it read
		change := func(when time.Duration, how func()) {
			s.do(when, func() { changed = r.world.Now(); how() })
		}
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			when := time.Duration(rapid.IntRange(0, 50).Draw(t, "at")) * ms
			length := time.Duration(rapid.IntRange(1, 60).Draw(t, "length")) * ms
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				rate := rapid.Int64Range(-900_000_000, 900_000_000).Draw(t, "rate")
				change(when, func() { h.SetRate(rate) })
			case 1:
				by := time.Duration(rapid.Int64Range(-30, 30).Draw(t, "by")) * ms
				change(when, func() { h.Slew(by, length) })
			case 2:
				change(when, h.Freeze)
				change(when+length, h.Thaw)
			case 3:
				change(when, func() { h.Clock.Step(time.Hour); h.FreezeWall() })
				change(when+length, h.Thaw)
			case 4:
				change(when, func() { h.Suspend(at(when + length)) })
				change(when+length, func() {})
			}
		}
		due := time.Duration(rapid.IntRange(0, 50).Draw(t, "due")) * ms
		fired := 0
		check := func(what string) {
			fired++
			if reads := time.Duration(h.Mono()); reads < due {
				t.Fatalf("%s at %v on the host's clock, %v too early", what, reads, due-reads)
			}
			resumed := h.Covered() > 0 // it may have been due for a while
			if now := r.world.Now(); now > changed && !resumed && time.Duration(h.Clock.Mono(now-1)) >= due {
				t.Fatalf("%s after %v, when the clock had read %v before", what, now, due)
			}
		}
		h.Server = onTimer(func() { check("the server's timer") })
		h.After(due, 0)
		h.Go("sleeper", func(p *Process) {
			p.Sleep(due)
			check("the sleeper")
		})
		r.run(10 * time.Second)
		if fired != 2 {
			t.Fatalf("%d of 2 timers came", fired)
		}
	})
}

// TestFrozenHost: no timer comes, messages are handled, and a sleep goes on with the clock.
func TestFrozenHost(t *testing.T) {
	r, d, message := newDiary()
	d.host.After(20*ms, 1)
	message(30*ms, 2)
	s := r.script()
	s.do(10*ms, d.host.Freeze)
	s.do(15*ms, func() { d.host.After(5*ms, 3) })
	s.do(100*ms, d.host.Thaw)
	r.world.Run(sim.Forever) // also the end of time brings no timer of a clock that stands
	if want := []string{"m2@30", "t3@105", "t1@110"}; !slices.Equal(d.got, want) {
		t.Errorf("%v, want %v", d.got, want)
	}
	s.do(200*ms, d.host.Freeze)
	d.host.After(500*ms, 4)
	r.world.Run(sim.Forever)
	if len(d.got) != 3 {
		t.Errorf("%v: a timer of a clock that stands", d.got)
	}
}

// TestRhoIsWatched: a change that takes the clock beyond the declared bound is counted and
// traced, one within it is not.
func TestRhoIsWatched(t *testing.T) {
	r := newRig()
	h := r.fleet.NewHost("host")
	r.fleet.RhoPPB = 100_000
	for i, c := range []struct {
		do   func()
		want uint64
	}{
		{func() { h.SetRate(100_000) }, 0},
		{func() { h.SetRate(-100_001) }, 1},
		{func() { h.SetRate(50_000) }, 1},
		{func() { h.Slew(50*time.Microsecond, time.Second) }, 1},
		{func() { h.Slew(51*time.Microsecond, time.Second) }, 2},
		{func() { h.Slew(-150*time.Microsecond, time.Second) }, 2},
		{func() { h.Freeze() }, 3},
		{func() { h.Thaw() }, 3},
		{func() { h.Suspend(at(time.Second)) }, 4},
	} {
		c.do()
		if got := h.BeyondRho(); got != c.want {
			t.Errorf("step %d: %d times beyond the bound, want %d", i, got, c.want)
		}
	}
	r.fleet.Reset()
	r.fleet.RhoPPB = 0
	h.SetRate(900_000_000)
	if h.BeyondRho() != 0 {
		t.Error("a bound that nobody declared was exceeded")
	}
}

// TestJitterIsThePrograms: what a program reads jitters, what the tests and reports ask
// the clock for does not. A reset ends it.
func TestJitterIsThePrograms(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	h := r.fleet.NewHost("host")
	j := &clock.Jitter{Dist: rng.Uniform(1, ms), Key: 7}
	h.AddJitter(j)
	h.Go("p", func(p *Process) {
		for range 20 {
			p.Sleep(ms)
			if off := p.Wall().Sub(h.Clock.Wall(r.world.Now())); off == 0 || off > ms || off < -ms {
				t.Errorf("a read is off by %v", off)
			}
		}
	})
	r.run(time.Second)
	h.RemoveJitter(j)
	if off := h.Wall().Sub(h.Clock.Wall(r.world.Now())); off != 0 || j.Reads != 20 {
		t.Errorf("off by %v, %d reads with jitter", off, j.Reads)
	}
	h.AddJitter(j)
	r.reset(1)
	if h.Wall() != 0 || j.Reads != 20 {
		t.Errorf("it reads %d after a reset", h.Wall())
	}
}
