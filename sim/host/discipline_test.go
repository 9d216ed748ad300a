package host

import (
	"fmt"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/rng"
)

// stepped is a clock that its daemon steps: off by a second, polled every 10 s.
func stepped() clock.PresetInfo {
	return clock.PresetInfo{
		Offset:     clock.Spread{Size: rng.Constant(time.Second)},
		Discipline: clock.Discipline{Poll: rng.Constant(10 * time.Second), SlewPPB: 500_000, StepFrom: 100 * ms},
	}
}

// TestDaemonStopsWithItsHost: it polls when the host goes on, not in between; a crash ends
// it, and it starts anew with its host.
func TestDaemonStopsWithItsHost(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(h *Host)
		want sim.Time // the step comes then, 0 for in the first ten seconds
	}{
		{"runs", func(*Host) {}, 0},
		{"paused", func(h *Host) { h.Pause(at(30 * time.Second)) }, at(30 * time.Second)},
		{"suspended", func(h *Host) { h.Suspend(at(30 * time.Second)) }, at(30 * time.Second)},
		{"crashed", func(h *Host) { h.Crash(LoseMemory) }, -1},
		{"restarted", func(h *Host) { h.Crash(LoseMemory); h.RestartAt(at(50*time.Second), false) }, at(60 * time.Second)},
	} {
		r := newRig()
		h := r.fleet.NewHost("host")
		r.reset(1)
		h.Discipline(stepped(), 1)
		c.do(h)
		corrected := sim.Time(-1)
		for now := sim.Time(0); now <= at(time.Minute); now += sim.Time(100 * ms) {
			r.world.Run(now)
			if h.Clock.Wall(now).Sub(clock.Wall(now)) == 0 {
				corrected = now
				break
			}
		}
		low, high := c.want, c.want
		switch {
		case c.want == 0:
			low, high = 1, at(10*time.Second)
		case c.want > at(30*time.Second):
			low = c.want - at(10*time.Second)
		}
		if corrected < low || corrected > high {
			t.Errorf("%s: corrected at %v", c.name, corrected)
		}
		if h.Covered() != 0 {
			t.Errorf("%s: %d covered, of a host that has nothing to do", c.name, h.Covered())
		}
		if changed := h.ClockChanges() > 0; changed != (corrected >= 0) {
			t.Errorf("%s: changed %v", c.name, changed)
		}
	}
}

// TestOneDaemonPolls: that of the old incarnation is dead when the new one starts.
func TestOneDaemonPolls(t *testing.T) {
	r := newRig()
	h := r.fleet.NewHost("host")
	r.reset(1)
	h.Discipline(stepped(), 1)
	s := r.script()
	for i := range 5 {
		s.do(time.Duration(i)*ms, func() { h.Crash(LoseMemory); h.Restart(false) })
	}
	r.run(99 * time.Second)
	if n := h.ClockChanges(); n < 9 || n > 10 {
		t.Errorf("%d corrections in 99 s", n)
	}
}

// TestHostsHaveClocksOfTheirOwn, under one preset and one seed.
func TestHostsHaveClocksOfTheirOwn(t *testing.T) {
	crystal, _ := clock.Preset("clock/crystal")
	r := newRig()
	a, b := r.fleet.NewHost("a"), r.fleet.NewHost("b")
	r.reset(1)
	a.Discipline(crystal, 1)
	b.Discipline(crystal, 1)
	if a.Clock.Rate() == b.Clock.Rate() {
		t.Errorf("both run at %d ppb", a.Clock.Rate())
	}
}

// TestTimersFollowTheCourse of a clock: they come when it reads what they are set for.
func TestTimersFollowTheCourse(t *testing.T) {
	wild := clock.Wander{Every: 10 * ms, By: clock.Spread{Size: rng.Uniform(0, 900*ms)}} // up to 90 %
	slewed := stepped().Discipline
	slewed.Poll, slewed.StepFrom, slewed.SlewPPB = rng.Constant(10*ms), 0, 500_000_000
	for _, p := range []clock.PresetInfo{{Wander: wild}, {Offset: clock.Spread{Size: rng.Constant(ms)}, Discipline: slewed}} {
		for seed := range uint64(20) {
			r, d, _ := newDiary()
			r.reset(seed)
			d.host.Discipline(p, seed)
			due := clock.Mono(105 * ms)
			d.on = func(string) {
				now := r.world.Now()
				if d.host.Mono() < due || d.host.Clock.Mono(now-1) >= due {
					t.Errorf("seed %d: at %v the clock reads %d after %d", seed, now, d.host.Mono(), d.host.Clock.Mono(now-1))
				}
			}
			d.host.At(due, 1)
			r.run(10 * time.Second)
			if len(d.got) != 1 {
				t.Errorf("seed %d: %v", seed, d.got)
			}
		}
	}
}

// TestDaemonWakesInOrder: a late poll is one of the timers.
func TestDaemonWakesInOrder(t *testing.T) {
	for wake, want := range map[Wake]time.Duration{DueOrder: time.Second, TimersFirst: 0, MessagesFirst: time.Second} {
		r, d, message := newDiary()
		r.fleet.Wake = wake
		r.reset(1)
		off := time.Duration(-1)
		d.on = func(string) {
			now := r.world.Now()
			off = max(d.host.Clock.Wall(now).Sub(clock.Wall(now)), clock.Wall(now).Sub(d.host.Clock.Wall(now)))
		}
		p := stepped()
		p.Discipline.Poll = rng.Constant(10 * ms)
		d.host.Discipline(p, 1)
		d.host.Pause(at(20 * ms))
		message(ms, 1)
		r.run(time.Second)
		if first := r.world.Now(); first == 0 || off != want {
			t.Errorf("wake order %d: off by %v when the message was handled, want %v", wake, off, want)
		}
	}
}

// TestClocksHappenToHosts whatever these do: a leap second in a pause, bumps of a crashed
// machine. And what they draw does not depend on other hosts.
func TestClocksHappenToHosts(t *testing.T) {
	leap, _ := clock.Preset("clock/leap-system")
	crystal, _ := clock.Preset("clock/crystal")
	bump, _ := clock.Preset("clock/jepsen-bump")
	run := func(others int) string {
		r := newRig()
		a, b, c := r.fleet.NewHost("a"), r.fleet.NewHost("b"), r.fleet.NewHost("c")
		for i := range others {
			r.fleet.NewHost(fmt.Sprint("other ", i))
		}
		r.reset(1)
		for i := range others {
			r.fleet.Hosts[3+i].Discipline(bump, 9)
		}
		a.Discipline(leap, 9)
		b.Discipline(bump, 9)
		c.Discipline(crystal, 9)
		a.Pause(at(time.Minute))
		b.Crash(LoseMemory)
		r.run(2 * time.Minute)
		if off := a.Clock.Wall(r.world.Now()).Sub(clock.Wall(r.world.Now())); off != -time.Second {
			t.Errorf("the leap second: off by %v", off)
		}
		if b.ClockChanges() < 3 || c.ClockChanges() != 2 {
			t.Errorf("%d bumps, %d changes of the rate", b.ClockChanges(), c.ClockChanges())
		}
		return fmt.Sprint(b.Clock.Wall(r.world.Now()), c.Clock.Wall(r.world.Now()))
	}
	if one, two := run(0), run(2); one != two {
		t.Errorf("other hosts shift the clocks: %s and %s", one, two)
	}
}

// TestAPollIsNoDifference: a pause that is made longer while nothing but a poll waits for its
// end has covered nothing.
func TestAPollIsNoDifference(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	h := r.fleet.NewHost("host")
	r.reset(1)
	h.Discipline(stepped(), 1)
	h.Pause(at(30 * time.Second))
	r.run(20 * time.Second)
	if len(h.halt.backlog) == 0 {
		t.Fatal("no poll waits")
	}
	h.Pause(at(40 * time.Second))
	if n := h.Covered(); n != 0 {
		t.Errorf("covered %d", n)
	}
}
