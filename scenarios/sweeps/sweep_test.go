package sweeps

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// registry is the built-in lock systems.
func registry(t testing.TB) *models.Registry {
	t.Helper()
	r, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// over is one axis.
func over(name string, values ...string) []scenarios.Axis {
	return []scenarios.Axis{{Name: name, Values: values}}
}

func sweepOf(t testing.TB, name string, axes []scenarios.Axis, trials, workers int) *Sweep {
	t.Helper()
	s, err := scenarios.Load(name)
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
		s := sweepOf(t, "kleppmann", over("fault.pause", "9980ms", "20s"), 2*batchTrials+100, workers)
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
	axes := over("fault.pause", "5s", "20s")
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
