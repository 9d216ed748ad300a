package reports

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"fencepost/checker/stats"
	"fencepost/scenarios/sweeps"
)

// Columns of a sweep's CSV before and after the parameters.
var (
	columnsBefore = []string{"scenario", "lock", "guard"}
	columnsAfter  = []string{"property", "trials", "violations", "unknown", "rate", "low", "high", "confidence", "method", "warning", "seeds", "not_applicable"}
)

// Words in place of a rate.
const (
	withheld      = "withheld"
	notApplicable = "n/a"
)

// How a rate and its interval were come by, but for the estimators: [Estimate].Method.
const (
	clopperPearson = "clopper-pearson"
	anytime        = "anytime"
)

// method says how the rate and its interval were come by.
func (r *SweepRow) method() string {
	switch {
	case r.NotApplicable != "":
		return notApplicable
	case r.Estimate != nil:
		return r.Estimate.Method
	case r.Rate.Anytime:
		return anytime
	}
	return clopperPearson
}

// warning says why the rate is not to be trusted, if something speaks against it.
func (r *SweepRow) warning() string {
	if r.Estimate == nil {
		return ""
	}
	return r.Estimate.Warning
}

// WriteSweepCSV writes one row a cell and property. A rate is a number, "withheld" if
// too many trials are unknown, or "n/a" with the reason in the last column.
func WriteSweepCSV(w io.Writer, t *SweepTable) error {
	c := csv.NewWriter(w)
	head := append(append(append([]string{}, columnsBefore...), t.Params...), columnsAfter...)
	if err := c.Write(head); err != nil {
		return err
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		row := append([]string{t.Scenario, r.Lock, r.Guard}, r.Values...)
		rate, low, high := r.numbers()
		row = append(row, r.Property, strconv.FormatInt(r.Rate.Trials, 10), strconv.FormatInt(r.Rate.Violations, 10),
			strconv.FormatInt(r.Rate.Unknown, 10), rate, low, high, formatRate(Confidence), r.method(), r.warning(), t.Seeds, r.NotApplicable)
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func (r *SweepRow) numbers() (rate, low, high string) {
	if r.NotApplicable != "" {
		return notApplicable, notApplicable, notApplicable
	}
	i := r.interval()
	rate = withheld
	if p, ok := r.point(); ok {
		rate = formatRate(p)
	}
	return rate, formatRate(i.Low), formatRate(i.High)
}

func formatRate(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// ReadSweepCSV reads what WriteSweepCSV wrote.
func ReadSweepCSV(in io.Reader) (*SweepTable, error) {
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("not a sweep's CSV: %w", err)
	}
	if len(rows) == 0 {
		return nil, errors.New("not a sweep's CSV: it is empty")
	}
	t := &SweepTable{}
	if t.Params, err = paramColumns(rows[0]); err != nil {
		return nil, err
	}
	seedsAt := len(columnsBefore) + len(t.Params) + slices.Index(columnsAfter, "seeds")
	for i, row := range rows[1:] {
		r, err := readRow(row, len(t.Params))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		if i > 0 && (row[0] != t.Scenario || row[seedsAt] != t.Seeds) {
			return nil, fmt.Errorf("line %d: scenario or seeds differ from those of line 2; chart one sweep at a time", i+2)
		}
		t.Scenario, t.Seeds, t.Anytime = row[0], row[seedsAt], t.Anytime || r.Rate.Anytime
		t.Rows = append(t.Rows, r)
	}
	if len(t.Rows) == 0 {
		return nil, errors.New("the sweep has no rows: no cell of it was finished")
	}
	return t, nil
}

func paramColumns(head []string) ([]string, error) {
	want := fmt.Errorf("not a sweep's CSV: line 1 must read %s,<one column a parameter>,%s",
		strings.Join(columnsBefore, ","), strings.Join(columnsAfter, ","))
	n := len(head) - len(columnsBefore) - len(columnsAfter)
	if n < 0 {
		return nil, want
	}
	for i, name := range columnsBefore {
		if head[i] != name {
			return nil, want
		}
	}
	for i, name := range columnsAfter {
		if head[len(columnsBefore)+n+i] != name {
			return nil, want
		}
	}
	return head[len(columnsBefore) : len(columnsBefore)+n], nil
}

func readRow(row []string, params int) (SweepRow, error) {
	after := row[len(columnsBefore)+params:]
	r := SweepRow{Lock: row[1], Guard: row[2], Values: row[len(columnsBefore) : len(columnsBefore)+params],
		Property: after[0], NotApplicable: after[len(after)-1]}
	var err error
	number := func(text string) int64 {
		n, e := strconv.ParseInt(text, 10, 64)
		if err == nil && (e != nil || n < 0) {
			err = fmt.Errorf("%q is not a count", text)
		}
		return n
	}
	r.Rate = stats.Rate{Trials: number(after[1]), Violations: number(after[2]), Unknown: number(after[3]), Confidence: Confidence}
	if err == nil && (r.Rate.Violations+r.Rate.Unknown > r.Rate.Trials || (r.Rate.Trials == 0) != (r.NotApplicable != "")) {
		err = fmt.Errorf("%d violations and %d unknown of %d trials cannot be", r.Rate.Violations, r.Rate.Unknown, r.Rate.Trials)
	}
	if err == nil {
		err = r.readMethod(after)
	}
	return r, err
}

// readMethod reads how the rate was come by, and the rate with it unless it is that of the counts.
func (r *SweepRow) readMethod(after []string) error {
	column := func(name string) string { return after[slices.Index(columnsAfter, name)] }
	switch method := column("method"); method {
	case clopperPearson, notApplicable:
	case anytime:
		r.Rate.Anytime = true
	case string(sweeps.Biased), string(sweeps.Conditional):
		r.Estimate = &Estimate{Method: method, Warning: column("warning")}
		return r.Estimate.readNumbers(column("rate"), column("low"), column("high"))
	default:
		return fmt.Errorf("the method %q: accepted: %s, %s, %s, %s", method, clopperPearson, anytime, sweeps.Biased, sweeps.Conditional)
	}
	return nil
}

// readNumbers reads an estimate and its interval.
func (e *Estimate) readNumbers(rate, low, high string) error {
	for _, n := range []struct {
		text string
		to   *float64
	}{{rate, &e.Rate}, {low, &e.Low}, {high, &e.High}} {
		v, err := strconv.ParseFloat(n.text, 64)
		switch {
		case n.text == withheld:
		case err != nil || !(0 <= v && v <= 1):
			return fmt.Errorf("%q is no probability", n.text)
		}
		*n.to = v
	}
	return nil
}
