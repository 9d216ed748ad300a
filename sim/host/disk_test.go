package host

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// TestStalls: an fsync ends after its own time, but never inside a stall that has begun
// before it would end.
func TestStalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, d, _ := newDiary()
		takes := rapid.Int64Range(0, 10).Draw(t, "takes")
		d.host.Disk.Configure(rng.Constant(time.Duration(takes)*ms), 1, "test", 1)
		s := r.script()
		type window struct{ from, to int64 }
		var stalls []window
		for range rapid.IntRange(0, 3).Draw(t, "stalls") {
			from := rapid.Int64Range(0, 40).Draw(t, "from")
			w := window{from, from + rapid.Int64Range(1, 30).Draw(t, "length")}
			stalls = append(stalls, w)
			s.do(time.Duration(w.from)*ms, func() { d.host.Disk.Stall(at(time.Duration(w.to) * ms)) })
		}
		begun := rapid.SliceOfNDistinct(rapid.Int64Range(0, 50), 1, 5, rapid.ID).Draw(t, "begun")
		ends, delayed := map[int]sim.Time{}, uint64(0)
		d.host.Server = tagged(func(tag int) { ends[tag] = r.world.Now() })
		for tag, b := range begun {
			s.do(time.Duration(b)*ms, func() {
				if d.host.Disk.Sync(tag) {
					ends[tag] = r.world.Now()
				}
			})
		}
		r.run(time.Second)
		slices.SortStableFunc(stalls, func(a, b window) int { return int(a.from - b.from) })
		for tag, b := range begun {
			end := b + takes
			late := false
			for _, w := range stalls {
				if w.to > end && w.from <= end {
					end, late = w.to, true
				}
			}
			if late {
				delayed++
			}
			if ends[tag] != sim.Time(end)*1e6 {
				t.Fatalf("an fsync of %d ms from %d on, stalls %v: done at %v, want %d ms", takes, b, stalls, ends[tag], end)
			}
		}
		if got := d.host.Disk.Delayed(); got < delayed || (got == 0) != (delayed == 0) {
			t.Fatalf("%d delayed, want at least %d", got, delayed)
		}
	})
}

type tagged func(tag int)

func (tagged) Receive(*network.Message) {}
func (f tagged) Timer(tag int)          { f(tag) }

// TestStallAfterAnFsyncThatNobodyNoticed in a pause: it is done.
func TestStallAfterAnFsyncThatNobodyNoticed(t *testing.T) {
	r, d, _ := newDiary()
	d.host.Disk.Configure(rng.Constant(10*ms), 1, "test", 1)
	s := r.script()
	s.do(0, func() { d.host.Disk.Sync(1) })
	s.do(5*ms, func() { d.host.Pause(at(20 * ms)); d.host.Disk.Sync(2) })
	s.do(12*ms, func() { d.host.Disk.Stall(at(50 * ms)) })
	r.run(time.Second)
	if want := []string{"t1@20", "t2@50"}; !slices.Equal(d.got, want) || d.host.Disk.Delayed() != 1 {
		t.Errorf("%v, %d delayed, want %v and 1", d.got, d.host.Disk.Delayed(), want)
	}
}

// TestStallOnADriftingClock: the fsync ends with the stall, whatever the clock does.
func TestStallOnADriftingClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig()
		h := r.fleet.NewHost("host")
		h.Disk.Configure(rng.Constant(5*ms), 1, "test", 1)
		end := sim.Time(-1)
		h.Server = tagged(func(int) { end = r.world.Now() })
		h.SetRate(rapid.Int64Range(-999_999_999, 900_000_000).Draw(t, "rate"))
		h.Disk.Sync(1)
		s := r.script()
		s.do(ms, func() { h.Disk.Stall(at(50 * ms)) })
		s.do(10*ms, func() { h.SetRate(rapid.Int64Range(-500_000_000, 900_000_000).Draw(t, "later rate")) })
		r.run(time.Second)
		if end != at(50*ms) {
			t.Fatalf("done at %v", end)
		}
	})
}

// TestStallInASuspension, of a disk that goes on with the machine: an fsync that is under
// way then ends no earlier than the stall.
func TestStallInASuspension(t *testing.T) {
	r, d, _ := newDiary()
	d.host.Disk.Configure(rng.Constant(15*ms), 1, "test", 1)
	s := r.script()
	s.do(0, func() { d.host.Disk.Sync(1) })
	s.do(10*ms, func() { d.host.Suspend(at(30 * ms)) })
	s.do(20*ms, func() { d.host.Disk.Stall(at(50 * ms)) })
	r.run(time.Second)
	if want := []string{"t1@50"}; !slices.Equal(d.got, want) || d.host.Disk.Delayed() != 1 || d.host.Disk.Stalled() != at(50*ms) {
		t.Errorf("%v, %d delayed, want %v and 1", d.got, d.host.Disk.Delayed(), want)
	}
}

// TestFsyncNoise is keyed by seed, name, number and counter, and nothing else.
func TestFsyncNoise(t *testing.T) {
	draws := func(seed uint64, name string, id uint64, slow ...*Slowdown) (all []time.Duration) {
		r := newRig()
		h := r.fleet.NewHost("host")
		h.Server = tagged(func(int) {})
		h.Disk.Configure(rng.Uniform(ms, 2*ms), seed, name, id)
		for _, s := range slow {
			h.Disk.Slow(s)
		}
		for range 5 {
			all = append(all, h.Disk.draw())
		}
		return all
	}
	var want []time.Duration
	for n := uint64(1); n <= 5; n++ {
		s := rng.New(rng.Hash(7, rng.HashString("raft.fsync"), 2, n), nil)
		want = append(want, rng.Uniform(ms, 2*ms).Sample(&s))
	}
	if got := draws(7, "raft.fsync", 2); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	tripled := draws(7, "raft.fsync", 2, &Slowdown{Num: 2, Den: 1}, &Slowdown{Num: 3, Den: 2})
	for i := range want {
		if d := tripled[i] - 3*want[i]; d < -2 || d > 0 {
			t.Errorf("three times %v is %v", want[i], tripled[i])
		}
	}
}

// TestSlowdownsComeAndGo without undoing each other, and count what they touched.
func TestSlowdownsComeAndGo(t *testing.T) {
	r := newRig()
	d := &r.fleet.NewHost("host").Disk
	d.Configure(rng.Constant(ms), 1, "test", 1)
	twice, tenfold := &Slowdown{Num: 2, Den: 1}, &Slowdown{Num: 10, Den: 1}
	bad, worse := &Slowdown{Replace: true, Instead: rng.Constant(50 * ms)}, &Slowdown{Replace: true, Instead: rng.Constant(700 * ms)}
	for i, step := range []struct {
		do   func(s *Slowdown)
		with *Slowdown
		want time.Duration
	}{
		{d.Slow, twice, 2 * ms}, {d.Slow, bad, 100 * ms}, {d.Slow, tenfold, 1000 * ms}, {d.Restore, twice, 500 * ms},
		{d.Slow, worse, 7000 * ms}, {d.Restore, bad, 7000 * ms}, {d.Restore, bad, 7000 * ms}, {d.Slow, bad, 7000 * ms}, {d.Restore, worse, 500 * ms}, {d.Restore, bad, 10 * ms},
		{d.Restore, tenfold, ms},
	} {
		step.do(step.with)
		if got := d.draw(); got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
	if twice.Touched != 3 || bad.Touched != 6 || tenfold.Touched != 8 || worse.Touched != 4 {
		t.Errorf("touched %d %d %d %d", twice.Touched, bad.Touched, tenfold.Touched, worse.Touched)
	}
}

// TestNoSlowdownMakesAnotherFaster: each has its own noise, the disk keeps its own, and the
// slowest of them counts.
func TestNoSlowdownMakesAnotherFaster(t *testing.T) {
	const own, one, two = 0, 1, 2
	draws := func(slow ...uint64) (all []time.Duration) {
		r := newRig()
		d := &r.fleet.NewHost("host").Disk
		d.Configure(rng.Uniform(0, 10*ms), 7, "test", 1)
		for _, key := range slow {
			d.Slow(&Slowdown{Replace: true, Instead: rng.Uniform(0, 12*ms), Key: key})
		}
		for range 200 {
			all = append(all, d.draw())
		}
		return all
	}
	alone := func(key uint64) (all []time.Duration) {
		for n := uint64(1); n <= 200; n++ {
			s := rng.New(rng.Hash(key, n), nil)
			all = append(all, rng.Uniform(0, 12*ms).Sample(&s))
		}
		return all
	}
	parts := [][]time.Duration{own: draws(), one: alone(one), two: alone(two)}
	slowest := [3]int{}
	for i, got := range draws(one, two) {
		want := max(parts[own][i], parts[one][i], parts[two][i])
		for part := range parts {
			if parts[part][i] == want {
				slowest[part]++
			}
		}
		if got != want {
			t.Errorf("fsync %d takes %v, want %v", i, got, want)
		}
	}
	if min(slowest[own], slowest[one], slowest[two]) < 30 || slowest[own]+slowest[one]+slowest[two] > 210 {
		t.Errorf("the slowest are the disk and its slowdowns %v times", slowest)
	}
}

// TestCrashForgetsAnFsync: nobody is told that it is done.
func TestCrashForgetsAnFsync(t *testing.T) {
	r, d, _ := newDiary()
	d.host.Disk.Configure(rng.Constant(10*ms), 1, "test", 1)
	s := r.script()
	s.do(ms, func() { d.host.Disk.Sync(1) })
	s.do(5*ms, func() {
		d.host.Crash(LoseUnsynced)
		d.host.Restart(false)
		d.host.Disk.Sync(2)
		d.host.Disk.Stall(at(30 * ms))
	})
	r.run(time.Second)
	if want := []string{"t2@30"}; !slices.Equal(d.got, want) || d.host.Disk.Delayed() != 1 {
		t.Errorf("%v, %d delayed, want %v and 1", d.got, d.host.Disk.Delayed(), want)
	}
}

// TestStable compares with a list of all that was written.
func TestStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Stable[int]
		written, synced := []int{0}, 0 // synced is an index
		for i := range rapid.IntRange(0, 20).Draw(t, "steps") {
			switch lost := Lost(rapid.IntRange(0, 5).Draw(t, "what")); lost {
			case LoseMemory:
				s.Lose(lost)
			case LoseUnsynced:
				s.Lose(lost)
				written = written[:synced+1]
			case LoseEverything:
				s.Lose(lost)
				written, synced = []int{0}, 0
			case 3:
				s.Sync()
				synced = len(written) - 1
			default:
				s.Written = i + 1
				written = append(written, i+1)
			}
			if s.Written != written[len(written)-1] || s.synced != written[synced] {
				t.Fatalf("%d and %d, want %d and %d", s.Written, s.synced, written[len(written)-1], written[synced])
			}
		}
	})
}
