package cli

import (
	"context"
	"fmt"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/reports"
	"fencepost/reports/journal"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// Work is what another process needs to run batches of a sweep. It has no file that it refers to, and
// can be written as JSON.
type Work struct {
	// Header says what the sweep is, and which program may run it.
	Header   *journal.Header    `json:"header"`
	Scenario *scenarios.Carried `json:"scenario"`
	// Batches are those that are to be run, numbered through all cells from 1 on.
	Batches sweeps.Seeds `json:"batches"`
	// Workers is how many runs go on at once in each process.
	Workers int `json:"workers"`
}

func newWork(s *sweeps.Sweep, cells []*sweeps.Cell) (*Work, error) {
	program, err := build()
	if err != nil {
		return nil, fmt.Errorf("this program cannot be told from others: %w", err)
	}
	w := &Work{Header: journal.New(s, cells, reports.Version, program), Workers: s.Workers}
	if w.Scenario, err = s.Scenario.Carry(); err != nil {
		return nil, err
	}
	for _, b := range s.Todo(cells) {
		w.Batches = w.Batches.With(uint64(b[0]*s.Batches() + b[1] + 1))
	}
	return w, nil
}

// Worker runs batches of a sweep.
type Worker struct {
	work  *Work
	sweep *sweeps.Sweep
	cells []*sweeps.Cell
}

// Begin plans the sweep again. It fails if this program is another one, whose batches would not add up
// with those of the first.
func (w *Work) Begin(locks ...models.Lock) (*Worker, error) {
	program, err := build()
	if err != nil {
		return nil, fmt.Errorf("this program cannot be told from others: %w", err)
	}
	if h := w.Header; h.Version != reports.Version || h.Build != program {
		return nil, fmt.Errorf("this program is fencepost %s, build %s, and the sweep is of %s, build %s", reports.Version, program, h.Version, h.Build)
	}
	registry, err := models.NewRegistry(append(all.Locks(), locks...)...)
	if err != nil {
		return nil, err
	}
	s, err := w.Scenario.Load()
	if err != nil {
		return nil, err
	}
	sweep, cells, err := w.Header.Sweep(registry, s)
	if err != nil {
		return nil, err
	}
	sweep.Workers = w.Workers
	return &Worker{w, sweep, cells}, nil
}

// Part runs every of-th batch of the work, from the part-th on, counted from 0. It hands each over as
// its number and its line, in the order in which they are finished.
func (w *Worker) Part(ctx context.Context, part, of int, each func(number int, line []byte) error) error {
	var batches [][2]int
	per := w.sweep.Batches()
	for i := uint64(part); i < w.work.Batches.Len(); i += uint64(of) {
		number := int(w.work.Batches.At(i)) - 1
		batches = append(batches, [2]int{number / per, number % per})
	}
	return w.sweep.Compute(ctx, w.cells, batches, func(b *sweeps.Batch) error {
		line, err := journal.Line(b)
		if err != nil {
			return err
		}
		return each(b.Cell*per+b.Index+1, line)
	})
}
