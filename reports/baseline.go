package reports

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// Baseline is an earlier sweep that later ones are compared with.
type Baseline struct {
	Table *SweepTable
	// File is how messages name it, Version is that of the fencepost which wrote it.
	File, Version string
	// cells are where the rows of each cell that was run begin, and their number.
	cells []baselineCell
	seeds sweeps.Seeds
}

type baselineCell struct{ from, to int }

// NewBaseline checks that a table can be compared with.
func NewBaseline(t *SweepTable, file, version string) (*Baseline, error) {
	if t.Anytime {
		return nil, errors.New("its cells stopped for what they had seen (--until-…), each after another number of trials: a baseline runs all of them")
	}
	if method := t.method(); method != "" {
		return nil, fmt.Errorf("its rates are estimated (--estimate %s): a baseline counts, so that each seed can be compared", method)
	}
	b := &Baseline{Table: t, File: file, Version: version}
	var err error
	if b.seeds, err = sweeps.ParseSeeds(t.Seeds); err != nil {
		return nil, err
	}
	if err := t.consistent(b.seeds); err != nil {
		return nil, err
	}
	for from := 0; from < len(t.Rows); {
		to := from
		for to < len(t.Rows) && t.Rows[to].cell() == t.Rows[from].cell() {
			if r := &t.Rows[to]; r.NotApplicable == "" && !r.HasSeeds {
				return nil, errors.New("it does not say which seeds were violated, as sweeps did not when it was written; write it anew with `fencepost sweep --out`")
			}
			to++
		}
		if t.Rows[from].NotApplicable == "" {
			b.cells = append(b.cells, baselineCell{from, to})
		}
		from = to
	}
	if len(b.cells) == 0 {
		return nil, errors.New("nothing in it was run")
	}
	return b, nil
}

// Seeds are those of the sweep.
func (b *Baseline) Seeds() sweeps.Seeds { return b.seeds }

// Path is how its scenario is loaded.
func (b *Baseline) Path() string {
	if b.Table.File != "" {
		return b.Table.File
	}
	return b.Table.Scenario
}

// Cells are what is to be run again.
func (b *Baseline) Cells() (wanted []sweeps.Wanted) {
	for _, c := range b.cells {
		r := &b.Table.Rows[c.from]
		w := sweeps.Wanted{Lock: r.Lock, Guard: r.Guard, Values: map[string]string{}}
		for i, name := range b.Table.Params {
			w.Values[name] = r.Values[i]
		}
		wanted = append(wanted, w)
	}
	return wanted
}

// Compare returns what became of the properties in each cell, cells being those of
// [Baseline.Cells] after they have been run.
func (b *Baseline) Compare(cells []*sweeps.Cell, properties []string) (changes []Change) {
	for i, c := range b.cells {
		for _, row := range b.Table.Rows[c.from:c.to] {
			k := slices.Index(checker.Properties, row.Property)
			if row.NotApplicable != "" || !slices.Contains(properties, row.Property) || k < 0 {
				continue
			}
			changes = append(changes, b.change(&row, cells[i], &cells[i].Outcomes[k]))
		}
	}
	return changes
}

func (b *Baseline) change(row *SweepRow, cell *sweeps.Cell, now *sweeps.Outcome) Change {
	c := Change{Lock: row.Lock, Guard: row.Guard, Params: maps.Clone(cell.Plan.Instance.Values), Property: row.Property,
		Trials: b.seeds.Len(), Before: row.Violated.Len(), After: now.Violated.Len(), plan: cell.Plan}
	for i := range b.seeds.Len() {
		seed := b.seeds.At(i)
		was, is := row.Violated.Has(seed), now.Violated.Has(seed)
		switch {
		case row.Open.Has(seed), now.Open.Has(seed):
			c.Open = c.Open.With(seed)
		case is && !was:
			c.Bad = c.Bad.With(seed)
		case was && !is:
			c.Good = c.Good.With(seed)
		}
	}
	c.P = stats.SignTest(int64(c.Bad.Len()), int64(c.Good.Len()))
	return c
}

// Changed says in words in what the scenario and the program are not those of the baseline.
func (b *Baseline) Changed(s *scenarios.Scenario) (lines []string) {
	if b.Version != Version {
		lines = append(lines, fmt.Sprintf("it was written by fencepost %s, this is %s", b.Version, Version))
	}
	if b.Table.Hash != s.Hash {
		lines = append(lines, fmt.Sprintf("scenario %s has changed since: its hash was %s and is %s", s.Name, b.Table.Hash, s.Hash))
	}
	var added []string
	for _, p := range s.Params {
		if !slices.Contains(b.Table.Params, p.Name) {
			added = append(added, p.Name+"="+p.Default)
		}
	}
	if len(added) > 0 {
		lines = append(lines, "the scenario has new parameters, which have their defaults: "+strings.Join(added, ", "))
	}
	return lines
}
