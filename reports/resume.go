package reports

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"fencepost/checker"
	"fencepost/scenarios"
)

// Continues fails if a sweep is not of the scenario and the seeds of the table, or the table is
// not one that a sweep has written, so that its cells cannot be taken over.
func (t *SweepTable) Continues(s *scenarios.Sweep) error {
	if t.Scenario != s.Scenario.Name || t.Hash != s.Scenario.Hash {
		return fmt.Errorf("it is of scenario %s with hash %s, but %s is %s with hash %s",
			t.Scenario, t.Hash, s.Scenario.File, s.Scenario.Name, s.Scenario.Hash)
	}
	if seeds := s.Seeds.String(); t.Seeds != seeds {
		return fmt.Errorf("it has the seeds %s, the sweep has %s", t.Seeds, seeds)
	}
	var params []string
	for _, p := range s.Scenario.Params {
		params = append(params, p.Name)
	}
	if !slices.Equal(t.Params, params) {
		return fmt.Errorf("it has the parameters %s, the scenario has %s", strings.Join(t.Params, ", "), strings.Join(params, ", "))
	}
	return t.whole(int64(s.Seeds.Len()))
}

// counted are the properties that a cell has rows of: all, or all but porcupine's answers, which
// are the last.
func counted(linear bool) []string {
	if linear {
		return checker.Properties
	}
	return checker.Properties[:len(checker.Properties)-2]
}

// untold leaves out what the rows of a cell once did not tell.
func untold(properties []string) []string {
	return slices.DeleteFunc(slices.Clone(properties), func(p string) bool { return p == checker.Tokens })
}

// whole fails if a cell lacks a row, or has one twice, or its rows contradict each other.
func (t *SweepTable) whole(trials int64) error {
	for from := 0; from < len(t.Rows); {
		first, to := &t.Rows[from], from
		var properties []string
		for to < len(t.Rows) && t.Rows[to].cell() == first.cell() {
			properties = append(properties, t.Rows[to].Property)
			to++
		}
		if slices.Equal(properties, untold(counted(true))) || slices.Equal(properties, untold(counted(false))) {
			return fmt.Errorf("rows %d to %d: the cell has no row of %s, which sweeps did not count when the file was written; run the sweep anew, without --resume",
				from+1, to, checker.Tokens)
		}
		if !slices.Equal(properties, counted(true)) && !slices.Equal(properties, counted(false)) {
			return fmt.Errorf("rows %d to %d: a cell has the rows %s, in this order, and these are %s; was the file changed?",
				from+1, to, strings.Join(counted(true), ", "), strings.Join(properties, ", "))
		}
		for i := from; i < to; i++ {
			if err := t.Rows[i].agrees(first, trials); err != nil {
				return fmt.Errorf("row %d: %w; was the file changed?", i+1, err)
			}
		}
		from = to
	}
	return nil
}

// cell names the cell that a row is of.
func (r *SweepRow) cell() string {
	return strings.Join(append([]string{r.Lock, r.Guard}, r.Values...), "\x00")
}

// agrees fails if a row says something else of its cell than the cell's first row does. Tokens
// are n/a by themselves in a trial in which nobody was given one, and so in all trials.
func (r *SweepRow) agrees(first *SweepRow, trials int64) error {
	fewer := r.Property == checker.Tokens && r.Rate.Trials < trials
	switch {
	case r.NotApplicable == "" && r.Rate.Trials != trials && !fewer:
		return fmt.Errorf("it has %d trials of %d seeds", r.Rate.Trials, trials)
	case r.NotApplicable != first.NotApplicable && !(fewer && first.NotApplicable == ""), r.Acquisitions != first.Acquisitions, r.Held != first.Held,
		r.GaveUp != first.GaveUp, !reflect.DeepEqual(r.Faults, first.Faults):
		return fmt.Errorf("it says something else of the runs than the first row of its cell")
	}
	return nil
}

// Fill takes the counts of a cell from an earlier table of the same sweep, if it has the
// cell's lock, guard and parameters. It reports whether it did.
func (t *SweepTable) Fill(c *scenarios.Cell) bool {
	want := SweepRow{Lock: c.Plan.Describe.Name, Guard: c.Plan.Guard.Name, Values: paramValues(t.Params, c.Plan)}
	from := slices.IndexFunc(t.Rows, func(r SweepRow) bool { return r.cell() == want.cell() })
	properties := counted(!c.Plan.SkipLinear)
	if from < 0 || from+len(properties) > len(t.Rows) || t.Rows[from+len(properties)-1].cell() != want.cell() {
		return false
	}
	for k := range properties {
		r := &t.Rows[from+k]
		c.Counts[k] = scenarios.Count{Trials: r.Rate.Trials, Violations: r.Rate.Violations, Unknown: r.Rate.Unknown, Harms: r.Harms}
		c.Outcomes[k] = scenarios.Outcome{Violated: r.Violated, Open: r.Open}
		c.NoOutcomes = c.NoOutcomes || !r.HasSeeds && r.NotApplicable == ""
	}
	r := &t.Rows[from]
	c.Acquisitions, c.Held, c.GaveUp, c.Ledger = r.Acquisitions, r.Held, r.GaveUp, entries(r.Faults)
	return true
}
