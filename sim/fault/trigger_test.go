package fault

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/rng"
)

var anInstant = rng.Uniform(0, 100*ms)

// fired returns the instants at which faults fired, by label.
func (r *rig) fired() map[string]sim.Time {
	at := map[string]sim.Time{}
	for _, rec := range r.recorder.Records {
		if rec.Kind == history.Fault {
			at[r.injector.Ledger[rec.Value].Label] = rec.At
		}
	}
	return at
}

func TestTriggers(t *testing.T) {
	r := newRig(false, func(r *rig) []Fault {
		label := func(name string) func(a *Action) { return func(a *Action) { a.Label = name } }
		return []Fault{
			at(ClockStep, 42*ms, r.spare).with(label("instant")),
			at(ClockStep, 0, r.spare).with(label("at the start")),
			r.when(ClockStep, 0, "ask", 1).with(label("first")),
			r.when(ClockStep, 0, "ask", 3).with(label("third")),
			r.when(ClockStep, 1, "ask", 3).with(label("third of the other client")),
		}
	})
	defer r.fleet.Close()
	want := map[string]sim.Time{
		"instant": sim.Time(42 * ms), "at the start": 0,
		"first": 0, "third": sim.Time(20 * ms), "third of the other client": sim.Time(25 * ms),
	}
	if got := r.run(1, time.Second).fired(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("fired at %v, want %v", got, want)
	}
}

// TestThreadsOfOneProcess: on a shared host the name tells who reached the step.
func TestThreadsOfOneProcess(t *testing.T) {
	r := newRig(true, func(r *rig) []Fault {
		return []Fault{r.when(Pause, 1, "ask", 2).lasting(5 * ms)}
	})
	defer r.fleet.Close()
	r.run(1, time.Second)
	var got []history.Record
	for _, rec := range r.recorder.Records {
		rec.Sequence = 0
		got = append(got, rec)
	}
	from, until := sim.Time(15*ms), sim.Time(20*ms)
	want := []history.Record{
		{At: from, Kind: history.Fault, Executor: 2, Until: until, Fault: "pause", Host: "client/1", Struck: 3, Text: "pause client/1 for 5ms at ask"},
		{At: from, Kind: history.Pause, Executor: 1, Until: until}, // the whole process stops
		{At: from, Kind: history.Pause, Executor: 2, Until: until},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestInstantsDoNotDependOnOtherFaults: a fault that is drawn falls on the same
// instant whatever the other faults of the plan are and do.
func TestInstantsDoNotDependOnOtherFaults(t *testing.T) {
	drawn := func(r *rig, label string) Fault {
		f := at(ClockStep, 0, r.spare).with(func(a *Action) { a.Label = label })
		f.Trigger.Time = anInstant
		return f
	}
	first := newRig(false, func(r *rig) []Fault {
		return []Fault{drawn(r, "a"), at(Pause, 10*ms, r.server).lasting(30 * ms), drawn(r, "b")}
	})
	second := newRig(false, func(r *rig) []Fault {
		crash := r.when(Crash, 0, "ask", 2)
		random := at(Cut, 0, r.server).lasting(0).from(r.clients...)
		random.Trigger.Time, random.Length = anInstant, rng.Exponential(10*ms)
		return []Fault{drawn(r, "a"), random, drawn(r, "b"), crash, drawn(r, "c")}
	})
	defer first.fleet.Close()
	defer second.fleet.Close()
	seen := map[sim.Time]bool{}
	for seed := range uint64(20) {
		a, b := first.run(seed, time.Second).fired(), second.run(seed, time.Second).fired()
		if a["a"] != b["a"] || a["b"] != b["b"] {
			t.Errorf("seed %d: %v and %v", seed, a, b)
		}
		if a["a"] == a["b"] || b["c"] == b["b"] {
			t.Errorf("seed %d: two faults share a draw", seed)
		}
		seen[a["a"]] = true
	}
	if len(seen) != 20 {
		t.Errorf("20 seeds draw %d instants", len(seen))
	}
}

// TestWhatChangesNothing: a fault without effect, a host without traffic and a trace
// leave everybody's story as it is.
func TestWhatChangesNothing(t *testing.T) {
	pause := func(r *rig) Fault { return r.when(Pause, 0, "asked", 2).lasting(20 * ms) }
	base := newRig(false, func(r *rig) []Fault { return []Fault{pause(r)} })
	defer base.fleet.Close()
	story := base.run(1, time.Second).story()

	none := newRig(false, func(r *rig) []Fault { return []Fault{pause(r), at(ClockStep, 25*ms, r.clients[0])} })
	defer none.fleet.Close()
	if none.run(1, time.Second).story() != story {
		t.Error("a clock step by nothing changed what happened")
	}
	idle := newRig(false, func(r *rig) []Fault {
		r.fleet.NewHost("idle")
		return []Fault{pause(r)}
	})
	defer idle.fleet.Close()
	if idle.run(1, time.Second).story() != story {
		t.Error("an idle host changed what happened")
	}
	digest := base.world.Digest().Sum()
	base.world.Sink = nil
	if base.run(1, time.Second).world.Digest().Sum() != digest {
		t.Error("tracing changed the digest")
	}
	if base.run(2, time.Second).world.Digest().Sum() == digest {
		t.Error("two seeds have the same digest")
	}
	if base.run(1, time.Second).world.Digest().Sum() != digest {
		t.Error("the third run of a world differs from the first")
	}
}

func TestResetDoesNotAllocate(t *testing.T) {
	r := newRig(false, func(r *rig) []Fault {
		cut := at(Cut, 0, r.server).lasting(10 * ms).from(r.clients...)
		cut.Trigger.Time = anInstant
		return []Fault{cut, at(Pause, 10*ms, r.server).lasting(30 * ms)}
	})
	r.world.Sink = nil
	if n := testing.AllocsPerRun(20, func() {
		r.world.Reset(1)
		r.net.Reset(1)
		r.injector.Reset(1)
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
