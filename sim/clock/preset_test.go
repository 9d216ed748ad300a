package clock

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/sim"
)

func TestPresetsAreComplete(t *testing.T) {
	var names []string
	for _, p := range Presets() {
		names = append(names, p.Name)
		if !strings.Contains(p.Source, "http") || !strings.Contains(p.Source, "20") {
			t.Errorf("%s: the source needs a year and an address: %q", p.Name, p.Source)
		}
		if kind, _, ok := strings.Cut(p.Condition, ": "); !ok || !slices.Contains([]string{"published", "fit", "choice"}, kind) {
			t.Errorf("%s: condition %q", p.Name, p.Condition)
		}
		if got, ok := Preset(p.Name); !ok || got.Source != p.Source {
			t.Errorf("Preset(%q) = %v, %v", p.Name, got, ok)
		}
	}
	want := []string{"clock/aws-timesync", "clock/chrony-dc", "clock/crystal", "clock/jepsen-bump", "clock/leap-smear",
		"clock/leap-system", "clock/ntp-lan", "clock/ntp-wan", "clock/step-chrony", "clock/step-ntpd", "clock/step-timesyncd",
		"clock/truetime"}
	if !slices.Equal(names, want) {
		t.Errorf("presets %v, want %v", names, want)
	}
	if _, ok := Preset("clock/none"); ok {
		t.Error("there is a preset clock/none")
	}
}

const seeds = 200

// TestOffsetsStayWithinTheirBounds: what the sources publish as a bound is never
// exceeded over an hour; and it is not a much smaller number that would do.
func TestOffsetsStayWithinTheirBounds(t *testing.T) {
	for _, c := range []struct {
		name        string
		bound, seen time.Duration // at least this much was seen in one of the runs
	}{
		// An ntpd clock gains up to 1 ppm for an hour against a loop that takes 50
		// minutes: 3 ms more than what it measures.
		{"clock/ntp-lan", 1*ms + 3600*us, 900 * us},
		{"clock/ntp-wan", 50*ms + 3600*us, 10 * ms},
		{"clock/aws-timesync", 1*ms + 48*us, 900 * us},
		{"clock/truetime", 7 * ms, 5 * ms},
	} {
		seen := time.Duration(0)
		for seed := range uint64(seeds) {
			l := begin(preset(t, c.name), seed)
			look := func(at sim.Time) {
				off := time.Duration(abs(int64(l.off(at))))
				if seen = max(seen, off); off > c.bound {
					t.Fatalf("%s, seed %d: off by %v at %v", c.name, seed, off, at)
				}
			}
			look(0)
			l.run(time.Hour, func(_ Turn, at sim.Time, _ bool) { look(at) })
			look(sim.Time(time.Hour))
		}
		if seen < c.seen {
			t.Errorf("%s: no more than %v was ever seen", c.name, seen)
		}
	}
}

// TestTrueTimeSawtooth: the error is at most 1 ms plus 200 us for every second since the
// last poll, and polls are 30 s apart.
func TestTrueTimeSawtooth(t *testing.T) {
	for seed := range uint64(seeds) {
		l := begin(preset(t, "clock/truetime"), seed)
		last := sim.Time(-1)
		l.run(10*time.Minute, func(turn Turn, at sim.Time, done bool) {
			if turn != Poll {
				t.Fatalf("turn %d", turn)
			}
			if !done {
				if last >= 0 && at.Sub(last) != 30*sec {
					t.Fatalf("polls at %v and %v", last, at)
				}
				since := at.Sub(max(last, 0))
				if off := l.off(at); abs(int64(off)) > int64(ms)+int64(since)/5000+1 {
					t.Fatalf("off by %v, %v after a poll", off, since)
				}
				return
			}
			if off := l.off(at); abs(int64(off)) > int64(ms) {
				t.Fatalf("off by %v right after a poll", off)
			}
			last = at
		})
	}
}

// TestSteps: when a clock is stepped, and that it is right then, to within the noise of a
// measurement. Until then the offset is what it was, to within a drift of 1 ppm.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, last time.Duration // bounds of the instant of the step
		noise       time.Duration
	}{
		// The run begins anywhere in the 300 s that ntpd waits, and polls are 64 s apart.
		{"clock/step-ntpd", 1, 364 * sec, ms},
		{"clock/step-timesyncd", 1, 32 * sec, 50 * ms},
		{"clock/step-chrony", 1, 64 * sec, ms},
	} {
		early, late := 0, 0
		for seed := range uint64(seeds) {
			l := begin(preset(t, c.name), seed)
			start, before, steps := l.off(0), time.Duration(0), 0
			l.run(c.last+sec, func(_ Turn, at sim.Time, done bool) {
				if !done {
					before = l.off(at)
					return
				}
				if jump := l.off(at) - before; jump != 0 {
					steps++
					if drift := before - start; abs(int64(drift)) > int64(at)/1e6+1 {
						t.Fatalf("%s, seed %d: off by %v before the step, %v at the start", c.name, seed, before, start)
					}
					if abs(int64(l.off(at))) > int64(c.noise) || at < sim.Time(c.first) || at > sim.Time(c.last) {
						t.Fatalf("%s, seed %d: stepped at %v, off by %v then", c.name, seed, at, l.off(at))
					}
					if at < sim.Time(c.last/2) {
						early++
					} else {
						late++
					}
				}
			})
			if steps != 1 {
				t.Fatalf("%s, seed %d: %d steps", c.name, seed, steps)
			}
		}
		if early < seeds/4 || late < seeds/4 {
			t.Errorf("%s: %d steps in the first half of the time, %d in the second", c.name, early, late)
		}
	}
}

// TestChronyStepsAtTheStartOnly: an offset that comes after three measurements is slewed,
// at a twelfth, 83333 ppm: half a second in 6 s. After a restart it would be stepped.
func TestChronyStepsAtTheStartOnly(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		l := begin(preset(t, "clock/step-chrony"), 5)
		polls := 0
		l.run(4*64*sec, func(_ Turn, at sim.Time, done bool) {
			if !done {
				return
			}
			if polls++; polls == 3 {
				l.clock.Step(500 * ms)
				if restarts {
					l.course.Restart()
				}
			}
			if polls != 4 {
				return
			}
			off := l.off(at)
			if restarts {
				if abs(int64(off)) > int64(ms) {
					t.Errorf("after a restart: off by %v", off)
				}
				return
			}
			if off < 498*ms {
				t.Errorf("off by %v after the poll: stepped", off)
			}
			if deviation := l.clock.DeviationPPB(at); deviation < 83_300_000 || deviation > 83_334_000 {
				t.Errorf("slewed at %d ppb", deviation)
			}
			if off := l.off(at.Add(7 * sec)); abs(int64(off)) > int64(ms)+100 {
				t.Errorf("off by %v after the slew", off)
			}
		})
		if polls < 4 {
			t.Fatalf("%d polls", polls)
		}
	}
}
