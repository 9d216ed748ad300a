package clock

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// life runs a course, all alone, and shows the clock at every turn, right before and
// right after it.
type life struct {
	clock  Clock
	course Course
	next   [Turns]sim.Time
}

func begin(p PresetInfo, seed uint64) *life {
	l := &life{}
	l.course.Begin(&l.clock, p, seed, nil)
	for turn := range l.next {
		l.next[turn] = l.course.First(Turn(turn), 0)
	}
	return l
}

// run goes on to an instant. See is told of each turn, before it with done false.
func (l *life) run(until time.Duration, see func(turn Turn, at sim.Time, done bool)) {
	for {
		turn := 0
		for i := range l.next {
			if l.next[i] < l.next[turn] {
				turn = i
			}
		}
		at := l.next[turn]
		if at > sim.Time(until) {
			return
		}
		see(Turn(turn), at, false)
		l.course.Take(Turn(turn), &l.clock, at)
		see(Turn(turn), at, true)
		l.next[turn] = l.course.Next(Turn(turn), at)
	}
}

// off is how far the wall clock is from true time.
func (l *life) off(at sim.Time) time.Duration { return l.clock.Wall(at).Sub(Wall(at)) }

func preset(t *testing.T, name string) PresetInfo {
	t.Helper()
	p, ok := Preset(name)
	if !ok {
		t.Fatalf("no preset %s", name)
	}
	return p
}

// TestLeapSeconds: one clock falls back by a second at once, the other is at every
// instant where the line from noon to noon has it. Before and after they agree.
func TestLeapSeconds(t *testing.T) {
	midnight := sim.Time(30 * sec)
	noon := midnight.Add(12 * time.Hour)
	system, smeared := begin(preset(t, "clock/leap-system"), 1), begin(preset(t, "clock/leap-smear"), 1)
	see := func(Turn, sim.Time, bool) {}
	for _, at := range []sim.Time{0, midnight - 1, midnight, midnight + 1, noon - 1, noon, noon + sim.Time(time.Hour)} {
		system.run(time.Duration(at), see)
		smeared.run(time.Duration(at), see)
		want := time.Duration(0)
		if at >= midnight {
			want = -sec
		}
		if off := system.off(at); off != want {
			t.Errorf("at %v the system's clock is off by %v, want %v", at, off, want)
		}
		since := int64(at.Sub(midnight)) + int64(12*time.Hour) // since the noon before
		line := -time.Duration(min(since, int64(24*time.Hour))/86_400 + 1)
		if off := smeared.off(at); off < line-1 || off > line+1 {
			t.Errorf("at %v the smeared clock is off by %v, want %v", at, off, line)
		}
	}
	if off := smeared.off(noon); off != -sec {
		t.Errorf("after the smear the clock is off by %v", off)
	}
	if d := smeared.clock.DeviationPPB(0); d != 11_575 { // 1 s a day
		t.Errorf("the smear is %d ppb", d)
	}
	if system.course.Changes() != 1 || smeared.course.Changes() != 1 {
		t.Errorf("%d and %d changes", system.course.Changes(), smeared.course.Changes())
	}
}

// TestSmearThatBeginsInTheRun is not half done at its start.
func TestSmearThatBeginsInTheRun(t *testing.T) {
	l := begin(PresetInfo{Leap: Leap{At: rng.Constant(time.Minute), By: sec, Smear: 100 * sec}}, 1)
	see := func(Turn, sim.Time, bool) {}
	if off := l.off(sim.Time(10 * sec)); off != 0 {
		t.Errorf("off by %v before the smear", off)
	}
	l.run(time.Hour, see)
	for at, want := range map[time.Duration]time.Duration{60 * sec: -500 * ms, 110 * sec: -sec, time.Hour: -sec} {
		if off := l.off(sim.Time(at)); off != want {
			t.Errorf("at %v off by %v, want %v", at, off, want)
		}
	}
}

// TestBumps: sizes from 4 ms to 262 s, as many above 2^10 ms as below, either way.
func TestBumps(t *testing.T) {
	ahead, large, n := 0, 0, 0
	for seed := range uint64(20) {
		l := begin(preset(t, "clock/jepsen-bump"), seed)
		before := time.Duration(0)
		l.run(30*time.Minute, func(turn Turn, at sim.Time, done bool) {
			if !done {
				before = l.off(at)
				return
			}
			n++
			by := l.off(at) - before
			if size := time.Duration(abs(int64(by))); size < 4*ms || size > 262144*ms {
				t.Fatalf("a bump of %v", by)
			} else if size >= 1024*ms {
				large++
			}
			if by > 0 {
				ahead++
			}
		})
	}
	// 20 runs of 1800 s with a bump each 10 s on average; five standard errors of a half.
	if n < 3300 || n > 3900 || abs(int64(2*ahead-n)) > 300 || abs(int64(2*large-n)) > 300 {
		t.Errorf("%d bumps, %d ahead, %d large", n, ahead, large)
	}
}

// TestCrystal: the rate is anywhere up to 500 ppm, half of them below 30, and wanders by
// no more than 1 ppm.
func TestCrystal(t *testing.T) {
	slow, positive := 0, 0
	for seed := range uint64(2000) {
		l := begin(preset(t, "clock/crystal"), seed)
		rate := l.clock.Rate()
		if abs(rate) > 500_000 {
			t.Fatalf("a rate of %d ppb", rate)
		}
		if abs(rate) < 30_000 {
			slow++
		}
		if rate > 0 {
			positive++
		}
		l.run(10*time.Minute, func(_ Turn, at sim.Time, done bool) {
			if done && abs(l.clock.Rate()-rate) > 1000 {
				t.Fatalf("a rate of %d ppb has become %d", rate, l.clock.Rate())
			}
		})
		if l.course.Changes() != 10 {
			t.Fatalf("%d changes in ten minutes", l.course.Changes())
		}
	}
	if slow < 890 || slow > 1110 || positive < 890 || positive > 1110 {
		t.Errorf("of 2000, %d are below 30 ppm and %d positive", slow, positive)
	}
}
