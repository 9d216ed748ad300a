package scenarios

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/sim/rng"
)

func sweepOf(t *testing.T, name string, axes []Axis, trials, workers int) *Sweep {
	t.Helper()
	s, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	r := registry(t)
	return &Sweep{Scenario: s, Registry: r, Locks: r.Locks(), Guards: resource.Guards[:1], Axes: axes,
		Seeds: Seeds{{1, uint64(trials)}}, Workers: workers}
}

func runSweep(t *testing.T, s *Sweep) []*Cell {
	t.Helper()
	cells, err := s.Cells()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background(), cells); err != nil {
		t.Fatal(err)
	}
	return cells
}

// TestSweepCountsDoNotDependOnWorkers: a cell's counts are sums over its seeds.
func TestSweepCountsDoNotDependOnWorkers(t *testing.T) {
	axes := []Axis{{"fault.pause", []string{"5s", "9980ms", "20s"}}}
	one, many := runSweep(t, sweepOf(t, "kleppmann", axes, 10, 1)), runSweep(t, sweepOf(t, "kleppmann", axes, 10, 4))
	for i := range one {
		if !reflect.DeepEqual(one[i].Counts, many[i].Counts) {
			t.Errorf("%s %v: %v with one worker, %v with four", one[i].Plan.Name(), one[i].Values, one[i].Counts, many[i].Counts)
		}
	}
}

// TestInterruptedSweepKeepsFinishedCells: what was finished stays, nothing half-counted
// is called finished, and going on from it gives what an uninterrupted sweep gives.
func TestInterruptedSweepKeepsFinishedCells(t *testing.T) {
	axes := []Axis{{"fault.pause", []string{"5s", "20s"}}}
	want := runSweep(t, sweepOf(t, "kleppmann", axes, 20, 2))

	s := sweepOf(t, "kleppmann", axes, 20, 2)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := 0
	s.Progress = func() {
		if done++; done == 70 {
			cancel()
		}
	}
	cells, err := s.Cells()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(ctx, cells); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want the context's", err)
	}
	finished := 0
	for i, c := range cells {
		if c.Finished {
			finished++
			if !reflect.DeepEqual(c.Counts, want[i].Counts) {
				t.Errorf("%s: %v, want %v", c.Plan.Name(), c.Counts, want[i].Counts)
			}
		}
	}
	if finished == 0 || finished == len(cells) {
		t.Errorf("%d of %d cells are finished; the test wants some and not all", finished, len(cells))
	}

	again := sweepOf(t, "kleppmann", axes, 20, 2)
	rerun, err := again.Cells()
	if err != nil {
		t.Fatal(err)
	}
	index := map[*Cell]int{}
	for i, c := range rerun {
		index[c] = i
	}
	again.Done = func(c *Cell) bool {
		if earlier := cells[index[c]]; earlier.Finished {
			c.Counts = earlier.Counts
			return true
		}
		return false
	}
	if err := again.Run(context.Background(), rerun); err != nil {
		t.Fatal(err)
	}
	for i, c := range rerun {
		if !c.Finished || !reflect.DeepEqual(c.Counts, want[i].Counts) {
			t.Errorf("%s after going on: %v, want %v", c.Plan.Name(), c.Counts, want[i].Counts)
		}
	}
}

// TestClosedForm holds the simulated rate against P = P(pause > T_valid), for locks whose
// lease is a TTL that nobody renews. T_valid is what is left of the lease when the
// write would have gone out: TTL less the section's second before it. The waiter takes
// over at most a retry gap after that, and the events around it take milliseconds, so
// the truth lies between two values of the formula that are close together; the
// 99.9 % interval of the simulation has to meet them.
func TestClosedForm(t *testing.T) {
	const (
		trials  = 2000
		ttl     = 10 * time.Second
		section = time.Second
		gap     = 20 * time.Millisecond // retry-max of the scenario
		slack   = 5 * time.Millisecond  // round trips, the server's millisecond, steps
	)
	for _, pause := range []string{"exponential(10s)", "lognormal(8s, 0.7)", "uniform(0s, 12s)"} {
		d, err := rng.Parse(pause)
		if err != nil {
			t.Fatal(err)
		}
		atMost, atLeast := d.Survival(ttl-section-slack), d.Survival(ttl-section+gap+slack)
		for _, lock := range []string{"redis", "redlock"} {
			s := sweepOf(t, "closed-form", []Axis{{"fault.pause", []string{pause}}}, trials, runtime.NumCPU())
			l, _ := s.Registry.Find(lock)
			s.Locks = []models.Lock{l}
			s.SkipLinear = true
			n := runSweep(t, s)[0].Counts[1]
			interval := stats.ClopperPearson(n.Violations, n.Trials, 0.999)
			t.Logf("%s, %s: simulated %.4f, formula %.4f to %.4f", lock, pause, float64(n.Violations)/float64(n.Trials), atLeast, atMost)
			if n.Trials != trials || interval.High < atLeast || interval.Low > atMost {
				t.Errorf("%s, %s: %d of %d trials violated, interval %v; the formula gives %.4f to %.4f",
					lock, pause, n.Violations, n.Trials, interval, atLeast, atMost)
			}
			if math.Abs(atMost-atLeast) > 0.01 {
				t.Errorf("the two values of the formula are %.4f apart: the test would show nothing", atMost-atLeast)
			}
		}
	}
	if checker.Properties[1] != checker.Exclusion {
		t.Fatal("the counts are not those of exclusion")
	}
}
