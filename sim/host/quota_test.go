package host

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
)

// TestQuotaIsExact compares with a processor that hands out nanosecond by nanosecond: each
// process that computes takes one from the budget, and when that is gone nobody goes on
// until the next period.
func TestQuotaIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		period := rapid.Int64Range(1, 60).Draw(t, "period")
		budget := rapid.Int64Range(1, 80).Draw(t, "budget")
		origin := rapid.Int64Range(0, 30).Draw(t, "origin")
		var programs [][]int64 // works and sleeps in turn
		for range rapid.IntRange(1, 3).Draw(t, "processes") {
			programs = append(programs, rapid.SliceOfN(rapid.Int64Range(1, 70), 1, 6).Draw(t, "program"))
		}
		pauseAt, pauseFor := int64(-1), int64(0)
		if rapid.Bool().Draw(t, "pauses") {
			pauseAt, pauseFor = rapid.Int64Range(31, 200).Draw(t, "pause at"), rapid.Int64Range(1, 100).Draw(t, "pause for")
		}

		r := newRig()
		defer r.fleet.Close()
		h := r.fleet.NewHost("host")
		s := r.script()
		got := make([][]int64, len(programs))
		s.do(time.Duration(origin), func() {
			h.SetQuota(time.Duration(budget), time.Duration(period))
			for i, program := range programs {
				h.Go(fmt.Sprint("p", i), func(p *Process) {
					for step, d := range program {
						if step%2 == 0 {
							p.Work(time.Duration(d))
						} else {
							p.Sleep(time.Duration(d))
						}
						got[i] = append(got[i], int64(r.world.Now()))
					}
				})
			}
		})
		if pauseAt >= 0 {
			s.do(time.Duration(pauseAt), func() { h.Pause(sim.Time(pauseAt + pauseFor)) })
		}
		r.run(time.Second)
		want, throttles := shares(programs, budget, period, origin, pauseAt, pauseFor)
		for i := range programs {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("%d of %d from %d on, pause at %d for %d, programs %v: process %d at %v, want %v",
					budget, period, origin, pauseAt, pauseFor, programs, i, got[i], want[i])
			}
		}
		if h.Throttled() != throttles {
			t.Fatalf("throttled %d times, want %d", h.Throttled(), throttles)
		}
	})
}

// shares is the oracle.
func shares(programs [][]int64, budget, period, origin, pauseAt, pauseFor int64) (ends [][]int64, throttles uint64) {
	type process struct {
		step, left int64 // left of a work
		until      int64 // of a sleep
	}
	ps := make([]process, len(programs))
	ends = make([][]int64, len(programs))
	for i := range ps {
		ps[i].left = programs[i][0]
	}
	used, throttled := int64(0), false
	for t := origin; ; t++ {
		if (t-origin)%period == 0 {
			used, throttled = 0, false
		}
		paused := t >= pauseAt && t < pauseAt+pauseFor
		running := 0
		if !throttled && !paused {
			for i := range ps {
				p, program := &ps[i], programs[i]
				for p.step < int64(len(program)) {
					if working := p.step%2 == 0; working && p.left > 0 || !working && t < p.until {
						break
					}
					ends[i] = append(ends[i], t)
					if p.step++; p.step < int64(len(program)) {
						p.left, p.until = program[p.step], t+program[p.step]
					}
				}
				if p.step < int64(len(program)) && p.step%2 == 0 {
					running++
				}
			}
			if running > 0 && used >= budget {
				throttled = true
				throttles++
			}
		}
		done := true
		for i := range ps {
			p := &ps[i]
			if p.step == int64(len(programs[i])) {
				continue
			}
			done = false
			if !throttled && !paused && p.step%2 == 0 {
				p.left--
				used++
			}
		}
		if done {
			return ends, throttles
		}
	}
}

// TestQuotaInNumbers: two processors' worth in 100 ms and eight threads that compute: they
// run for 25 ms and stop for 75 ms of every period.
func TestQuotaInNumbers(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	h := r.fleet.NewHost("host")
	h.SetQuota(200*ms, 100*ms)
	var ends []time.Duration
	for i := range 8 {
		h.Go(fmt.Sprint("thread ", i), func(p *Process) {
			p.Work(60 * ms)
			ends = append(ends, r.world.Now().Duration())
		})
	}
	r.script().do(30*ms, func() {
		if h.State() != Throttled {
			t.Errorf("%v at 30 ms", h.State())
		}
	})
	r.run(time.Second)
	if want := slices.Repeat([]time.Duration{210 * ms}, 8); !slices.Equal(ends, want) || h.Throttled() != 2 {
		t.Errorf("done at %v after %d throttles, want %v and 2", ends, h.Throttled(), want)
	}
}

// TestStepsCountAgainstTheQuota, down to one that the budget ends in the middle of.
func TestStepsCountAgainstTheQuota(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	r.fleet.StepCost = 4 * ms
	h := r.fleet.NewHost("host")
	h.SetQuota(10*ms, 100*ms)
	var ends []time.Duration
	h.Go("p", func(p *Process) {
		for range 4 {
			p.Step("step")
			ends = append(ends, r.world.Now().Duration())
		}
	})
	r.run(time.Second)
	if want := []time.Duration{4 * ms, 8 * ms, 102 * ms, 106 * ms}; !slices.Equal(ends, want) {
		t.Errorf("steps end at %v, want %v", ends, want)
	}
}

// TestThrottlingDelaysWhatBecomesDue, in all wake orders.
func TestThrottlingDelaysWhatBecomesDue(t *testing.T) {
	for _, c := range []struct {
		wake Wake
		want []string
	}{
		{DueOrder, []string{"t1@5", "m2@20", "t3@20", "m4@20", "t5@20", "m6@25"}},
		{TimersFirst, []string{"t1@5", "t3@20", "t5@20", "m2@20", "m4@20", "m6@25"}},
		{MessagesFirst, []string{"t1@5", "m2@20", "m4@20", "t3@20", "t5@20", "m6@25"}},
	} {
		r, d, message := newDiary()
		r.fleet.Wake = c.wake
		d.host.SetQuota(10*ms, 20*ms)
		d.host.Go("busy", func(p *Process) { p.Work(10*ms + 1) })
		d.host.After(5*ms, 1)
		message(11*ms, 2)
		d.host.After(12*ms, 3)
		message(13*ms, 4)
		d.host.After(14*ms, 5)
		message(25*ms, 6)
		r.run(time.Second)
		if !slices.Equal(d.got, c.want) || d.host.Throttled() != 1 {
			t.Errorf("wake order %d: %v, throttled %d times, want %v", c.wake, d.got, d.host.Throttled(), c.want)
		}
		r.fleet.Close()
	}
}

// TestLiftingTheQuota lets a throttled host go on at once, and a crash ends what was
// computed.
func TestLiftingTheQuota(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	h := r.fleet.NewHost("host")
	h.SetQuota(10*ms, 1000*ms)
	end := time.Duration(0)
	h.Go("p", func(p *Process) { p.Work(30 * ms); end = r.world.Now().Duration() })
	s := r.script()
	s.do(15*ms, func() { h.SetQuota(0, 0) })
	s.do(100*ms, func() {
		h.SetQuota(10*ms, 50*ms)
		h.Go("q", func(p *Process) { p.Work(time.Second) })
	})
	s.do(105*ms, func() { h.Crash(LoseMemory); h.Restart(false) })
	s.do(200*ms, func() { h.Go("r", func(p *Process) { p.Work(10 * ms); end += r.world.Now().Duration() }) })
	r.run(time.Second)
	if want := 35*ms + 210*ms; end != want || h.Throttled() != 1 {
		t.Errorf("done at %v, throttled %d times, want %v and once", end, h.Throttled(), want)
	}
}
