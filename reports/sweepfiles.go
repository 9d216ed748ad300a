package reports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"fencepost/checker/stats"
	"fencepost/reports/plainjson"
	"fencepost/scenarios/sweeps"
)

// sweepJSON is the JSON form of a sweep.
type sweepJSON struct {
	Schema   string         `json:"schema"`
	Version  string         `json:"fencepost"`
	Scenario string         `json:"scenario"`
	Hash     string         `json:"scenario_hash"`
	File     string         `json:"scenario_file,omitempty"`
	Workload string         `json:"workload"`
	Seeds    string         `json:"seeds"`
	Params   []string       `json:"params"`
	Anytime  bool           `json:"anytime,omitempty"`
	Rows     []sweepRowJSON `json:"rows"`
	Cells    []SweepCell    `json:"cells,omitempty"`
	Coverage []LockCoverage `json:"coverage,omitempty"`
}

type sweepRowJSON struct {
	Lock          string            `json:"lock"`
	Guard         string            `json:"guard"`
	Params        map[string]string `json:"params"`
	Property      string            `json:"property"`
	Trials        int64             `json:"trials"`
	Violations    int64             `json:"violations"`
	Unknown       int64             `json:"unknown"`
	Violated      *string           `json:"violated_seeds,omitempty"` // missing in files from before there were any
	Open          *string           `json:"unknown_seeds,omitempty"`
	Rate          *float64          `json:"rate"` // null if withheld or not applicable
	Low           *float64          `json:"low"`
	High          *float64          `json:"high"`
	Confidence    float64           `json:"confidence"`
	Harms         int64             `json:"violation_events"`
	Acquisitions  int64             `json:"acquisitions"`
	HeldNanos     int64             `json:"held_ns"`
	GaveUp        int64             `json:"gave_up"`
	ClosedForm    *float64          `json:"closed_form,omitempty"`
	Faults        []Fault           `json:"faults,omitempty"`
	Estimate      *Estimate         `json:"estimate,omitempty"`
	Stopped       string            `json:"stopped,omitempty"`
	NotApplicable string            `json:"not_applicable,omitempty"`
}

// SweepSchema names the form of a sweep's JSON.
const SweepSchema = "fencepost/sweep/v1"

// WriteSweepJSON writes a sweep as one JSON object.
func WriteSweepJSON(w io.Writer, t *SweepTable) error {
	d := sweepJSON{Schema: SweepSchema, Version: Version, Scenario: t.Scenario, Hash: t.Hash, File: t.File, Workload: t.Workload, Seeds: t.Seeds, Params: t.Params, Anytime: t.Anytime, Rows: []sweepRowJSON{}, Cells: t.Cells, Coverage: t.Coverage}
	for i := range t.Rows {
		d.Rows = append(d.Rows, t.Rows[i].json(t.Params))
	}
	return encode(w, d)
}

func (r *SweepRow) json(params []string) sweepRowJSON {
	row := sweepRowJSON{Lock: r.Lock, Guard: r.Guard, Params: map[string]string{}, Property: r.Property,
		Trials: r.Rate.Trials, Violations: r.Rate.Violations, Unknown: r.Rate.Unknown,
		Confidence: Confidence, Harms: r.Harms, Acquisitions: r.Acquisitions, HeldNanos: int64(r.Held), GaveUp: r.GaveUp, Faults: r.Faults, Estimate: r.Estimate.portable(), Stopped: r.Stopped, NotApplicable: r.NotApplicable}
	if r.ClosedForm != nil {
		closed := portable(*r.ClosedForm)
		row.ClosedForm = &closed
	}
	for i, name := range params {
		row.Params[name] = r.Values[i]
	}
	if r.HasSeeds {
		violated, open := r.Violated.String(), r.Open.String()
		row.Violated, row.Open = &violated, &open
	}
	if r.NotApplicable == "" {
		i := r.interval()
		low, high := portable(i.Low), portable(i.High)
		row.Low, row.High = &low, &high
		if p, ok := r.point(); ok {
			p = portable(p)
			row.Rate = &p
		}
	}
	return row
}

// WriteSweepText writes the rates of one property for people.
func WriteSweepText(w io.Writer, t *SweepTable, property string) error {
	p := &printer{w: w}
	p.printf("fencepost %s  sweep of %s  seeds %s  property %s\n\n", Version, t.Scenario, t.Seeds, property)
	p.table(t.head(), t.rowsFor(property))
	p.printf("\n%s\n", t.foot())
	for _, line := range t.warnings(property) {
		p.printf("%s\n", line)
	}
	if t.Workload != "" {
		p.printf("workload: %s\n", t.Workload)
	}
	if q := t.quitters(property); q != "" {
		p.printf("clients gave up acquiring: %s\n", q)
	}
	if len(t.Coverage) > 0 {
		p.printf("\n")
		p.coverage(t.Coverage)
	}
	return p.err
}

// WriteSweepMarkdown writes the same as a Markdown table.
func WriteSweepMarkdown(w io.Writer, t *SweepTable, property string) error {
	p := &printer{w: w}
	p.markdownRows(t.head(), t.rowsFor(property))
	p.printf("\n%s\n", t.foot())
	for _, line := range t.warnings(property) {
		p.printf("\n%s\n", line)
	}
	if t.Workload != "" {
		p.printf("\nworkload: %s\n", t.Workload)
	}
	if q := t.quitters(property); q != "" {
		p.printf("\nclients gave up acquiring: %s\n", q)
	}
	if len(t.Coverage) > 0 {
		p.printf("\n")
		p.markdownRows(coverageHead, coverageRows(t.Coverage))
	}
	return p.err
}

// head are the columns of a table for people.
func (t *SweepTable) head() []string {
	return append(append([]string{"lock", "guard"}, t.Params...), "trials violated", "closed form", "per acquisition", "per hour held")
}

func percent(p *float64) string {
	if p == nil {
		return "-"
	}
	if *p > 0 && *p < 0.0005 {
		return strconv.FormatFloat(*p, 'g', 3, 64)
	}
	return strconv.FormatFloat(100**p, 'f', 1, 64) + " %"
}

// per writes a ratio; that of no violation at all is not 0 but unknown.
func (r *SweepRow) per(v float64, ok bool) string {
	switch {
	case !ok:
		return "-"
	case r.Harms == 0:
		return "none seen"
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

func (t *SweepTable) rowsFor(property string) [][]string {
	var rows [][]string
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Property != property {
			continue
		}
		row := append([]string{r.Lock, r.Guard}, r.Values...)
		if r.NotApplicable != "" {
			rows = append(rows, append(row, "n/a: "+r.NotApplicable))
			continue
		}
		rows = append(rows, append(row, r.rateText(), percent(r.ClosedForm), r.per(r.PerAcquisition()), r.per(r.PerHourHeld())))
	}
	return rows
}

// ReadSweepJSON reads what WriteSweepJSON wrote.
func ReadSweepJSON(in io.Reader) (*SweepTable, error) {
	t, _, err := readSweepJSON(in, false)
	return t, err
}

// ReadBaseline reads what WriteSweepJSON of any version wrote, and returns the version, too.
func ReadBaseline(in io.Reader) (*SweepTable, string, error) { return readSweepJSON(in, true) }

func readSweepJSON(in io.Reader, anyVersion bool) (*SweepTable, string, error) {
	var d sweepJSON
	decoder := json.NewDecoder(in)
	if err := decoder.Decode(&d); err != nil {
		return nil, "", fmt.Errorf("not a sweep's JSON: %w", plainjson.Error(err))
	}
	if decoder.More() {
		return nil, "", errors.New("not a sweep's JSON: something follows the object")
	}
	if d.Schema != SweepSchema {
		return nil, "", fmt.Errorf("not a sweep's JSON: its schema is %q, not %q", d.Schema, SweepSchema)
	}
	if d.Version != Version && !anyVersion {
		return nil, d.Version, fmt.Errorf("it was written by fencepost %s, this is %s, which may count differently", d.Version, Version)
	}
	t := &SweepTable{Scenario: d.Scenario, Hash: d.Hash, File: d.File, Workload: d.Workload, Seeds: d.Seeds, Params: d.Params, Anytime: d.Anytime, Cells: d.Cells, Coverage: d.Coverage}
	for i := range d.Rows {
		row, err := d.Rows[i].read(d.Params)
		row.Rate.Anytime = d.Anytime
		if err != nil {
			return nil, d.Version, fmt.Errorf("row %d: %w", i+1, err)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, d.Version, nil
}

// read makes a row of its JSON.
func (r *sweepRowJSON) read(params []string) (SweepRow, error) {
	row := SweepRow{Lock: r.Lock, Guard: r.Guard, Property: r.Property, Estimate: r.Estimate, Stopped: r.Stopped, NotApplicable: r.NotApplicable,
		Rate:  stats.Rate{Trials: r.Trials, Violations: r.Violations, Unknown: r.Unknown, Confidence: Confidence},
		Harms: r.Harms, Acquisitions: r.Acquisitions, Held: time.Duration(r.HeldNanos), GaveUp: r.GaveUp, ClosedForm: r.ClosedForm, Faults: r.Faults}
	if n := row.Rate; n.Trials < 0 || n.Violations < 0 || n.Unknown < 0 || n.Violations+n.Unknown > n.Trials ||
		(n.Trials == 0) != (row.NotApplicable != "") {
		return row, fmt.Errorf("%d violations and %d unknown of %d trials cannot be", n.Violations, n.Unknown, n.Trials)
	}
	if err := countable(r); err != nil {
		return row, err
	}
	for _, name := range params {
		v, ok := r.Params[name]
		if !ok || len(r.Params) != len(params) {
			return row, fmt.Errorf("its parameters are not those of the sweep: %s", strings.Join(params, ", "))
		}
		row.Values = append(row.Values, v)
	}
	return row, row.readSeeds(r)
}

// readSeeds reads which seeds were violated and unknown, if the row says so.
func (row *SweepRow) readSeeds(r *sweepRowJSON) (err error) {
	if r.Violated == nil || r.Open == nil {
		return nil // an older file, or nothing was run
	}
	row.HasSeeds = true
	if row.Violated, err = seedsOf(*r.Violated, r.Violations); err != nil {
		return fmt.Errorf("violated_seeds: %w", err)
	}
	if row.Open, err = seedsOf(*r.Open, r.Unknown); err != nil {
		return fmt.Errorf("unknown_seeds: %w", err)
	}
	return nil
}

// seedsOf reads a list that may be empty, of a number of seeds.
func seedsOf(text string, n int64) (seeds sweeps.Seeds, err error) {
	if text != "" {
		if seeds, err = sweeps.ParseSeeds(text); err != nil {
			return nil, err
		}
	}
	if seeds.Len() != uint64(n) {
		return nil, fmt.Errorf("%d seeds are named, and %d counted", seeds.Len(), n)
	}
	return seeds, nil
}

// countable fails if what a row has counted cannot be a count.
func countable(r *sweepRowJSON) error {
	counts := []int64{r.Harms, r.Acquisitions, r.HeldNanos, r.GaveUp}
	for _, f := range r.Faults {
		counts = append(counts, int64(f.Fired), int64(f.TookEffect), int64(f.TouchedHolder))
	}
	for _, n := range counts {
		if n < 0 {
			return fmt.Errorf("%d is not a count", n)
		}
	}
	return nil
}
