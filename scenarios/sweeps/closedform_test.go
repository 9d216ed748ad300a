package sweeps

import (
	"math"
	"runtime"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim/rng"
)

// slice is how much a closed form may be off where what happens changes once: it cuts a distribution into 500.
const slice = 1.0 / 500

// TestClosedForm holds the simulated rate against P = P(pause > T_valid), for locks whose
// lease is a TTL that nobody renews. T_valid is what is left of the lease when the
// write would have gone out: TTL less the section's second before it. The waiter takes
// over at most a retry gap after that, and the events around it take milliseconds, so
// the truth lies between two values of the formula that are close together; the
// 99.9 % interval of the simulation has to meet them.
func TestClosedForm(t *testing.T) {
	modeltest.ManyTrials(t)
	const (
		valid = 9 * time.Second
		gap   = 20 * time.Millisecond // retry-base and retry-jitter of the scenario
		slack = 5 * time.Millisecond  // round trips, the server's millisecond, steps
	)
	for _, pause := range []string{"exponential(10s)", "lognormal(8s, 0.7)", "uniform(0s, 12s)"} {
		d, err := rng.Parse(pause)
		if err != nil {
			t.Fatal(err)
		}
		atLeast, atMost := d.Survival(valid+gap+slack), d.Survival(valid-slack)
		if atMost-atLeast > 0.01 {
			t.Fatalf("the two values of the formula are %.4f apart: the test would show nothing", atMost-atLeast)
		}
		for _, lock := range []string{"redis", "redlock"} {
			c := cellOf(t, "closed-form", lock, pause, 1000)
			interval := simulated(t, c, checker.Exclusion)
			if interval.High < atLeast || interval.Low > atMost {
				t.Errorf("%s, %s: interval %v; the formula gives %.4f to %.4f", lock, pause, interval, atLeast, atMost)
			}
			printed, ok := c.Plan.ClosedForm(checker.Exclusion)
			if !ok || math.Abs(printed-d.Survival(valid)) > slice {
				t.Errorf("%s, %s: the sweep prints %.4f as the closed form, want %.4f", lock, pause, printed, d.Survival(valid))
			}
		}
	}
}

// TestExactIntegral holds the simulated rates of published pauses against the integral
// over the pause's instant. By hand, for a pause P that strikes client 1 at u, uniform
// in its 20 seconds (read at 5, write at 15): client 2 is granted at 30, reads at 31 and
// writes at 37. So exclusion breaks if 20+P > 30. An update is lost if client 1 writes
// after 31, which takes u < 15 and P > 16, and has read before 37, which fails if u < 5
// and P > 32.
func TestExactIntegral(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, c := range []struct {
		pause               string
		exclusion, resource float64
	}{
		{"9s", 0, 0}, {"12s", 1, 0}, {"18s", 1, 0.75}, {"23.3s", 1, 0.75}, {"31s", 1, 0.75}, {"35s", 1, 0.5}, {"79s", 1, 0.5},
	} {
		for _, lock := range []string{"redis", "redlock"} {
			cell := cellOf(t, "published-pauses", lock, c.pause, 300)
			for property, want := range map[string]float64{checker.Exclusion: c.exclusion, checker.ResourceName: c.resource} {
				if interval := simulated(t, cell, property); !interval.Contains(want) {
					t.Errorf("%s, pause %s: %s: interval %v does not have %.2f", lock, c.pause, property, interval, want)
				}
				if got, ok := cell.Plan.ClosedForm(property); !ok || math.Abs(got-want) > 2*slice {
					t.Errorf("%s, pause %s: %s: the integral is %.4f, want %.2f", lock, c.pause, property, got, want)
				}
			}
		}
	}
}

// cellOf sweeps one lock without a guard at one length of the pause.
func cellOf(t *testing.T, scenario, lock, pause string, trials int) *Cell {
	t.Helper()
	s := sweepOf(t, scenario, over("fault.pause", pause), trials, runtime.NumCPU())
	l, ok := s.Registry.Find(lock)
	if !ok {
		t.Fatalf("no lock %q", lock)
	}
	s.Locks, s.Porcupine = []models.Lock{l}, PorcupineNone
	return runSweep(t, s)[0]
}

// simulated is the 99.9 % interval of a property's rate in a cell.
func simulated(t *testing.T, c *Cell, property string) stats.Interval {
	t.Helper()
	for i, p := range checker.Properties {
		if p == property {
			n := c.Counts[i]
			t.Logf("%s %v: %s violated in %d of %d trials", c.Plan.Name(), c.Values, property, n.Violations, n.Trials)
			return stats.ClopperPearson(n.Violations, n.Trials, 0.999)
		}
	}
	t.Fatalf("no property %q", property)
	return stats.Interval{}
}
