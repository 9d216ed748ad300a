package scenarios

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/models/resource"
	"fencepost/sim/rng"
)

func sweepOf(t testing.TB, name string, axes []Axis, trials, workers int) *Sweep {
	t.Helper()
	s, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	r := registry(t)
	return &Sweep{Scenario: s, Registry: r, Locks: r.Locks(), Guards: resource.Guards[:1], Axes: axes,
		Seeds: Seeds{{1, uint64(trials)}}, Workers: workers}
}

func runSweep(t testing.TB, s *Sweep) []*Cell {
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

// TestSofar: who looks at a cell sees the batches that follow each other from the first on.
func TestSofar(t *testing.T) {
	s := sweepOf(t, "kleppmann", nil, 4*batchTrials, 1)
	s.Property = checker.Exclusion
	cells, err := s.Cells()
	if err != nil {
		t.Fatal(err)
	}
	c := cells[0]
	take := func(index int, violations, unknown int64) {
		b := s.newBatch(c, index)
		b.Counts[s.property()] = Count{Trials: batchTrials, Violations: violations, Unknown: unknown}
		s.Take(cells, b)
	}
	for i, step := range []struct {
		index int
		want  stats.Rate
	}{
		{2, stats.Rate{}},
		{0, stats.Rate{Trials: batchTrials, Violations: 10}},
		{0, stats.Rate{Trials: batchTrials, Violations: 10}},
		{1, stats.Rate{Trials: 3 * batchTrials, Violations: 33, Unknown: 3}},
		{3, stats.Rate{Trials: 4 * batchTrials, Violations: 46, Unknown: 6}},
	} {
		take(step.index, int64(10+step.index), int64(step.index))
		step.want.Anytime = true
		if got := c.Sofar(); got != step.want {
			t.Errorf("after batch %d, the %d. that was taken: %+v, want %+v", step.index, i+1, got, step.want)
		}
	}
}

// TestSweepCountsDoNotDependOnWorkers: a cell's counts are sums over its seeds, whoever has run which batch,
// and whatever was finished first. Each cell has three batches, the last of which is short, and there are
// more workers than processors and cells.
func TestSweepCountsDoNotDependOnWorkers(t *testing.T) {
	sweep := func(workers int) (*Sweep, []*Cell) {
		s := sweepOf(t, "kleppmann", []Axis{{"fault.pause", []string{"9980ms", "20s"}}}, 2*batchTrials+100, workers)
		redis, _ := s.Registry.Find("redis")
		local, _ := s.Registry.Find("local")
		s.Locks = []models.Lock{redis, local}
		return s, runSweep(t, s)
	}
	s, one := sweep(1)
	if s.Batches() != 3 || len(one) != 4 {
		t.Fatalf("%d cells of %d batches", len(one), s.Batches())
	}
	for _, workers := range []int{2, 3, 7, 16} {
		_, many := sweep(workers)
		for i := range one {
			if !reflect.DeepEqual(one[i].Tally, many[i].Tally) || !reflect.DeepEqual(one[i].Outcomes, many[i].Outcomes) {
				t.Errorf("%s %v: %v with one worker, %v with %d", one[i].Plan.Name(), one[i].Values, one[i].Tally, many[i].Tally, workers)
			}
		}
	}
}

// TestSweepGoesOn: what was finished before an interruption counts once, and going on from it gives
// what an uninterrupted sweep gives, whatever the order.
func TestSweepGoesOn(t *testing.T) {
	axes := []Axis{{"fault.pause", []string{"5s", "20s"}}}
	want := runSweep(t, sweepOf(t, "kleppmann", axes, 20, 2))

	s := sweepOf(t, "kleppmann", axes, 20, 2)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var batches []*Batch
	s.Keep = func(b *Batch) error {
		if batches = append(batches, b); len(batches) == 9 {
			cancel()
		}
		return nil
	}
	cells, err := s.Cells()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(ctx, cells); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want the context's", err)
	}
	if len(batches) >= len(cells) {
		t.Fatalf("%d of %d cells are finished; the test wants some and not all", len(batches), len(cells))
	}

	again := sweepOf(t, "kleppmann", axes, 20, 2)
	rerun, err := again.Cells()
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(batches)
	for _, b := range batches {
		if err := again.Fits(rerun, b); err != nil {
			t.Fatal(err)
		}
		if !again.Take(rerun, b) || again.Take(rerun, b) {
			t.Fatalf("batch %d of cell %d is to count once", b.Index, b.Cell)
		}
	}
	if todo, left := len(again.Todo(rerun)), len(cells)-len(batches); todo != left {
		t.Errorf("%d batches are to be run, want %d", todo, left)
	}
	if err := again.Run(context.Background(), rerun); err != nil {
		t.Fatal(err)
	}
	for i, c := range rerun {
		if !c.Finished || !reflect.DeepEqual(c.Tally, want[i].Tally) || !reflect.DeepEqual(c.Outcomes, want[i].Outcomes) {
			t.Errorf("%s after going on: %+v, want %+v", c.Plan.Name(), c.Tally, want[i].Tally)
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
			if !ok || math.Abs(printed-d.Survival(valid)) > 1.0/quantileCount {
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
				if got, ok := cell.Plan.ClosedForm(property); !ok || math.Abs(got-want) > 2.0/quantileCount {
					t.Errorf("%s, pause %s: %s: the integral is %.4f, want %.2f", lock, c.pause, property, got, want)
				}
			}
		}
	}
}

// cellOf sweeps one lock without a guard at one length of the pause.
func cellOf(t *testing.T, scenario, lock, pause string, trials int) *Cell {
	t.Helper()
	s := sweepOf(t, scenario, []Axis{{"fault.pause", []string{pause}}}, trials, runtime.NumCPU())
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
