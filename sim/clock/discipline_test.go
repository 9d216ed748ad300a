package clock

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// TestDecisions compares with the rules read off the configuration one by one, over whole
// histories of offsets.
func TestDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Discipline{
			SlewPPB:     500_000,
			StepFrom:    time.Duration(rapid.IntRange(0, 3).Draw(t, "step")) * 100 * ms,
			StepUpdates: uint64(rapid.IntRange(0, 3).Draw(t, "updates")),
			StepOut:     time.Duration(rapid.IntRange(0, 3).Draw(t, "stepout")) * 100 * sec,
			Panic:       time.Duration(rapid.IntRange(0, 1).Draw(t, "panic")) * 900 * ms,
		}
		type seen struct {
			at     sim.Time
			offset time.Duration
			does   remedy
		}
		var history []seen
		m := daemon{synced: rapid.Bool().Draw(t, "synced")}
		fresh := !m.synced
		for i := range 12 {
			at := sim.Time(time.Duration(i) * 64 * sec)
			offset := time.Duration(rapid.IntRange(-10, 10).Draw(t, "offset")) * 100 * ms
			got := m.decide(&d, offset, at)
			history = append(history, seen{at, offset, got})

			want := slewAway
			size := max(offset, -offset)
			if d.StepFrom > 0 && size >= d.StepFrom && (d.StepUpdates == 0 || i < int(d.StepUpdates)) {
				// How long have offsets been so large, with nothing done about them?
				first := i
				for first > 0 && history[first-1].does == wait {
					first--
				}
				if want = step; at.Sub(history[first].at) < d.StepOut && !(fresh && i == 0) {
					want = wait
				}
			}
			if d.Panic > 0 && size > d.Panic {
				want = exit
			}
			if got != want {
				t.Fatalf("%+v: %+v, want %d", d, history, want)
			}
			if got == exit {
				return
			}
		}
	})
}

// TestPanickedDaemonIsGone: nothing corrects the clock any more, until the host restarts.
func TestPanickedDaemonIsGone(t *testing.T) {
	p := preset(t, "clock/ntp-lan")
	p.Offset = Spread{Size: rng.Constant(1001 * sec)}
	l := begin(p, 3)
	polls := 0
	count := func(_ Turn, _ sim.Time, done bool) {
		if done {
			polls++
		}
	}
	l.run(time.Hour, count)
	if polls != 1 || l.course.Changes() != 0 {
		t.Errorf("%d polls and %d changes, want one poll and none", polls, l.course.Changes())
	}
	l.course.Restart()
	l.clock.Step(-l.off(sim.Time(time.Hour)))
	l.next[Poll] = l.course.First(Poll, sim.Time(time.Hour))
	l.run(2*time.Hour, count)
	if polls < 50 || l.course.Changes() < 50 {
		t.Errorf("%d polls and %d changes after the restart", polls, l.course.Changes())
	}
}

// TestFreshDaemonSteps: ntpd waits for 300 s of large offsets once it is synchronised, but
// steps at the first measurement after its start.
func TestFreshDaemonSteps(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		l := begin(preset(t, "clock/ntp-lan"), 5)
		polls := 0
		l.run(9*64*sec, func(_ Turn, at sim.Time, done bool) {
			if !done {
				return
			}
			if polls++; polls == 2 {
				l.clock.Step(500 * ms)
				if restarts {
					l.course.Restart()
				}
			}
			if polls < 3 {
				return
			}
			// Large at 64, 128, 192, 256, 320 and 384 s, so for 320 s at the sixth.
			stepped := polls >= 8 || restarts
			if off := l.off(at); (abs(int64(off)) <= 2*int64(ms)) != stepped {
				t.Errorf("restarted %v: off by %v after %d polls", restarts, off, polls-2)
			}
		})
		if polls < 8 {
			t.Fatalf("%d polls", polls)
		}
	}
}

// TestWaitingDaemonLeavesTheClock as it is, its rate included.
func TestWaitingDaemonLeavesTheClock(t *testing.T) {
	waited := 0
	for seed := range uint64(seeds) {
		l := begin(preset(t, "clock/step-ntpd"), seed)
		rate, before := l.clock.Rate(), time.Duration(0)
		l.run(364*sec, func(_ Turn, at sim.Time, done bool) {
			if !done {
				before = l.off(at)
				return
			}
			if l.course.Changes() > 0 || l.off(at) != before {
				return
			}
			if waited++; l.clock.Rate() != rate {
				t.Fatalf("seed %d: %d ppb at the start, %d while it waits", seed, rate, l.clock.Rate())
			}
		})
	}
	if waited < seeds {
		t.Errorf("%d polls without an update", waited)
	}
}

// TestStepEndsTheSlew: what a slew had still to do is part of the offset that is stepped.
func TestStepEndsTheSlew(t *testing.T) {
	l := begin(PresetInfo{
		Offset: Spread{Size: rng.Constant(50 * ms)},
		Discipline: Discipline{Poll: rng.Constant(10 * sec), SlewPPB: 1_000_000, SlewOver: 1000 * sec,
			StepFrom: 100 * ms},
	}, 1)
	polls := 0
	l.run(time.Minute, func(_ Turn, at sim.Time, done bool) {
		if !done {
			return
		}
		switch polls++; polls {
		case 2:
			l.clock.Step(time.Second)
		case 3:
			if off := l.off(at.Add(5 * sec)); off != 0 {
				t.Errorf("off by %v five seconds after the step", off)
			}
		}
	})
	if polls < 3 {
		t.Errorf("%d polls", polls)
	}
}

// TestSlewsAreLimited: 500 ppm is 33 minutes for a second (ntpd's documentation, clock
// state machine); an offset that is small takes the loop's own time.
func TestSlewsAreLimited(t *testing.T) {
	d := byNTPD(withinLAN)
	for offset, want := range map[time.Duration]time.Duration{
		10 * sec: 20_000 * sec, -10 * sec: 20_000 * sec, sec: 50 * time.Minute, 1: 50 * time.Minute,
	} {
		if got := d.slewTime(offset); got != want {
			t.Errorf("%v takes %v, want %v", offset, got, want)
		}
	}
}

// TestCoursesAreKeyed: a course is the same for the same seed, and another for another.
func TestCoursesAreKeyed(t *testing.T) {
	for _, p := range Presets() {
		trace := func(seed uint64) (all []Wall) {
			l := begin(p, seed)
			l.run(20*time.Minute, func(_ Turn, at sim.Time, _ bool) { all = append(all, l.clock.Wall(at), Wall(at)) })
			return append(all, l.clock.Wall(sim.Time(20*time.Minute)))
		}
		one, again, other := trace(1), trace(1), trace(2)
		if !slices.Equal(one, again) {
			t.Errorf("%s: two runs of a seed differ", p.Name)
		}
		same := slices.Equal(one, other)
		if fixed := p.Leap.By != 0; same != fixed {
			t.Errorf("%s: two seeds are the same: %v", p.Name, same)
		}
	}
}
