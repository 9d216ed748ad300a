package fault

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// TestLedger: for each kind, when it counts as having taken effect and when not.
func TestLedger(t *testing.T) {
	for _, c := range []struct {
		name  string
		until time.Duration
		plan  func(r *rig) []Fault
		want  string // fired/took effect of each fault
	}{
		{"a pause that covers timers", 0, func(r *rig) []Fault {
			return []Fault{at(Pause, 12*ms, r.clients[0]).lasting(20 * ms)}
		}, "[1/1]"},
		{"a pause that covers messages", 0, func(r *rig) []Fault {
			return []Fault{at(Pause, 12*ms, r.server).lasting(20 * ms)}
		}, "[1/1]"},
		{"a pause that covers nothing", 0, func(r *rig) []Fault {
			return []Fault{at(Pause, 12*ms, r.spare).lasting(20 * ms), at(Pause, 8*ms, r.server).lasting(ms)}
		}, "[1/0 1/0]"},
		{"a pause that outlasts the run", 15 * ms, func(r *rig) []Fault {
			return []Fault{at(Pause, 8*ms, r.server).lasting(time.Hour), at(Pause, 8*ms, r.spare).lasting(time.Hour)}
		}, "[1/1 1/0]"},
		{"a pause at a step covers the step", 0, func(r *rig) []Fault {
			return []Fault{r.when(Pause, 0, "ask", 1).lasting(ms)}
		}, "[1/1]"},
		{"a pause of a crashed host", 0, func(r *rig) []Fault {
			return []Fault{at(Crash, 5*ms, r.server), at(Pause, 6*ms, r.server).lasting(20 * ms)}
		}, "[1/1 1/0]"},
		{"pauses that follow each other while the host wakes", 0, func(r *rig) []Fault {
			// The first covers the wait for the second step, which sets off the other.
			return []Fault{r.when(Pause, 0, "ask", 1).lasting(10 * ms), r.when(Pause, 0, "asked", 1).lasting(10 * ms)}
		}, "[1/1 1/1]"},
		{"a pause within a longer one", 0, func(r *rig) []Fault {
			return []Fault{at(Pause, 12*ms, r.server).lasting(30 * ms), at(Pause, 14*ms, r.server).lasting(10 * ms),
				at(Suspend, 13*ms, r.server).lasting(25 * ms), at(Pause, 15*ms, r.server).lasting(60 * ms)}
		}, "[1/1 1/0 1/1 1/1]"},
		{"a slew and a step, of nothing and of something", 0, func(r *rig) []Fault {
			return []Fault{at(ClockSlew, 5*ms, r.spare).lasting(ms), at(ClockSlew, 5*ms, r.spare).lasting(10 * ms).with(func(a *Action) { a.By = forward(ms) }),
				at(ClockStep, 5*ms, r.spare).with(func(a *Action) { a.By = forward(ms) })}
		}, "[1/0 1/1 1/1]"},
		{"removals that are carried out, twice by one order, and not", 0, func(r *rig) []Fault {
			// The first order is carried out by two servers, the second never, the third later.
			r.removes = map[int]int{1: 2, 3: 1}
			return []Fault{at(Remove, 5*ms, r.server), at(Remove, 6*ms, r.server), at(Remove, 7*ms, r.server)}
		}, "[1/1 1/0 1/1]"},
		{"jitter that nobody reads", 0, func(r *rig) []Fault {
			return []Fault{at(ClockJitter, 5*ms, r.spare).lasting(ms).with(func(a *Action) { a.By = forward(ms) })}
		}, "[1/0]"},
		{"resets, with and without a connection", 0, func(r *rig) []Fault {
			return []Fault{at(Reset, 15*ms, r.clients[0]).from(r.server), at(Reset, 15*ms, r.spare).from(r.server)}
		}, "[1/1 1/0]"},
		{"links that are slow, lossy, doubling and narrow, with messages and without", 0, func(r *rig) []Fault {
			all := func(a *Action) {
				a.Network.Rule.Extra, a.Network.Rule.Loss = rng.Constant(ms), certain
				a.Network.Rule.Duplicate, a.Network.Rule.BytesPerSecond = certain, 1000
			}
			var faults []Fault
			for _, h := range []*host.Host{r.clients[0], r.spare} {
				for _, k := range []Kind{Slow, Loss, Duplicate, Bandwidth} {
					faults = append(faults, at(k, 8*ms, h).lasting(20*ms).from(r.server).with(func(a *Action) {
						all(a)
						keep := a.Network.Rule
						a.Network.Rule = network.Rule{}
						switch k {
						case Slow:
							a.Network.Rule.Extra = keep.Extra
						case Loss:
							a.Network.Rule.Loss, a.Network.Rule.Resend = keep.Loss, true
						case Duplicate:
							a.Network.Rule.Duplicate = keep.Duplicate
						case Bandwidth:
							a.Network.Rule.BytesPerSecond = keep.BytesPerSecond
						}
					}))
				}
			}
			return faults
		}, "[1/1 1/1 1/1 1/1 1/0 1/0 1/0 1/0]"},
		{"disks that nobody waits for", 0, func(r *rig) []Fault {
			return []Fault{at(SlowDisk, 5*ms, r.spare).lasting(ms), at(DiskStall, 5*ms, r.spare).lasting(ms)}
		}, "[1/0 1/0]"},
		{"a quota that is not used up", 0, func(r *rig) []Fault {
			return []Fault{at(Throttle, 5*ms, r.spare).lasting(20 * ms).with(func(a *Action) { a.Quota, a.Period = ms, 2*ms })}
		}, "[1/0]"},
		{"a crash", 0, func(r *rig) []Fault { return []Fault{at(Crash, 5*ms, r.spare)} }, "[1/1]"},
		{"a crash of a crashed host", 0, func(r *rig) []Fault {
			return []Fault{at(Crash, 5*ms, r.spare), at(Crash, 6*ms, r.spare)}
		}, "[1/1 1/0]"},
		{"a crash of a paused host", 0, func(r *rig) []Fault {
			return []Fault{at(Pause, 5*ms, r.spare).lasting(20 * ms), at(Crash, 6*ms, r.spare)}
		}, "[1/0 1/1]"},
		{"clock steps", 0, func(r *rig) []Fault {
			return []Fault{
				at(ClockStep, 5*ms, r.spare).with(func(a *Action) { a.By = forward(-ms) }),
				at(ClockStep, 5*ms, r.spare),
			}
		}, "[1/1 1/0]"},
		{"clock rates", 0, func(r *rig) []Fault {
			fast := func(a *Action) { a.RatePPB = 100_000 }
			return []Fault{
				at(ClockRate, 4*ms, r.spare),
				at(ClockRate, 5*ms, r.spare).with(fast),
				at(ClockRate, 6*ms, r.spare).with(fast),
				at(ClockRate, 7*ms, r.spare),
			}
		}, "[1/0 1/1 1/0 1/1]"},
		{"a cut that is offered messages", 0, func(r *rig) []Fault {
			return []Fault{at(Cut, 8*ms, r.clients[0]).lasting(10 * ms).from(r.server)}
		}, "[1/1]"},
		{"a cut that is offered nothing", 0, func(r *rig) []Fault {
			return []Fault{
				at(Cut, 8*ms, r.spare).lasting(time.Hour).from(r.server),
				at(Cut, 8*ms, r.clients[0]).lasting(ms).from(r.server),
			}
		}, "[1/0 1/0]"},
		{"a cut without an end", 0, func(r *rig) []Fault {
			return []Fault{at(Cut, 8*ms, r.clients[0]).from(r.server)}
		}, "[1/1]"},
		{"a hold that catches", 0, func(r *rig) []Fault {
			return []Fault{r.when(Hold, 0, "ask", 2).lasting(50 * ms).from(r.server).with(func(a *Action) { a.Op = opAsk })}
		}, "[1/1]"},
		{"holds that catch nothing", 0, func(r *rig) []Fault {
			return []Fault{
				r.when(Hold, 0, "ask", 2).lasting(50 * ms).from(r.server).with(func(a *Action) { a.Op = opAnswer }),
				r.when(Hold, 0, "asked", 2).lasting(2 * ms).from(r.server).with(func(a *Action) { a.Op = opAsk }),
			}
		}, "[1/0 1/0]"},
		{"a target that nobody is", 0, func(r *rig) []Fault {
			return []Fault{at(Pause, 5*ms, r.server).lasting(time.Hour).with(func(a *Action) { a.Target = on{nil, -1} })}
		}, "[0/0]"},
		{"after the end of the run", 50 * ms, func(r *rig) []Fault {
			return []Fault{at(Crash, 51*ms, r.server), at(Crash, 50*ms, r.spare)}
		}, "[0/0 1/1]"},
		{"a step that is not reached so often", 0, func(r *rig) []Fault {
			return []Fault{r.when(Crash, 0, "ask", 11), r.when(Crash, 0, "no such step", 1), r.when(Crash, 1, "ask", 10)}
		}, "[0/0 0/0 1/1]"},
	} {
		if c.until == 0 {
			c.until = time.Second
		}
		r := newRig(false, c.plan)
		for range 2 { // the second run starts from a clean ledger
			var got []string
			for _, e := range r.run(1, c.until).injector.Ledger {
				got = append(got, fmt.Sprintf("%d/%d", e.Fired, e.TookEffect))
			}
			if fmt.Sprint(got) != c.want {
				t.Errorf("%s: fired/took effect %v, want %s", c.name, got, c.want)
			}
		}
		for k, e := range r.injector.Ledger {
			if e.Label != r.injector.plan[k].Actions[0].Label {
				t.Errorf("%s: entry %d is labelled %q", c.name, k, e.Label)
			}
		}
		r.fleet.Close()
	}
}

// TestOverlappingCutsHealWithTheLast: from 15 to 45 ms nothing passes.
func TestOverlappingCutsHealWithTheLast(t *testing.T) {
	r := newRig(false, func(r *rig) []Fault {
		cut := func(from, length time.Duration) Fault {
			return at(Cut, from, r.server).lasting(length).from(r.clients...)
		}
		return []Fault{cut(14*ms, 20*ms), cut(20*ms, 25*ms), cut(21*ms, ms)}
	})
	defer r.fleet.Close()
	r.rounds = 6
	r.run(1, time.Second)
	// Asked at 0, 10, ... ms by client 1, and 5 ms later by client 2; heard 1 ms after.
	want := []string{"0@1", "0@11", "0@51", "1@46", "1@56", "1@6"}
	if slices.Sort(r.heard); !slices.Equal(r.heard, want) {
		t.Errorf("the server heard %v, want %v", r.heard, want)
	}
}

func TestDescriptions(t *testing.T) {
	r := newRig(false, func(*rig) []Fault { return nil })
	defer r.fleet.Close()
	for _, c := range []struct {
		f    Fault
		want string
	}{
		{at(Crash, 0, r.server), "crash server"},
		{at(Crash, 0, r.server).lasting(5 * ms), "crash server, back after 5ms"},
		{at(ClockStep, 0, r.server).with(func(a *Action) { a.By = forward(-2 * ms) }), "clock-step server by -2ms"},
		{at(ClockSlew, 0, r.server).lasting(5 * ms).with(func(a *Action) { a.By = forward(2 * ms) }), "clock-slew server by 2ms over 5ms"},
		{at(ClockRate, 0, r.server).with(func(a *Action) { a.RatePPB = 7 }), "clock-rate server by +7 ppb"},
		{at(ClockRate, 0, r.server).lasting(5 * ms).with(func(a *Action) { a.RatePPB = -7 }), "clock-rate server by -7 ppb for 5ms"},
		{at(Hold, 0, r.server).lasting(5 * ms).with(func(a *Action) { a.Op = opAsk }), "hold server test.ask for 5ms"},
		{at(Cut, 0, r.server), "cut server"},
		{at(Cut, 0, r.server).lasting(5 * ms), "cut server for 5ms"},
		{at(Pause, 0, r.server).lasting(5 * ms), "pause server for 5ms"},
		{at(Pause, 0, r.server).lasting(5 * ms).with(func(a *Action) { a.Label = "pause the leader" }), "pause the leader (server) for 5ms"},
		{at(Reset, 0, r.server), "reset server"},
	} {
		r.injector.plan = []Fault{c.f}
		a := &c.f.Actions[0]
		s := &strike{action: a, host: r.server, client: -1, length: 5 * ms, by: a.By.Amount.Sample(nil) * time.Duration(a.By.Sign)}
		if got := r.injector.describe(s); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
