package host

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// window is a halt, in milliseconds.
type window struct {
	from, to int64
	suspends bool
}

// in reports whether an instant lies in one of the windows, of suspensions alone if so asked.
func in(windows []window, instant int64, suspensions bool) bool {
	for _, w := range windows {
		if w.from <= instant && instant < w.to && (w.suspends || !suspensions) {
			return true
		}
	}
	return false
}

// ends is the oracle, millisecond by millisecond: when something that takes so long and
// begins at time zero is noticed to be over. It stands in suspensions, and in pauses too if
// it takes the processor.
func ends(takes int64, windows []window, processor bool) sim.Time {
	now := int64(0)
	for ; takes > 0; now++ {
		if !in(windows, now, !processor) {
			takes--
		}
	}
	for in(windows, now, false) {
		now++
	}
	return at(time.Duration(now) * ms)
}

// TestClocksDoNotChangeTheMachine: whatever the clock does, work, a step and an fsync take
// the true time that they take, but for what the host stands still.
func TestClocksDoNotChangeTheMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig()
		defer r.fleet.Close()
		h := r.fleet.NewHost("host")
		h.Clock.CountsSuspend = rapid.Bool().Draw(t, "counts")
		takes := rapid.Int64Range(1, 60).Draw(t, "takes")
		s := r.script()
		for range rapid.IntRange(0, 5).Draw(t, "changes") {
			when := time.Duration(rapid.IntRange(0, 80).Draw(t, "at")) * ms
			ppb := rapid.Int64Range(-999_999_999, 999_999_999).Draw(t, "ppb")
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				s.do(when, func() { h.SetRate(ppb) })
			case 1:
				s.do(when, func() { h.SetBias(ppb) })
			case 2:
				s.do(when, func() { h.Slew(time.Duration(ppb), 20*ms) })
			case 3:
				s.do(when, h.Freeze)
			case 4:
				s.do(when, h.Thaw)
			}
		}
		var halts []window
		for range rapid.IntRange(0, 3).Draw(t, "halts") {
			w := window{from: rapid.Int64Range(1, 80).Draw(t, "from"), suspends: rapid.Bool().Draw(t, "suspends")}
			w.to = w.from + rapid.Int64Range(1, 40).Draw(t, "length")
			halts = append(halts, w)
			s.do(time.Duration(w.from)*ms, func() {
				if until := at(time.Duration(w.to) * ms); w.suspends {
					h.Suspend(until)
				} else {
					h.Pause(until)
				}
			})
		}
		long := time.Duration(takes) * ms
		h.Disk.Configure(rng.Constant(long), 1, "test", 1)
		r.fleet.StepCost = long
		var worked, stepped, synced sim.Time
		h.Server = onTimer(func() { synced = r.world.Now() })
		h.Disk.Sync(0)
		h.Go("worker", func(p *Process) { p.Work(long); worked = r.world.Now() })
		h.Go("stepper", func(p *Process) { p.Step("step"); stepped = r.world.Now() })
		r.run(10 * time.Second)
		if want := ends(takes, halts, true); worked != want {
			t.Errorf("%v of work, halts %v: over at %v, want %v", long, halts, worked, want)
		}
		want := ends(takes, halts, false)
		if synced != want {
			t.Errorf("an fsync of %v, halts %v: over at %v, want %v", long, halts, synced, want)
		}
		if stepped != want { // a pause swallows the rest of a step that nobody keeps accounts of
			t.Errorf("a step of %v, halts %v: over at %v, want %v", long, halts, stepped, want)
		}
	})
}

// TestMachineInNumbers: ten seconds of work on a clock at nearly twice true time, and the
// fsync of a host whose clocks stand.
func TestMachineInNumbers(t *testing.T) {
	r, d, _ := newDiary()
	defer r.fleet.Close()
	h := d.host
	h.Disk.Configure(rng.Constant(10*ms), 1, "test", 1)
	h.SetRate(900_000_000)
	var worked, slept sim.Time
	h.Go("worker", func(p *Process) { p.Work(10 * time.Second); worked = r.world.Now() })
	h.Go("sleeper", func(p *Process) { p.Sleep(19 * time.Second); slept = r.world.Now() })
	r.run(20 * time.Second)
	if worked != at(10*time.Second) || slept != at(10*time.Second) {
		t.Errorf("10 s of work end at %v, 19 s of sleep at %v; want 10 s both", worked, slept)
	}
	h.Freeze()
	h.Disk.Sync(1)
	r.run(20 * time.Second)
	if len(d.got) != 1 || d.got[0] != "t1@10010" {
		t.Errorf("an fsync of 10 ms from 10 s on while the clocks stand: %v", d.got)
	}
}

// TestOneEventForTwoClocks: a deadline and work that end in one instant need no second
// event, and the clock that is right for each is heeded.
func TestOneEventForTwoClocks(t *testing.T) {
	for _, rate := range []int64{0, 100_000_000} {
		r := newRig()
		h, server := r.fleet.NewHost("host"), r.deaf("server", 0)
		r.delays(rng.Constant(10 * ms))
		var over sim.Time
		h.Go("p", func(p *Process) {
			first := p.Send(server.host.Addr(), network.Body{Op: opAsk})
			p.Gather(first, 1, p.Now().Add(50*ms)) // comes at 20 ms and leaves its timer
			p.Work(30 * ms)
			over = r.world.Now()
		})
		r.script().do(30*ms, func() { h.SetRate(rate) })
		r.run(time.Second)
		if over != at(50*ms) {
			t.Errorf("rate %d: over at %v", rate, over)
		}
		if fired := r.world.Fired(); rate == 0 && fired != 6 {
			// the script, the start, the server's timer, two messages and the end of the work
			t.Errorf("%d events, want 6", fired)
		}
		r.fleet.Close()
	}
}

// TestCoveredWork: a halt that falls into work makes it late although nothing comes due.
func TestCoveredWork(t *testing.T) {
	type halt struct {
		at   time.Duration
		what func(h *Host)
	}
	pause := func(from, to time.Duration) halt { return halt{from, func(h *Host) { h.Pause(at(to)) }} }
	suspend := func(from, to time.Duration) halt { return halt{from, func(h *Host) { h.Suspend(at(to)) }} }
	for _, c := range []struct {
		name  string
		halts []halt
		works bool
		want  uint64
	}{
		{"a pause of work", []halt{pause(10*ms, 20*ms)}, true, 1},
		{"a pause of sleep", []halt{pause(10*ms, 20*ms)}, false, 0},
		{"inside another", []halt{pause(10*ms, 30*ms), pause(15*ms, 20*ms)}, true, 1},
		{"an extension", []halt{pause(10*ms, 30*ms), pause(15*ms, 40*ms)}, true, 2},
		{"of no length", []halt{pause(10*ms, 10*ms)}, true, 0},
		{"a suspension of work", []halt{suspend(10*ms, 20*ms)}, true, 1},
		{"a suspension of sleep", []halt{suspend(10*ms, 20*ms)}, false, 1},
		{"an extended one", []halt{suspend(10*ms, 20*ms), suspend(15*ms, 30*ms)}, false, 2},
		{"after the end", []halt{pause(60*ms, 70*ms)}, true, 0},
		{"throttled", []halt{{0, func(h *Host) { h.SetQuota(20*ms, 25*ms) }}}, true, 2},
	} {
		r := newRig()
		h := r.fleet.NewHost("host")
		h.Go("p", func(p *Process) {
			if c.works {
				p.Work(50 * ms)
			} else {
				p.Sleep(50 * ms)
			}
		})
		s := r.script()
		for _, halt := range c.halts {
			s.do(halt.at, func() { halt.what(h) })
		}
		r.run(time.Second)
		if h.Covered() != c.want {
			t.Errorf("%s: %d covered, want %d", c.name, h.Covered(), c.want)
		}
		r.fleet.Close()
	}
}

// atStep suspends a host at the first step that is reached there.
type atStep time.Duration

func (d atStep) ReachedStep(h *Host, _ *Process, _ string) { h.Suspend(at(time.Duration(d))) }

// TestCoveredStep: a step takes time, so that a suspension which falls on it makes all that comes
// after it late, though nothing else is due.
func TestCoveredStep(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	h := r.fleet.NewHost("host")
	r.fleet.Observer = atStep(20 * ms)
	h.Go("p", func(p *Process) { p.Step("only") })
	r.run(time.Second)
	if h.Covered() != 1 {
		t.Errorf("%d covered, want 1", h.Covered())
	}
}
