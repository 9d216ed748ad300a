package scenarios

import (
	"context"
	"fmt"
	"sync"
	"time"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/sim/fault"
)

// Sweep runs many seeds in each cell of a grid of parameters, for each lock and
// guard, and counts.
type Sweep struct {
	Scenario *Scenario
	Registry *models.Registry
	Locks    []models.Lock
	Guards   []resource.Guard
	Axes     []Axis
	Fixed    map[string]string // parameters that are set but not varied
	Seeds    Seeds             // one trial each
	Workers  int
	// Porcupine is in which trials it is asked; empty is [PorcupineSampled].
	Porcupine Porcupine
	// Done, if set, says which cells need not be run: their counts are known.
	Done func(*Cell) bool
	// Progress, if set, is called after each trial.
	Progress func()
}

// Cell is one combination of parameters, lock and guard, with its counts.
type Cell struct {
	Plan *Plan
	// Values are those of the axes, in their order.
	Values []string
	// Counts are by property, in the order of checker.Properties.
	Counts []Count
	// Outcomes are by property, too, once the cell is finished. NoOutcomes says that they are not
	// known, as of a cell that was taken from an older file.
	Outcomes   []Outcome
	NoOutcomes bool
	// Acquisitions and Held are how much the lock was used in all trials.
	Acquisitions int64
	// GaveUp counts attempts to acquire that ended without the lock.
	GaveUp int64
	Held   time.Duration
	// Ledger is that of all trials, added up.
	Ledger []fault.Entry
	// Finished says that every trial of the cell has been run.
	Finished bool

	violated, unknown []seedSet // by property
}

// Count is how the trials of a cell came out for one property.
type Count struct {
	Trials, Violations, Unknown int64
	// Harms counts each violation, where Violations counts the trials that had any.
	Harms int64
}

// Outcome is which trials of a cell were violated and unknown for one property: their seeds, in
// the order of the sweep.
type Outcome struct{ Violated, Open Seeds }

// Cells checks the whole grid and returns its cells, nothing run yet.
func (s *Sweep) Cells() ([]*Cell, error) {
	var cells []*Cell
	for _, values := range Grid(s.Axes) {
		for _, name := range sortedKeys(s.Fixed) {
			if _, varied := values[name]; varied {
				return nil, fmt.Errorf("parameter %q is both set and varied", name)
			}
			values[name] = s.Fixed[name]
		}
		in, err := s.Scenario.Instantiate(s.Registry, values)
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
	return cells, nil
}

func (s *Sweep) newCell(p *Plan) *Cell {
	p.SkipLinear, p.SampleLinear = s.Porcupine != PorcupineAll, s.Porcupine != PorcupineNone
	n := len(checker.Properties)
	return &Cell{Plan: p, Counts: make([]Count, n), Outcomes: make([]Outcome, n), violated: make([]seedSet, n), unknown: make([]seedSet, n)}
}

// Run counts every cell that has something to run. When the context ends early, the
// cells that were finished are marked so and the error is the context's.
func (s *Sweep) Run(ctx context.Context, cells []*Cell) error {
	trials := int(s.Seeds.Len())
	var todo []*Cell
	for _, c := range cells {
		c.Finished = c.Plan.NotApplicable != "" || (s.Done != nil && s.Done(c))
		if !c.Finished {
			todo = append(todo, c)
		}
	}
	jobs := Jobs{Len: len(todo) * trials, At: func(i int) Job {
		return Job{todo[i/trials].Plan, s.Seeds.At(uint64(i % trials))}
	}}
	var mutex sync.Mutex
	err := RunAll(ctx, jobs, s.Workers, func(i int, t *Trial, r Result) {
		mutex.Lock()
		defer mutex.Unlock()
		c := todo[i/trials]
		c.count(t.Checker, &r.Verdict, uint64(i%trials))
		c.add(t.Ledger())
		if s.Progress != nil {
			s.Progress()
		}
	})
	for _, c := range todo {
		c.Finished = c.Counts[0].Trials == int64(trials)
		for i := range c.Counts {
			c.Outcomes[i] = Outcome{Violated: c.violated[i].of(s.Seeds), Open: c.unknown[i].of(s.Seeds)}
		}
	}
	return err
}

// Trials is how many trials the cells take at most.
func (s *Sweep) Trials(cells []*Cell) int {
	n := 0
	for _, c := range cells {
		if c.Plan.NotApplicable == "" {
			n += int(s.Seeds.Len())
		}
	}
	return n
}

// count counts the trial of the seed that has an index among the sweep's.
func (c *Cell) count(judge *checker.Checker, v *checker.Verdict, index uint64) {
	c.Acquisitions += judge.Usage.Acquisitions
	c.GaveUp += judge.Usage.GaveUp
	c.Held += judge.Usage.Held
	for i, property := range checker.Properties {
		switch v.Of(property) {
		case checker.Violated:
			c.Counts[i].Violations++
			c.violated[i].add(index)
		case checker.Unknown:
			c.Counts[i].Unknown++
			c.unknown[i].add(index)
		case checker.NotApplicable:
			continue
		}
		c.Counts[i].Trials++
		c.Counts[i].Harms += judge.Harms(v, property)
	}
}

// add adds up the ledger of a trial.
func (c *Cell) add(ledger []fault.Entry) {
	for i, e := range ledger {
		if i == len(c.Ledger) {
			c.Ledger = append(c.Ledger, fault.Entry{Label: e.Label, Layer: e.Layer})
		}
		sum := &c.Ledger[i]
		sum.Fired += e.Fired
		sum.TookEffect += e.TookEffect
		sum.TouchedHolder += e.TouchedHolder
	}
}
