package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/checker"
	"fencepost/checker/stats"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// SweepTable is what a sweep counted: one row for each cell and property.
type SweepTable struct {
	Scenario string
	// Hash is that of the scenario's file; empty if the table was read from a CSV.
	Hash string
	// File is where the scenario is, if fencepost does not ship it.
	File string
	// Workload says what the clients do, as the first cell has it; empty if the
	// table was read from a CSV.
	Workload string
	Params   []string // names of the parameter columns
	Seeds    string
	// Anytime says that cells could stop for what they had seen.
	Anytime bool
	Rows    []SweepRow
	// Cells are those that were run; nil if the table was read from a CSV.
	Cells []SweepCell
	// Coverage is of each lock that was run, in their order; nil if the table was read from a CSV.
	Coverage []LockCoverage
}

// SweepRow is one property in one cell.
type SweepRow struct {
	Lock, Guard string
	Values      []string // by parameter column
	Property    string
	Rate        stats.Rate
	// Harms counts each violation, where Rate counts the trials that had any;
	// Acquisitions and Held are how much the lock was used in all trials.
	Harms        int64
	Acquisitions int64
	Held         time.Duration
	// GaveUp counts attempts to acquire that ended without the lock.
	GaveUp int64
	// ClosedForm is the rate that the scenario's closed form gives, if it has one.
	ClosedForm *float64
	// Violated and Open are the seeds of the trials that were violated and unknown; HasSeeds says
	// that they are known, as they are not of a CSV or an older JSON.
	Violated, Open sweeps.Seeds
	HasSeeds       bool
	// Estimate is the rate if it was not estimated as the share of the trials; Rate then counts
	// trials that were drawn otherwise than they are in the world.
	Estimate *Estimate
	// Stopped is why the cell was stopped before all its trials were run.
	Stopped string
	// Faults are the ledgers of all trials, added up.
	Faults []Fault
	// NotApplicable says why the cell was not run, or why the property makes no sense in it.
	NotApplicable string
}

// Confidence is that of every interval.
const Confidence = stats.DefaultConfidence

// NewSweepTable tabulates the finished cells of a sweep.
func NewSweepTable(s *sweeps.Sweep, cells []*sweeps.Cell) *SweepTable {
	t := &SweepTable{Scenario: s.Scenario.Name, Hash: s.Scenario.Hash, Seeds: s.Seeds.String(), Anytime: s.Stops()}
	if !s.Scenario.Library {
		t.File = s.Scenario.Path()
	}
	if len(cells) > 0 {
		t.Workload = cells[0].Plan.Instance.Workload()
	}
	for _, p := range s.Scenario.Params {
		t.Params = append(t.Params, p.Name)
	}
	t.Coverage = sweepCoverage(cells)
	for _, c := range cells {
		if !c.Finished {
			continue
		}
		if c.Plan.NotApplicable == "" {
			t.Cells = append(t.Cells, newSweepCell(c))
		}
		for i, property := range checker.Properties {
			n := c.Counts[i]
			why := whyNot(c.Plan, property, n)
			if why == "" && n.Trials == 0 {
				continue // porcupine was left out
			}
			var closed *float64
			if rate, ok := c.Plan.ClosedForm(property); ok && why == "" {
				closed = &rate
			}
			row := SweepRow{
				Lock: c.Plan.Describe.Name, Guard: c.Plan.Guard.Name, Values: paramValues(t.Params, c.Plan), Property: property,
				Rate:    stats.Rate{Trials: n.Trials, Violations: n.Violations, Unknown: n.Unknown, Confidence: Confidence, Anytime: s.Stops()},
				Stopped: string(c.Stopped), Harms: n.Harms, Acquisitions: c.Acquisitions, Held: c.Held, GaveUp: c.GaveUp,
				ClosedForm: closed, NotApplicable: why}
			if why == "" {
				row.Estimate = estimateOf(s, c, i, property)
			}
			if c.Outcomes != nil {
				row.Violated, row.Open, row.HasSeeds = c.Outcomes[i].Violated, c.Outcomes[i].Open, why == ""
			}
			for _, e := range c.Ledger {
				row.Faults = append(row.Faults, newFault(e))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// cell names the cell that a row is of.
func (r *SweepRow) cell() string {
	return strings.Join(append([]string{r.Lock, r.Guard}, r.Values...), "\x00")
}

// sweepCoverage adds up what the cells of each lock have covered.
func sweepCoverage(cells []*sweeps.Cell) (list []LockCoverage) {
	var all []*scenarios.Coverage
	for _, c := range cells {
		if c.Plan.NotApplicable != "" {
			continue
		}
		i := slices.IndexFunc(all, func(o *scenarios.Coverage) bool { return o.Lock == c.Coverage.Lock })
		if i < 0 {
			i = len(all)
			all = append(all, scenarios.NewCoverage(c.Coverage.Lock))
		}
		all[i].Add(c.Coverage)
	}
	for _, c := range all {
		list = append(list, lockCoverage(c))
	}
	return list
}

// whyNot says why nothing was counted of a property, if it makes no sense.
func whyNot(p *scenarios.Plan, property string, n sweeps.Count) string {
	switch {
	case p.NotApplicable != "":
		return p.NotApplicable
	case property != checker.Tokens || n.Trials > 0:
		return ""
	case p.Describe.Token == "":
		return scenarios.NoToken
	}
	return "nobody was given a token"
}

func paramValues(names []string, p *scenarios.Plan) []string {
	values := make([]string, len(names))
	for i, name := range names {
		values[i] = p.Instance.Values[name]
	}
	return values
}

// Unknown reports whether a bound left any trial open.
func (t *SweepTable) Unknown() bool {
	for i := range t.Rows {
		if t.Rows[i].Rate.Unknown > 0 {
			return true
		}
	}
	return false
}

// point is the rate; false if it is withheld.
func (r *SweepRow) point() (float64, bool) {
	p, ok := r.Rate.Point()
	if r.Estimate != nil && ok {
		return r.Estimate.Rate, true
	}
	return p, ok
}

// interval is that of the rate.
func (r *SweepRow) interval() stats.Interval {
	if r.Estimate != nil {
		return stats.Interval{Low: r.Estimate.Low, High: r.Estimate.High}
	}
	return r.Rate.Interval()
}

// rateText is the rate in a table.
func (r *SweepRow) rateText() string {
	if _, ok := r.Rate.Point(); r.Estimate != nil && ok {
		return r.Estimate.text(r.Rate.Trials)
	}
	return r.Rate.String()
}

// PerAcquisition is how many violations there were for each acquisition, and
// PerHourHeld for each hour for which a client believed to hold the lock. They are
// false if there is nothing to divide by, or if runs were drawn otherwise than they are in the world.
func (r *SweepRow) PerAcquisition() (float64, bool) {
	return float64(r.Harms) / float64(r.Acquisitions), r.Acquisitions > 0 && !r.biased()
}

// PerHourHeld: see PerAcquisition.
func (r *SweepRow) PerHourHeld() (float64, bool) {
	return float64(r.Harms) / r.Held.Hours(), r.Held > 0 && !r.biased()
}

func (r *SweepRow) biased() bool {
	return r.Estimate != nil && r.Estimate.Method == string(sweeps.Biased)
}

// quitters says which locks' clients gave up acquiring, so that a rate is not taken for
// safety where nobody was there to be harmed.
func (t *SweepTable) quitters(property string) string {
	var locks []string
	gaveUp, got := map[string]int64{}, map[string]int64{}
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Property != property {
			continue
		}
		if r.GaveUp > 0 && gaveUp[r.Lock] == 0 {
			locks = append(locks, r.Lock)
		}
		gaveUp[r.Lock] += r.GaveUp
		got[r.Lock] += r.Acquisitions
	}
	for i, lock := range locks {
		locks[i] = fmt.Sprintf("%s %d of %d times", lock, gaveUp[lock], gaveUp[lock]+got[lock])
	}
	return strings.Join(locks, ", ")
}

// method is the estimator of the rates, empty if they are counted.
func (t *SweepTable) method() string {
	for i := range t.Rows {
		if e := t.Rows[i].Estimate; e != nil {
			return e.Method
		}
	}
	return ""
}

// foot says what the rates of a table are rates of.
func (t *SweepTable) foot() string {
	intervals := "95 % Clopper-Pearson intervals"
	if t.Anytime {
		intervals = "95 % confidence sequences, which hold wherever a cell stopped"
	}
	switch t.method() {
	case string(sweeps.Biased):
		intervals = "95 % intervals of weighted counts (Fay and Feuer)"
	case string(sweeps.Conditional):
		return fmt.Sprintf("scenario %s, seeds %s; one trial is some forty runs; 95 %% intervals of Student's t", t.Scenario, t.Seeds)
	}
	return fmt.Sprintf("scenario %s, seeds %s; one trial is one run; %s", t.Scenario, t.Seeds, intervals)
}

// stamp is the foot of a picture, which goes about alone: it names the version, too.
func (t *SweepTable) stamp() string {
	return fmt.Sprintf("fencepost %s; %s; %s", Version, t.foot(), t.trialsAPoint())
}

// trials says how many there are of each cell that was run.
func (t *SweepTable) trials() string {
	var n spread
	for i := range t.Rows {
		if t.Rows[i].NotApplicable == "" {
			n.add(t.Rows[i].Rate.Trials)
		}
	}
	return n.of("trial", "trials")
}
