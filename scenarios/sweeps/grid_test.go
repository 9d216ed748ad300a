package sweeps

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"fencepost/checker/stats"
	"fencepost/models/modeltest"
	"fencepost/scenarios"
)

// TestGridsHaveABound: a grid that was not meant is refused before anything of it is made, however many
// axes have made it so large.
func TestGridsHaveABound(t *testing.T) {
	long := scenarios.Axis{Values: make([]string, scenarios.MaxAxisValues)}
	for _, c := range []struct {
		axes   int
		trials int
		says   string
	}{
		{2, 1, "at most 10000, for all locks and guards together"},
		{1, 1, "cells: at most 10000"},
		{40, 1, "the grid has more than 1000000000000 cells"},
		{0, MaxSeeds, ""},
	} {
		s := sweepOf(t, "kleppmann", nil, c.trials, 1)
		for i := range c.axes {
			long.Name = fmt.Sprint(i)
			s.Axes = append(s.Axes, long)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := s.Cells()
		runtime.ReadMemStats(&after)
		if c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%d axes: %v; want %q", c.axes, err, c.says)
		}
		if n := after.TotalAlloc - before.TotalAlloc; c.says != "" && n > 1<<20 {
			t.Errorf("%d axes: %d bytes before it was refused", c.axes, n)
		}
	}
	s := sweepOf(t, "kleppmann", over("fault.pause", "1s", "2s", "3s"), MaxSeeds, 1)
	if _, err := s.Cells(); err == nil || !strings.Contains(err.Error(), "batches: at most 5000000") {
		t.Errorf("%d trials in each of 39 cells: %v", MaxSeeds, err)
	}
}

// TestPlanningCanBeInterrupted: whoever waits for a large grid may give it up.
func TestPlanningCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := sweepOf(t, "kleppmann", over("fault.pause", "1s", "2s", "3s"), 1, 1)
	if cells, err := s.CellsUntil(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%d cells, %v; want the context's error", len(cells), err)
	}
}

// TestIntervalsOfAllSeeds: up to the most seeds that there may be, an interval has the share of the trials
// in it.
func TestIntervalsOfAllSeeds(t *testing.T) {
	modeltest.ManyTrials(t)
	random := rand.New(rand.NewPCG(1, 2))
	logUniform := func(most float64) int64 { return int64(math.Pow(most, random.Float64())) }
	for range 2000 {
		n := int64(MaxSeeds)
		if random.IntN(2) == 0 {
			n = max(2, logUniform(MaxSeeds))
		}
		hits := min(logUniform(float64(n)), n-1)
		if random.IntN(2) == 0 {
			hits = n - hits
		}
		in, share := stats.ClopperPearson(hits, n, 0.95), float64(hits)/float64(n)
		if !(in.Low < share && share < in.High) {
			t.Errorf("%d of %d: %v does not have %v", hits, n, in, share)
		}
	}
}

func TestGridIsEveryCombination(t *testing.T) {
	cells := combinations(append(over("a", "1", "2"), over("b", "x", "y", "z")...))
	want := []map[string]string{{"a": "1", "b": "x"}, {"a": "1", "b": "y"}, {"a": "1", "b": "z"},
		{"a": "2", "b": "x"}, {"a": "2", "b": "y"}, {"a": "2", "b": "z"}}
	if !reflect.DeepEqual(cells, want) {
		t.Errorf("got %v", cells)
	}
	if got := combinations(nil); len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("no axes: %v, want one empty cell", got)
	}
}
