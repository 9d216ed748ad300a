package sweeps

import (
	"fmt"

	"fencepost/checker"
	"fencepost/scenarios"
)

// batchTrials is how many trials a batch has, but for the last of a cell. It is a part of what a
// sweep is, and never depends on the machine: results are kept, and handed over, in whole batches.
const batchTrials = 500

// listed is up to how many trials of a cell a sweep says which of them were violated.
const listed = 1 << 20

// Batch is some trials of a cell that follow each other, and what they have come to.
type Batch struct {
	// Cell and Index say which: the sweep's cells, and the batches of a cell, are counted from 0.
	Cell  int   `json:"cell"`
	Index int   `json:"batch"`
	Seeds Seeds `json:"seeds"`
	Tally
	// Outcomes are by property, nil in a sweep of so many trials that they are not listed.
	Outcomes []Outcome `json:"outcomes,omitempty"`
}

// Outcome is which trials were violated and unknown for one property: their seeds, in the order
// of the sweep.
type Outcome struct {
	Violated Seeds `json:"violated"`
	Open     Seeds `json:"unknown"`
}

// conditionalTrials is how many a batch has of trials that are many runs each.
const conditionalTrials = 20

// BatchTrials is how many trials a batch of the sweep has.
func (s *Sweep) BatchTrials() int {
	if s.Estimate == Conditional {
		return conditionalTrials
	}
	return batchTrials
}

// Batches is how many batches each cell has.
func (s *Sweep) Batches() int {
	size := uint64(s.BatchTrials())
	return int((s.Seeds.Len() + size - 1) / size)
}

// batchSeeds are those of a batch.
func (s *Sweep) batchSeeds(index int) (seeds Seeds) {
	size := uint64(s.BatchTrials())
	from := uint64(index) * size
	for i := from; i < min(from+size, s.Seeds.Len()); i++ {
		seeds = seeds.With(s.Seeds.At(i))
	}
	return seeds
}

// runBatch runs a batch on a worker and reports each trial.
func (s *Sweep) runBatch(w *worker, c *Cell, index int) (*Batch, error) {
	b := s.newBatch(c, index)
	for i := range b.Seeds.Len() {
		if err := s.runTrial(w, c, b, b.Seeds.At(i)); err != nil {
			return nil, err
		}
		if s.Progress != nil {
			s.Progress(1)
		}
	}
	b.Coverage = w.trial.Covered()
	return b, nil
}

func (s *Sweep) newBatch(c *Cell, index int) *Batch {
	b := &Batch{Cell: c.index, Index: index, Seeds: s.batchSeeds(index), Tally: newTally(c.Plan.Describe.Name, s.Estimate)}
	if s.Seeds.Len() <= listed {
		b.Outcomes = make([]Outcome, len(checker.Properties))
	}
	return b
}

// runTrial runs one trial of a cell on a worker, which may take many runs, and counts it.
func (s *Sweep) runTrial(w *worker, c *Cell, b *Batch, seed uint64) error {
	job := Job{c.Plan, seed}
	r, err := w.run(job)
	if err != nil {
		return err
	}
	b.count(w.trial, &r)
	b.list(&r)
	if b.Conditional == nil {
		return nil
	}
	q, high, err := w.trial.Conditionally(w.ctx, seed, s.Property)
	if err == nil {
		b.Conditional.Add(q)
		b.ConditionalHigh.Add(high)
	}
	return err
}

// list notes what a trial was, if it was not sound.
func (b *Batch) list(r *scenarios.Result) {
	for i := range b.Outcomes {
		switch o := &b.Outcomes[i]; r.Verdict.Of(checker.Properties[i]) {
		case checker.Violated:
			o.Violated = o.Violated.With(r.Seed)
		case checker.Unknown:
			o.Open = o.Open.With(r.Seed)
		}
	}
}

// HasBatch fails if the sweep has no such cell, or no batch of these seeds in that place.
func (s *Sweep) HasBatch(cells []*Cell, b *Batch) error {
	switch {
	case b.Cell < 0 || b.Cell >= len(cells) || b.Index < 0 || b.Index >= s.Batches():
		return fmt.Errorf("there is no batch %d of cell %d: there are %d cells of %d batches", b.Index, b.Cell, len(cells), s.Batches())
	case b.Seeds.String() != s.batchSeeds(b.Index).String():
		return fmt.Errorf("batch %d has the seeds %s, not %s", b.Index, b.Seeds, s.batchSeeds(b.Index))
	}
	return nil
}

// Fits fails if a batch cannot be one of a sweep's.
func (s *Sweep) Fits(cells []*Cell, b *Batch) error {
	if err := s.HasBatch(cells, b); err != nil {
		return err
	}
	empty := newEstimates(s.Estimate)
	switch {
	case !b.like(&empty):
		return fmt.Errorf("batch %d of cell %d is not of the estimate %s", b.Index, b.Cell, s.Estimate)
	case len(b.Counts) != len(checker.Properties) || b.Coverage == nil || (len(b.Outcomes) != 0) != (s.Seeds.Len() <= listed):
		return fmt.Errorf("batch %d of cell %d lacks something", b.Index, b.Cell)
	}
	if err := b.plausible(cells[b.Cell].Plan.Describe.Name); err != nil {
		return fmt.Errorf("batch %d of cell %d: %w", b.Index, b.Cell, err)
	}
	return nil
}
