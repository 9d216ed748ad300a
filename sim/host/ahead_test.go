package host

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/rng"
)

// TestLookAheadIsWhatHappens: on a clock of any rate, a process is where it saw itself.
func TestLookAheadIsWhatHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig()
		defer r.fleet.Close()
		r.fleet.StepCost = rapid.SampledFrom([]time.Duration{0, time.Microsecond, 3 * ms}).Draw(t, "step cost")
		h := r.fleet.NewHost("host")
		h.SetRate(rapid.Int64Range(-900_000_000, 900_000_000).Draw(t, "rate"))
		sleeps := rapid.SliceOfN(rapid.Int64Range(-5, int64(3*time.Second)), 1, 5).Draw(t, "sleeps")
		first := time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "first"))
		h.Go("p", func(p *Process) {
			p.Sleep(first)
			a, ok := p.LookAhead("step")
			if !ok {
				t.Fatal("nothing is in the way, and it sees nothing")
			}
			due := p.Now().Add(a.Sleeps(time.Second))
			for _, d := range sleeps {
				a.Sleep(time.Duration(d))
				a.Step()
				p.Sleep(time.Duration(d))
				p.Step("step")
				if a.Now != r.world.Now() {
					t.Fatalf("after %v at %v, foreseen at %v", time.Duration(d), r.world.Now(), a.Now)
				}
			}
			if a.Sleeps(0) != 0 {
				t.Errorf("it is there and has %v to sleep", a.Sleeps(0))
			}
			if p.Sleep(due.Sub(p.Now())); p.Now() < due {
				t.Errorf("woke at %d, before %d", p.Now(), due)
			}
		})
		r.run(time.Hour)
	})
}

// heeding is an observer that heeds one step.
type heeding string

func (heeding) ReachedStep(*Host, *Process, string)           {}
func (h heeding) Heeds(_ *Host, _ *Process, step string) bool { return step == string(h) }

// TestLookAhead: when a process sees what it will do, and how far.
func TestLookAhead(t *testing.T) {
	jitter := &clock.Jitter{Dist: rng.Constant(ms)}
	for _, c := range []struct {
		name    string
		disturb func(h *Host)
		until   sim.Time // 0 is not at all
	}{
		{"nothing", func(*Host) {}, at(10*time.Second) + 1},
		{"a timer of its server", func(h *Host) { h.After(2*time.Second, 0) }, at(2 * time.Second)},
		{"another process", func(h *Host) { h.Go("q", func(q *Process) { q.Sleep(3 * time.Second) }) }, at(3 * time.Second)},
		{"a deadline that it waited for", func(h *Host) {
			h.Go("q", func(q *Process) { q.Host().Process("p").Signal() })
		}, at(10*time.Second) + 1},
		{"a rate", func(h *Host) { h.SetRate(5) }, at(10*time.Second) + 1},
		{"a slew", func(h *Host) { h.Slew(ms, time.Minute) }, 0},
		{"jitter", func(h *Host) { h.AddJitter(jitter) }, 0},
		{"a quota", func(h *Host) { h.SetQuota(ms, 2*ms) }, 0},
		{"a step that is heeded", func(h *Host) { h.fleet.Observer = heeding("b") }, 0},
		{"another step", func(h *Host) { h.fleet.Observer = heeding("c") }, at(10*time.Second) + 1},
		{"an observer that does not tell", func(h *Host) { h.fleet.Observer = atStep(0) }, 0},
	} {
		r := newRig()
		h := r.fleet.NewHost("host")
		var until sim.Time
		h.Go("p", func(p *Process) {
			p.SleepUnlessSignalled(time.Second)
			if a, ok := p.LookAhead("a", "b"); ok {
				until = a.Until
			}
		})
		c.disturb(h)
		r.run(10 * time.Second)
		if until != c.until {
			t.Errorf("%s: until %v, want %v", c.name, until, c.until)
		}
		r.fleet.Close()
	}
}
