package host

import (
	"slices"
	"testing"
	"time"

	"fencepost/sim"
)

// TestSuspensionDelaysWhatBecomesDue, in all wake orders. On Linux the timers are late by
// the whole suspension: there is nothing to order but messages.
func TestSuspensionDelaysWhatBecomesDue(t *testing.T) {
	for _, c := range []struct {
		wake   Wake
		counts bool
		want   []string
	}{
		{DueOrder, false, []string{"t1@5", "m2@20", "m4@20", "t3@22", "t5@24", "m6@25"}},
		{TimersFirst, false, []string{"t1@5", "m2@20", "m4@20", "t3@22", "t5@24", "m6@25"}},
		{MessagesFirst, false, []string{"t1@5", "m2@20", "m4@20", "t3@22", "t5@24", "m6@25"}},
		{DueOrder, true, []string{"t1@5", "m2@20", "t3@20", "m4@20", "t5@20", "m6@25"}},
		{TimersFirst, true, []string{"t1@5", "t3@20", "t5@20", "m2@20", "m4@20", "m6@25"}},
		{MessagesFirst, true, []string{"t1@5", "m2@20", "m4@20", "t3@20", "t5@20", "m6@25"}},
	} {
		r, d, message := newDiary()
		r.fleet.Wake = c.wake
		d.host.Clock.CountsSuspend = c.counts
		d.host.After(5*ms, 1)
		message(11*ms, 2)
		d.host.After(12*ms, 3)
		message(13*ms, 4)
		d.host.After(14*ms, 5)
		message(25*ms, 6)
		s := r.script()
		s.do(10*ms, func() { d.host.Suspend(at(20 * ms)) })
		s.do(15*ms, func() {
			if d.host.State() != Suspended {
				t.Errorf("%v, want suspended", d.host.State())
			}
		})
		r.run(time.Second)
		if !slices.Equal(d.got, c.want) || d.host.Covered() != 4 {
			t.Errorf("wake order %d, counts %v: %v, %d covered, want %v and 4", c.wake, c.counts, d.got, d.host.Covered(), c.want)
		}
	}
}

// TestWhatASleeperSees: of a suspension of 5 s in a sleep of 10 s a program on Linux sees
// nothing but the wall clock, which says that 15 s have passed. Where the monotonic clock
// counts, the sleep is over when it was due. Work takes as much longer either way.
func TestWhatASleeperSees(t *testing.T) {
	for _, c := range []struct {
		counts                   bool
		slept, mono, wall, works time.Duration
	}{
		{false, 15 * time.Second, 10 * time.Second, 15 * time.Second, 15 * time.Second},
		{true, 10 * time.Second, 10 * time.Second, 10 * time.Second, 15 * time.Second},
	} {
		r := newRig()
		h := r.fleet.NewHost("host")
		h.Clock.CountsSuspend = c.counts
		var slept, mono, wall, works time.Duration
		h.Go("sleeper", func(p *Process) {
			p.Sleep(10 * time.Second)
			slept, mono, wall = r.world.Now().Duration(), time.Duration(p.Now()), time.Duration(p.Wall())
		})
		h.Go("worker", func(p *Process) {
			p.Work(10 * time.Second)
			works = r.world.Now().Duration()
		})
		r.script().do(3*time.Second, func() { h.Suspend(at(8 * time.Second)) })
		r.run(time.Minute)
		if slept != c.slept || mono != c.mono || wall != c.wall || works != c.works {
			t.Errorf("counts %v: slept until %v, clocks %v and %v, worked until %v", c.counts, slept, mono, wall, works)
		}
		r.fleet.Close()
	}
}

// TestCoveredBySuspension: a timer that waits is put off, but not one on a clock that
// counts, which has to come due in the suspension.
func TestCoveredBySuspension(t *testing.T) {
	for _, c := range []struct {
		due     time.Duration
		counts  bool
		covered uint64
	}{
		{19 * ms, false, 1}, {20 * ms, false, 1}, {21 * ms, false, 1}, {10 * ms, false, 1}, {9 * ms, false, 0},
		{19 * ms, true, 1}, {20 * ms, true, 0}, {21 * ms, true, 0},
	} {
		r, d, _ := newDiary()
		d.host.Clock.CountsSuspend = c.counts
		d.host.After(c.due, 1)
		r.script().do(10*ms, func() { d.host.Suspend(at(20 * ms)) })
		r.run(time.Second)
		if len(d.got) != 1 || d.host.Covered() != c.covered {
			t.Errorf("due at %v, counts %v: %v, %d covered, want %d", c.due, c.counts, d.got, d.host.Covered(), c.covered)
		}
	}
}

// TestPauseAndSuspensionOverlap: the host goes on when both are over; the clock stands for
// the suspension alone.
func TestPauseAndSuspensionOverlap(t *testing.T) {
	for _, c := range []struct {
		pause, suspend [2]time.Duration
		state          [3]State // at 12, 17 and 22 ms
		want           string   // of a timer due at 30 ms, set at the start
	}{
		{[2]time.Duration{10 * ms, 20 * ms}, [2]time.Duration{15 * ms, 18 * ms}, [3]State{Paused, Suspended, Running}, "t1@33"},
		{[2]time.Duration{10 * ms, 20 * ms}, [2]time.Duration{15 * ms, 25 * ms}, [3]State{Paused, Suspended, Suspended}, "t1@40"},
		{[2]time.Duration{15 * ms, 25 * ms}, [2]time.Duration{10 * ms, 20 * ms}, [3]State{Suspended, Suspended, Paused}, "t1@40"},
		{[2]time.Duration{15 * ms, 18 * ms}, [2]time.Duration{10 * ms, 20 * ms}, [3]State{Suspended, Suspended, Running}, "t1@40"},
		{[2]time.Duration{10 * ms, 45 * ms}, [2]time.Duration{10 * ms, 20 * ms}, [3]State{Suspended, Suspended, Paused}, "t1@45"},
	} {
		r, d, _ := newDiary()
		d.host.After(30*ms, 1)
		s := r.script()
		s.do(c.pause[0], func() { d.host.Pause(at(c.pause[1])) })
		s.do(c.suspend[0], func() { d.host.Suspend(at(c.suspend[1])) })
		for i, when := range []time.Duration{12 * ms, 17 * ms, 22 * ms} {
			s.do(when, func() {
				if got := d.host.State(); got != c.state[i] {
					t.Errorf("%+v: %v at %v", c, got, when)
				}
				paused, asleep := d.host.StandsUntil()
				if paused != inForce(c.pause, when) || asleep != inForce(c.suspend, when) {
					t.Errorf("%+v: paused until %v, asleep until %v at %v", c, paused, asleep, when)
				}
			})
		}
		r.run(time.Second)
		if !slices.Equal(d.got, []string{c.want}) {
			t.Errorf("%+v: %v", c, d.got)
		}
	}
}

// inForce is when a window ends that an instant lies in, else 0.
func inForce(window [2]time.Duration, instant time.Duration) sim.Time {
	if window[0] <= instant && instant < window[1] {
		return at(window[1])
	}
	return 0
}

// TestCrashEndsASuspension: the new incarnation's clock runs, and no halt of the old one
// holds it up.
func TestCrashEndsASuspension(t *testing.T) {
	r, d, _ := newDiary()
	s := r.script()
	s.do(10*ms, func() { d.host.Suspend(at(500 * ms)); d.host.Pause(at(600 * ms)) })
	s.do(20*ms, func() { d.host.Crash(LoseMemory); d.host.Restart(false); d.host.After(5*ms, 1) })
	s.do(30*ms, func() { d.host.Pause(at(40 * ms)) })
	s.do(31*ms, func() { d.host.After(ms, 2) })
	s.do(50*ms, func() { d.host.Suspend(at(60 * ms)) })
	s.do(51*ms, func() { d.host.After(ms, 3) })
	s.do(25*ms, func() {
		if paused, asleep := d.host.StandsUntil(); paused != 0 || asleep != 0 {
			t.Errorf("paused until %v, asleep until %v after a crash", paused, asleep)
		}
	})
	r.run(time.Second)
	if want := []string{"t1@25", "t2@40", "t3@61"}; !slices.Equal(d.got, want) {
		t.Errorf("%v, want %v", d.got, want)
	}
}
