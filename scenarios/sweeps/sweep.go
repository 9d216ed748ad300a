// Package sweeps runs many trials of scenarios: jobs on several workers, and sweeps over seeds and grids of
// parameters, in batches that can be kept, run elsewhere and added up. It counts what they come to and
// estimates rates.
package sweeps

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// Sweep runs many seeds in each cell of a grid of parameters, for each lock and
// guard, and counts.
type Sweep struct {
	Scenario *scenarios.Scenario
	Registry *models.Registry
	Locks    []models.Lock
	Guards   []resource.Guard
	Axes     []scenarios.Axis
	Fixed    map[string]string // parameters that are set but not varied
	Seeds    Seeds             // one trial each
	Workers  int
	// Estimate is how rates are estimated; empty is [Crude].
	Estimate Estimator
	// Stop says when a cell has seen enough; the zero value is when all its trials are run.
	Stop stats.Stop
	// Property is what Stop and the estimate [Conditional] are of.
	Property string
	// Porcupine is in which trials it is asked; empty is [PorcupineSampled].
	Porcupine Porcupine
	// Mine, if set, says which batches are to be run; all cells' batches are counted through.
	Mine func(number int) bool
	// Keep, if set, is given each batch when it is finished, one at a time. If it fails, so does
	// the sweep.
	Keep func(*Batch) error
	// Look, if set, is shown the cell of each batch that was counted, one at a time.
	Look func(*Cell)
	// Progress, if set, is called after each trial, and with the number of those that need not be run.
	Progress func(trials int)
}

// Cell is one combination of parameters, lock and guard, with its counts.
type Cell struct {
	Plan *scenarios.Plan
	// Values are those of the axes, in their order.
	Values []string
	Tally
	// Outcomes are by property, once the cell is finished; nil if it has so many trials that they
	// are not listed.
	Outcomes []Outcome
	// Finished says that every trial of the cell has been run, or enough of them; Stopped is why
	// those were enough.
	Finished bool
	Stopped  stats.Reason

	index int
	sofar []Count     // by batch: of the sweep's property; empty of one that was not counted
	have  [][]Outcome // by batch: of one that was counted; not nil
	ahead []*Batch    // by batch: of one that waits for those before it to be counted
}

// Cells checks the whole grid and returns its cells, nothing run yet.
func (s *Sweep) Cells() ([]*Cell, error) { return s.CellsUntil(context.Background()) }

// CellsUntil is [Sweep.Cells], and fails with the context's error if that ends before: a large grid takes
// seconds.
func (s *Sweep) CellsUntil(ctx context.Context) ([]*Cell, error) {
	if err := s.checkSize(); err != nil {
		return nil, err
	}
	var cells []*Cell
	for _, values := range combinations(s.Axes) {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("interrupted before anything was run: %w", ctx.Err())
		}
		for _, name := range slices.Sorted(maps.Keys(s.Fixed)) {
			if _, varied := values[name]; varied {
				return nil, fmt.Errorf("parameter %q is both set and varied", name)
			}
			values[name] = s.Fixed[name]
		}
		in, err := s.instantiate(values)
		if err != nil {
			return nil, err
		}
		plans, err := in.Plans(s.Locks, s.Guards)
		if err != nil {
			return nil, err
		}
		for _, p := range plans {
			c := s.newCell(p)
			for _, axis := range s.Axes {
				c.Values = append(c.Values, values[axis.Name])
			}
			cells = append(cells, c)
		}
	}
	return s.number(cells), nil
}

// instantiate fixes parameters, and whether runs are biased.
func (s *Sweep) instantiate(values map[string]string) (*scenarios.Instance, error) {
	if s.Estimate == Biased {
		values = scenarios.WithBias(values)
	}
	return s.Scenario.Instantiate(s.Registry, values)
}

func (s *Sweep) newCell(p *scenarios.Plan) *Cell {
	if s.Estimate == Conditional && p.NotApplicable == "" {
		p.NotApplicable = p.NotConditional()
	}
	p.SkipLinear, p.SampleLinear, p.Cover = s.Porcupine != PorcupineAll, s.Porcupine != PorcupineNone, true
	return &Cell{Plan: p, Tally: newTally(p.Describe.Name, s.Estimate)}
}

// number numbers the cells and makes room for their batches.
func (s *Sweep) number(cells []*Cell) []*Cell {
	for i, c := range cells {
		c.index, c.have, c.sofar = i, make([][]Outcome, s.Batches()), make([]Count, s.Batches())
		c.Finished = c.Plan.NotApplicable != ""
	}
	return cells
}

// Take counts a batch that [Sweep.Fits], and reports whether it was not counted before. If the sweep
// may stop, a batch counts when those before it do, so that it makes no difference which is finished
// first; those behind the last that was needed never count.
func (s *Sweep) Take(cells []*Cell, b *Batch) bool {
	c := cells[b.Cell]
	if c.Finished || c.have[b.Index] != nil || c.ahead != nil && c.ahead[b.Index] != nil {
		return false
	}
	c.sofar[b.Index] = b.Counts[s.property()]
	if !s.Stops() {
		c.add(b)
		return true
	}
	if c.ahead == nil {
		c.ahead = make([]*Batch, s.Batches())
	}
	c.ahead[b.Index] = b
	s.advance(c)
	return true
}

// advance counts the batches of a cell that follow those which are counted, until it has seen enough.
func (s *Sweep) advance(c *Cell) {
	for i := slices.IndexFunc(c.have, func(o []Outcome) bool { return o == nil }); !c.Finished && c.ahead[i] != nil; i++ {
		c.add(c.ahead[i])
		c.ahead[i] = nil
		if why := s.Stop.After(c.rate(s.Property)); why != stats.GoOn && !c.Finished {
			c.Stopped, c.have = why, c.have[:i+1]
			c.finish()
		}
	}
}

// Stops reports whether cells may stop before all their trials are run.
func (s *Sweep) Stops() bool { return s.Stop.RelativeWidth > 0 || s.Stop.Budget > 0 }

// Counted reports whether a batch was counted.
func (c *Cell) Counted(index int) bool { return index < len(c.have) && c.have[index] != nil }

// rate is what was counted of a property so far.
func (c *Cell) rate(property string) stats.Rate {
	n := c.Counts[slices.Index(checker.Properties, property)]
	return stats.Rate{Trials: n.Trials, Violations: n.Violations, Unknown: n.Unknown}
}

// property is the index of the sweep's.
func (s *Sweep) property() int { return max(0, slices.Index(checker.Properties, s.Property)) }

// Sofar is what an unfinished cell has come to of the sweep's property, for who looks while it runs: of
// the batches that follow each other from the first on, since those that are finished out of turn may be
// the quick ones. Its interval is valid whenever one looks.
func (c *Cell) Sofar() stats.Rate {
	r := stats.Rate{Anytime: true}
	for _, n := range c.sofar {
		if n.Trials == 0 {
			break
		}
		r.Trials += n.Trials
		r.Violations += n.Violations
		r.Unknown += n.Unknown
	}
	return r
}

// add counts a batch.
func (c *Cell) add(b *Batch) {
	c.have[b.Index] = b.Outcomes
	if b.Outcomes == nil {
		c.have[b.Index] = []Outcome{}
	}
	c.Tally.Add(&b.Tally)
	for _, have := range c.have {
		if have == nil {
			return
		}
	}
	c.finish()
}

// finish puts the lists of the batches together.
func (c *Cell) finish() {
	c.Finished = true
	for _, have := range c.have {
		if len(have) > 0 && c.Outcomes == nil {
			c.Outcomes = make([]Outcome, len(have))
		}
		for i, o := range have {
			c.Outcomes[i].Violated = c.Outcomes[i].Violated.and(o.Violated)
			c.Outcomes[i].Open = c.Outcomes[i].Open.and(o.Open)
		}
	}
}

// Todo lists the batches that are still to be run here, as their cell and index.
func (s *Sweep) Todo(cells []*Cell) (todo [][2]int) {
	n := s.Batches()
	for _, c := range cells {
		for i := range n {
			if !c.Finished && c.have[i] == nil && (c.ahead == nil || c.ahead[i] == nil) && (s.Mine == nil || s.Mine(c.index*n+i)) {
				todo = append(todo, [2]int{c.index, i})
			}
		}
	}
	return todo
}

// Run runs every batch that is still to be run, and counts. When the context ends early, the
// batches that were finished are counted and the error is the context's.
func (s *Sweep) Run(ctx context.Context, cells []*Cell) error {
	todo := s.Todo(cells)
	var mutex sync.Mutex
	stopped := func(c *Cell) bool {
		mutex.Lock()
		defer mutex.Unlock()
		return c.Finished
	}
	return runAll(ctx, len(todo), 1, s.Workers, func(w *worker, i int) error {
		c := cells[todo[i][0]]
		if stopped(c) {
			if s.Progress != nil {
				s.Progress(int(s.batchSeeds(todo[i][1]).Len()))
			}
			return nil
		}
		b, err := s.runBatch(w, c, todo[i][1])
		if err != nil {
			return err
		}
		mutex.Lock()
		defer mutex.Unlock()
		s.Take(cells, b)
		if s.Look != nil {
			s.Look(c)
		}
		if s.Keep != nil {
			return s.Keep(b)
		}
		return nil
	})
}

// Compute runs batches, each named by its cell and index, and hands each over when it is finished, one at
// a time. It counts nothing and remembers nothing, so that whoever has lost a batch may have it run again.
func (s *Sweep) Compute(ctx context.Context, cells []*Cell, batches [][2]int, each func(*Batch) error) error {
	var mutex sync.Mutex
	return runAll(ctx, len(batches), 1, s.Workers, func(w *worker, i int) error {
		b, err := s.runBatch(w, cells[batches[i][0]], batches[i][1])
		if err != nil {
			return err
		}
		mutex.Lock()
		defer mutex.Unlock()
		return each(b)
	})
}

// Trials is how many trials the batches have that are still to be run here.
func (s *Sweep) Trials(cells []*Cell) (n int) {
	for _, b := range s.Todo(cells) {
		n += int(s.batchSeeds(b[1]).Len())
	}
	return n
}
