package fault

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// strikesOf returns the fault records of a run with a label, in order.
func (r *rig) strikesOf(label string) (list []history.Record) {
	for _, rec := range r.recorder.Records {
		if rec.Kind == history.Fault && r.injector.Ledger[rec.Value].Label == label {
			list = append(list, rec)
		}
	}
	return list
}

func instants(records []history.Record) (list []time.Duration) {
	for _, rec := range records {
		list = append(list, rec.At.Duration())
	}
	return list
}

func every(k Kind, gap rng.Dist, h *host.Host) Fault {
	f := at(k, 0, h)
	f.Trigger = Trigger{Mode: Every, Time: gap}
	return f
}

func TestEvery(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *Trigger)
		want   []time.Duration
	}{
		{"as often as there is time", func(*Trigger) {}, []time.Duration{10 * ms, 20 * ms, 30 * ms, 40 * ms, 50 * ms}},
		{"from an instant on", func(t *Trigger) { t.From = sim.Time(25 * ms) }, []time.Duration{35 * ms, 45 * ms}},
		{"up to an instant", func(t *Trigger) { t.Until = sim.Time(30 * ms) }, []time.Duration{10 * ms, 20 * ms}},
		{"with a stay that is met anyway", func(t *Trigger) { t.Until = sim.Time(41 * ms) }, []time.Duration{10 * ms, 20 * ms, 30 * ms, 40 * ms}},
		{"a number of times", func(t *Trigger) { t.Times = 3 }, []time.Duration{10 * ms, 20 * ms, 30 * ms}},
	} {
		r := newRig(false, func(r *rig) []Fault {
			f := every(ClockStep, rng.Constant(10*ms), r.spare).with(func(a *Action) { a.By = forward(ms) })
			c.change(&f.Trigger)
			if c.name == "with a stay that is met anyway" {
				f = f.lasting(3 * ms)
				f.Stay = 2 * ms
			}
			return []Fault{f}
		})
		r.run(1, 50*ms)
		got := instants(r.strikesOf("clock-step spare"))
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if e := r.injector.Ledger[0]; e.Fired != len(c.want) || e.TookEffect != len(c.want) {
			t.Errorf("%s: %+v", c.name, e)
		}
		r.fleet.Close()
	}
}

// TestStay: with a minimum stay no window is shorter than that, and neither is the time
// between two.
func TestStay(t *testing.T) {
	const stay = 5 * ms
	r := newRig(false, func(r *rig) []Fault {
		f := every(Cut, rng.Exponential(4*ms), r.server).lasting(0).from(r.clients...)
		f.Length, f.Stay = rng.Exponential(4*ms), stay
		return []Fault{f}
	})
	defer r.fleet.Close()
	short := 0
	for seed := range uint64(50) {
		strikes := r.run(seed, time.Second).strikesOf("cut server")
		if len(strikes) < 10 {
			t.Fatalf("seed %d: %d windows", seed, len(strikes))
		}
		last := sim.Time(0)
		for _, s := range strikes {
			if s.At.Sub(last) < stay || s.Until.Sub(s.At) < stay {
				t.Fatalf("seed %d: from %v to %v, after %v", seed, s.At, s.Until, last)
			}
			if s.Until.Sub(s.At) == stay {
				short++ // it would have been shorter
			}
			last = s.Until
		}
	}
	if short == 0 {
		t.Error("no window was drawn too short: the test shows nothing")
	}
}

// TestChance: a fault with a probability fires on that share of the visits, whatever it
// did on others.
func TestChance(t *testing.T) {
	const seeds, visits = 400, 10
	r := newRig(false, func(r *rig) []Fault {
		f := r.when(ClockStep, 0, "ask", 0)
		f.Trigger.Chance = rng.Chance{Num: 1, Den: 4}
		return []Fault{f}
	})
	defer r.fleet.Close()
	fired, byVisit := 0, map[sim.Time]int{}
	for seed := range uint64(seeds) {
		for _, s := range r.run(seed, time.Second).strikesOf("clock-step client/1") {
			fired++
			byVisit[s.At]++
		}
	}
	// A binomial deviates by more than 4.4 of its standard deviations once in 10^5.
	within := func(what string, n, of int) {
		mean, deviation := float64(of)/4, math.Sqrt(float64(of)*3/16)
		if d := math.Abs(float64(n) - mean); d > 4.4*deviation {
			t.Errorf("%s: %d of %d", what, n, of)
		}
	}
	within("all visits", fired, seeds*visits)
	if len(byVisit) != visits {
		t.Errorf("it fired at %d visits, want %d", len(byVisit), visits)
	}
	for at, n := range byVisit {
		within(at.String(), n, seeds)
	}
}

func TestAfter(t *testing.T) {
	r := newRig(false, func(r *rig) []Fault {
		f := r.when(Pause, 1, "ask", 2).lasting(ms)
		f.Trigger.After = rng.Constant(3 * ms)
		return []Fault{f}
	})
	defer r.fleet.Close()
	if got := instants(r.run(1, time.Second).strikesOf("pause client/2")); !slices.Equal(got, []time.Duration{18 * ms}) {
		t.Errorf("struck at %v, want 3 ms after the step at 15 ms", got)
	}
}

// oneOf draws one of some hosts.
type oneOf []*host.Host

func (list oneOf) Find(s *rng.Stream) (*host.Host, int) {
	return list[s.Int64N(int64(len(list)))], -1
}

// TestJoint: the actions of a joint fault strike the same host in the same instant and for
// the same time, and a clock moves by just that.
func TestJoint(t *testing.T) {
	r := newRig(false, func(r *rig) []Fault {
		target := oneOf(r.fleet.Hosts)
		return []Fault{{
			Trigger: Trigger{Mode: At, Time: rng.Uniform(0, 50*ms)}, Length: rng.Exponential(10 * ms),
			Actions: []Action{
				{Kind: Pause, Target: target, Label: "pause"},
				{Kind: ClockStep, Target: target, By: Shift{Whole: true, Sign: 1}, Label: "step"},
				{Kind: Pause, Target: target, Own: true, Length: rng.Constant(ms), Label: "own"},
			},
		}}
	})
	defer r.fleet.Close()
	struck := map[string]bool{}
	for seed := range uint64(40) {
		r.run(seed, time.Second)
		pause, step, own := r.strikesOf("pause")[0], r.strikesOf("step")[0], r.strikesOf("own")[0]
		length := pause.Until.Sub(pause.At)
		if step.At != pause.At || own.At != pause.At || step.Host != pause.Host || own.Host != pause.Host || own.Until.Sub(own.At) != ms {
			t.Fatalf("seed %d: %+v, %+v and %+v", seed, pause, step, own)
		}
		h := r.fleet.Find(pause.Host)
		if got := time.Duration(h.Wall()) - time.Duration(h.Mono()); got != length {
			t.Fatalf("seed %d: the clock moved by %v, the pause lasted %v", seed, got, length)
		}
		struck[pause.Host] = true
	}
	if len(struck) != len(r.fleet.Hosts) {
		t.Errorf("40 seeds struck %d hosts", len(struck))
	}
}

// TestDrawnSign: a shift without a sign goes either way.
func TestDrawnSign(t *testing.T) {
	r := newRig(false, func(r *rig) []Fault {
		return []Fault{at(ClockStep, ms, r.spare).with(func(a *Action) { a.By = Shift{Amount: rng.Constant(7 * ms)} })}
	})
	defer r.fleet.Close()
	seen := map[time.Duration]bool{}
	for seed := range uint64(30) {
		r.run(seed, 10*ms)
		seen[time.Duration(r.spare.Wall())-time.Duration(r.spare.Mono())] = true
	}
	if len(seen) != 2 || !seen[7*ms] || !seen[-7*ms] {
		t.Errorf("the clock moved by %v", seen)
	}
}

// TestSwarm: half of the kinds of the random layer are off under a seed, the others are
// more or less frequent, and one kind's part does not depend on which others there are.
// Scripted faults know nothing of it.
func TestSwarm(t *testing.T) {
	plan := func(kinds ...Kind) func(r *rig) []Fault {
		return func(r *rig) []Fault {
			faults := []Fault{at(ClockStep, 5*ms, r.spare)}
			for _, k := range kinds {
				f := every(k, rng.Constant(8*ms), r.spare).lasting(ms)
				f.Layer = Random
				faults = append(faults, f)
			}
			return faults
		}
	}
	few, many := newRig(false, plan(Pause, ClockSlew)), newRig(false, plan(Pause, ClockSlew, Crash, ClockFreeze))
	few.injector.swarm.on, many.injector.swarm.on = true, true
	defer few.fleet.Close()
	defer many.fleet.Close()
	off, counts := map[string]int{}, map[int]bool{}
	const seeds = 400
	for seed := range uint64(seeds) {
		a, b := few.run(seed, 100*ms).injector.Ledger, many.run(seed, 100*ms).injector.Ledger
		if a[0].Off || a[0].Fired != 1 || b[0].Fired != 1 {
			t.Fatalf("seed %d: the scripted fault %+v", seed, a[0])
		}
		for i, e := range b {
			if i < len(a) && (a[i].Off != e.Off || a[i].Fired != e.Fired) {
				t.Fatalf("seed %d: %s %+v, with more kinds %+v", seed, e.Label, a[i], e)
			}
			if e.Off != (e.Fired == 0) {
				t.Fatalf("seed %d: %+v", seed, e)
			}
			if e.Off {
				off[e.Label]++
			} else if i > 0 {
				counts[e.Fired] = true
			}
		}
	}
	for _, e := range many.injector.Ledger[1:] { // 400 tosses deviate by 44 once in 10^5
		if n := off[e.Label]; n < seeds/2-44 || n > seeds/2+44 {
			t.Errorf("%s was off in %d of %d", e.Label, n, seeds)
		}
	}
	// In 100 ms: every 32, 16, 8, 4 and 2 ms.
	for _, n := range []int{3, 6, 12, 25, 50} {
		if !counts[n] {
			t.Errorf("no kind fired %d times: %v", n, counts)
		}
	}
}

// window is one scripted or random window of the test below.
type window struct {
	layer      Layer
	kind       Kind
	from, long time.Duration
	rate       int64
}

func windows() *rapid.Generator[window] {
	return rapid.Custom(func(t *rapid.T) window {
		return window{
			layer: rapid.SampledFrom([]Layer{Scripted, Random}).Draw(t, "layer"),
			kind:  rapid.SampledFrom([]Kind{Crash, Cut, ClockRate, ClockSlew, ClockFreeze}).Draw(t, "kind"),
			from:  time.Duration(rapid.IntRange(1, 40).Draw(t, "from")) * ms,
			long:  time.Duration(rapid.IntRange(0, 40).Draw(t, "for")) * ms, // 0 is for ever
			rate:  rapid.Int64Range(-300_000, 300_000).Draw(t, "rate"),
		}
	})
}

// slew is how far the window moves a clock: by a thousandth of its rate, in nanoseconds.
func (w window) slew() time.Duration { return time.Duration(w.rate / 1000) }

func (w window) holds(at time.Duration) bool {
	return w.from <= at && (w.long == 0 || at < w.from+w.long)
}

// TestNoStrikeUndoesAnother looks at a host in the middle of every millisecond: it is down
// while any crash holds, its link is cut while any cut does, its clock has the rate of the
// latest window of each layer, added up, and stands while any window freezes it.
func TestNoStrikeUndoesAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(windows(), 1, 6).Draw(t, "windows")
		r := newRig(false, func(r *rig) []Fault {
			var faults []Fault
			for _, w := range list {
				f := at(w.kind, w.from, r.spare).from(r.server).with(func(a *Action) { a.RatePPB, a.By = w.rate, forward(w.slew()) })
				if f.Layer = w.layer; w.long > 0 {
					f = f.lasting(w.long)
				}
				faults = append(faults, f)
			}
			return faults
		})
		defer r.fleet.Close()
		r.world.Sink = nil
		r.run(1, 0)
		before, frozen := r.spare.Mono(), false
		for at := ms / 2; at < 90*ms; at += ms {
			r.world.Run(sim.Time(at))
			down, rate := false, int64(0)
			latest := map[Layer]window{}
			for _, w := range list {
				if !w.holds(at) {
					continue
				}
				switch w.kind {
				case Crash:
					down = true
				case ClockSlew:
					if w.long > 0 {
						rate += int64(w.slew()) * 1_000_000_000 / int64(w.long)
					}
				case ClockRate:
					if l, ok := latest[w.layer]; !ok || w.from >= l.from {
						latest[w.layer] = w
					}
				}
			}
			for _, w := range latest {
				rate += w.rate
			}
			cut := holding(list, Cut, at)
			if got := r.spare.State() == host.Crashed; got != down {
				t.Fatalf("at %v: down %v, want %v", at, got, down)
			}
			if got := !r.net.Quiet(r.spare.ID, r.server.ID, opAsk); got != cut {
				t.Fatalf("at %v: cut %v, want %v", at, got, cut)
			}
			if got := r.spare.Clock.Rate(); got != rate {
				t.Fatalf("at %v: rate %d, want %d", at, got, rate)
			}
			now := r.spare.Mono()
			if wholly := frozen && holding(list, ClockFreeze, at) && holding(list, ClockFreeze, at-ms); wholly && sameFreeze(list, at) && now != before {
				t.Fatalf("at %v: the frozen clock went from %v to %v", at, before, now)
			}
			if !holding(list, ClockFreeze, at) && !holding(list, ClockFreeze, at-ms) && at > ms && now == before {
				t.Fatalf("at %v: the clock stands", at)
			}
			before, frozen = now, holding(list, ClockFreeze, at)
		}
	})
}

// TestAQuotaOutlivesALaxerOne: work under a scripted quota takes as long as that makes it,
// whatever random quotas come and go.
func TestAQuotaOutlivesALaxerOne(t *testing.T) {
	throttle := func(instant time.Duration, h *host.Host) Fault { return at(Throttle, instant, h) }
	quota := func(at, long time.Duration, quota time.Duration, layer Layer, h *host.Host) Fault {
		f := throttle(at, h).with(func(a *Action) { a.Quota, a.Period = quota, 10*ms })
		if f.Layer = layer; long > 0 {
			f = f.lasting(long)
		}
		return f
	}
	for _, c := range []struct {
		name      string
		plan      func(h *host.Host) []Fault
		least     time.Duration
		tookTwice bool
	}{
		{"one alone", func(h *host.Host) []Fault { return []Fault{quota(0, 0, ms, Scripted, h)} }, 990 * ms, false},
		{"and laxer ones", func(h *host.Host) []Fault {
			return []Fault{quota(0, 0, ms, Scripted, h), quota(20*ms, 30*ms, 5*ms, Random, h), quota(100*ms, ms, 9*ms, Random, h)}
		}, 990 * ms, false},
		{"and a stricter one for a while", func(h *host.Host) []Fault {
			return []Fault{quota(0, 0, ms, Scripted, h), quota(20*ms, 200*ms, ms/2, Random, h)}
		}, 1080 * ms, true},
	} {
		r := newRig(false, func(r *rig) []Fault { return c.plan(r.spare) })
		ended := sim.Time(0)
		r.also = func() {
			r.spare.Go("busy", func(p *host.Process) {
				p.Work(100 * ms)
				ended = r.world.Now()
			})
		}
		r.run(1, 5*time.Second)
		if ended.Duration() < c.least || ended.Duration() > c.least+20*ms {
			t.Errorf("%s: the work ended at %v, want %v", c.name, ended, c.least)
		}
		for line, e := range r.injector.Ledger {
			if want := line == 0 || c.tookTwice; (e.TookEffect > 0) != want {
				t.Errorf("%s: fault %d took effect %d times", c.name, line, e.TookEffect)
			}
		}
		r.fleet.Close()
	}
}

// holding reports whether a window of a kind holds.
func holding(list []window, k Kind, at time.Duration) bool {
	return slices.ContainsFunc(list, func(w window) bool { return w.kind == k && w.holds(at) })
}

// sameFreeze reports whether windows that freeze cover all of the last millisecond.
func sameFreeze(list []window, at time.Duration) bool {
	for t := at - ms; t <= at; t += ms / 4 {
		if !holding(list, ClockFreeze, t) {
			return false
		}
	}
	return true
}

// TestRepeatedRunsAreTheSame: nothing of one run is left for the next.
func TestRepeatedRunsAreTheSame(t *testing.T) {
	r := newRig(false, func(r *rig) []Fault {
		var faults []Fault
		for _, k := range []Kind{Pause, Suspend, Crash, ClockRate, ClockFreeze, ClockSlew, Cut, Hang, Loss, Slow, SlowDisk, DiskStall, Throttle} {
			f := every(k, rng.Exponential(20*ms), r.clients[0]).lasting(0).with(func(a *Action) {
				a.RatePPB, a.By, a.Quota, a.Period = 50_000, forward(ms), ms, 3*ms
				a.Network.Rule.Loss, a.Network.Rule.Extra = rng.Chance{Num: 1, Den: 3}, rng.Constant(ms)
			})
			f.Length = rng.Exponential(8 * ms)
			faults = append(faults, f)
		}
		return faults
	})
	defer r.fleet.Close()
	digests := map[uint64]uint64{}
	for round := range 3 {
		for seed := range uint64(8) {
			got := r.run(seed, 300*ms).world.Digest().Sum()
			if want, ok := digests[seed]; ok && got != want {
				t.Fatalf("seed %d in round %d: digest %x, want %x", seed, round, got, want)
			}
			digests[seed] = got
		}
	}
	distinct := map[uint64]bool{}
	for _, digest := range digests {
		distinct[digest] = true
	}
	if len(distinct) != 8 {
		t.Errorf("8 seeds have %d digests", len(distinct))
	}
}
