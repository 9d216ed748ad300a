package reports

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fencepost/checker"
	"fencepost/reports/plots"
	"fencepost/sim/rng"
)

// MostCurves is how many different curves of one chart a reader can tell apart.
const MostCurves = 16

// ErrNothingToDraw is the error of a chart of a property that is n/a in the whole table.
var ErrNothingToDraw = errors.New("nothing to draw")

// RateChart draws one property's violation rate against a parameter, or against the
// ratio of two ("fault.pause/ttl"). A parameter that is a distribution counts with its
// mean. An empty x means fault.pause/ttl if the table has both, else the parameter
// that varies.
func RateChart(t *SweepTable, property, x string) (*plots.Chart, error) {
	axis, err := t.axis(x)
	if err != nil {
		return nil, err
	}
	c := &plots.Chart{
		Title:    "How often " + question[property] + "?",
		Subtitle: fmt.Sprintf("scenario %s", t.Scenario),
		XLabel:   axis.label, YLabel: "trials in which " + property + " is violated",
		Note: t.stamp(),
	}
	curves, closed := curveSet{}, closedCurve{}
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Property != property || r.NotApplicable != "" {
			continue
		}
		at, err := axis.of(r)
		if err != nil {
			return nil, err
		}
		c := curves.of(t, axis, r)
		c.points = append(c.points, point(at, r))
		if r.ClosedForm != nil && len(c.members[0].values) == 0 {
			closed.add(at, r)
		}
	}
	c.Series = append(curves.series(t, axis), closed.series()...)
	if len(c.Series) == 0 {
		return nil, fmt.Errorf("%w: no row of property %q was run%s", ErrNothingToDraw, property, t.notRun(property))
	}
	if axis.drawn(t) {
		c.Note += "; a drawn " + axis.aboveS + " stands at its mean"
	}
	if rare(c.Series) {
		c.Scale = plots.LogShares
	}
	c.Note += t.notRun(property)
	if t.Workload != "" {
		c.Note += "; " + t.Workload
	}
	if axis.ratio {
		c.VLines = []plots.VLine{{X: 1, Label: axis.one}}
	}
	if c.LogX = geometric(c.Series); c.LogX {
		c.XLabel += ", logarithmic"
	}
	return c, nil
}

// question is what a chart of a property answers.
var question = map[string]string{
	checker.Grants:         "does the service break a promise",
	checker.Exclusion:      "do two holders believe at once",
	checker.ResourceName:   "is the resource harmed",
	checker.Progress:       "does the lock fail to move on",
	checker.Tokens:         "do fencing tokens not rise from hold to hold",
	checker.LinearLock:     "is the lock history not linearizable",
	checker.LinearResource: "is the resource history not linearizable",
}

// rare reports whether rates are so small that an axis from 0 to 100 % would show a line along its bottom:
// either all of them, with their intervals, or estimates of a rate that is too small to be counted.
func rare(series []plots.Series) bool {
	least, most := 1.0, 0.0
	for _, s := range series {
		if s.Formula {
			continue
		}
		for _, p := range s.Points {
			most = max(most, p.High)
			if p.Rate > 0 {
				least = min(least, p.Rate)
			}
		}
	}
	return most < 0.03 || least < 1e-3
}

// geometric reports whether the places on an axis are spaced by ratios rather than by
// differences, as those of --vary a..b/log:n are: on a linear axis the first of them would
// lie on top of each other.
func geometric(series []plots.Series) bool {
	votes := 0
	for _, s := range series {
		xs := make([]float64, len(s.Points))
		for i, p := range s.Points {
			xs[i] = p.X
		}
		if len(xs) < 4 || xs[0] <= 0 {
			return false
		}
		logs := make([]float64, len(xs))
		for i, x := range xs {
			logs[i] = math.Log(x)
		}
		if narrowest(logs) > 3*narrowest(xs) {
			votes++
		}
	}
	return 2*votes > len(series)
}

// narrowest is the smallest distance of neighbours, as a share of the whole.
func narrowest(xs []float64) float64 {
	least := math.Inf(1)
	for i := range xs[1:] {
		least = min(least, (xs[i+1]-xs[i])/(xs[len(xs)-1]-xs[0]))
	}
	return least
}

// closedCurve is the curve that the closed form gives, with the locks it is for.
type closedCurve struct {
	locks  []string
	points []plots.Point
}

func (c *closedCurve) add(x float64, r *SweepRow) {
	if !slices.Contains(c.locks, r.Lock) {
		c.locks = append(c.locks, r.Lock)
	}
	for _, p := range c.points {
		if p.X == x {
			return // the same for every lock that has one
		}
	}
	c.points = append(c.points, plots.Point{X: x, Rate: *r.ClosedForm, Low: *r.ClosedForm, High: *r.ClosedForm})
}

func (c *closedCurve) series() []plots.Series {
	if len(c.points) == 0 {
		return nil
	}
	slices.SortStableFunc(c.points, byX)
	return []plots.Series{{Name: "closed form: " + strings.Join(c.locks, ", "), Points: c.points, Formula: true}}
}

func point(x float64, r *SweepRow) plots.Point {
	i := r.interval()
	rate, ok := r.point()
	if !ok {
		rate = i.Low // so that two can be compared
	}
	return plots.Point{X: x, Rate: rate, Low: i.Low, High: i.High, Withheld: !ok}
}

// axis is what the horizontal axis shows.
type axis struct {
	label          string
	one            string // label of the line at ratio 1
	above, below   int    // columns; below is -1 if it is no ratio
	aboveS, belowS string
	ratio          bool
}

func (t *SweepTable) axis(x string) (*axis, error) {
	if x == "" {
		x = t.defaultAxis()
	}
	if x == "" {
		return nil, fmt.Errorf("no parameter varies, so there is no horizontal axis; give --x one of: %s", strings.Join(t.Params, ", "))
	}
	above, below, ratio := strings.Cut(x, "/")
	a := &axis{label: x, below: -1, ratio: ratio, aboveS: strings.TrimSpace(above), belowS: strings.TrimSpace(below)}
	var err error
	if a.above, err = t.column(a.aboveS); err != nil {
		return nil, err
	}
	if ratio {
		if a.below, err = t.column(a.belowS); err != nil {
			return nil, err
		}
		a.label = display(a.aboveS) + " ÷ " + display(a.belowS)
		a.one = display(a.aboveS) + " = " + display(a.belowS)
	} else if t.timed(a.above) {
		a.label += " (s)"
	}
	return a, nil
}

func display(name string) string {
	if name == "ttl" {
		return "TTL"
	}
	return strings.TrimPrefix(name, "fault.")
}

func (t *SweepTable) defaultAxis() string {
	_, errPause := t.column("fault.pause")
	_, errTTL := t.column("ttl")
	if errPause == nil && errTTL == nil {
		return "fault.pause/ttl"
	}
	for i, name := range t.Params {
		if t.varies(i) {
			return name
		}
	}
	return ""
}

func (t *SweepTable) column(name string) (int, error) {
	for i, p := range t.Params {
		if p == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("the sweep has no parameter %q; accepted: %s", name, strings.Join(t.Params, ", "))
}

// others are the columns that vary beside the axis: each combination of their values is a
// curve of its own.
func (a *axis) others(t *SweepTable) (columns []int) {
	for i := range t.Params {
		if i != a.above && t.varies(i) {
			columns = append(columns, i)
		}
	}
	return columns
}

// drawn reports whether some value on the axis is a distribution.
func (a *axis) drawn(t *SweepTable) bool {
	for i := range t.Rows {
		if d, err := rng.Parse(t.Rows[i].Values[a.above]); err == nil {
			if _, constant := d.IsConstant(); !constant {
				return true
			}
		}
	}
	return false
}

// varies reports whether a parameter has more than one value in the table.
func (t *SweepTable) varies(column int) bool {
	for i := range t.Rows {
		if t.Rows[i].Values[column] != t.Rows[0].Values[column] {
			return true
		}
	}
	return false
}

// of returns where a row stands on the axis: seconds, or a ratio.
func (a *axis) of(r *SweepRow) (float64, error) {
	above, err := seconds(a.aboveS, r.Values[a.above])
	if err != nil || !a.ratio {
		return above, err
	}
	below, err := seconds(a.belowS, r.Values[a.below])
	if err == nil && below == 0 {
		err = fmt.Errorf("%s is zero in some row, so there is no ratio", a.belowS)
	}
	return above / below, err
}

// seconds reads a parameter's value: a duration, or a distribution's mean, in seconds; a number; or a
// share, in percent or millionths.
func seconds(name, text string) (float64, error) {
	if d, err := rng.Parse(text); err == nil {
		return d.Mean().Seconds(), nil
	}
	number, unit := text, 1.0
	for suffix, of := range map[string]float64{"%": 1e-2, "ppm": 1e-6} {
		if rest, ok := strings.CutSuffix(text, suffix); ok {
			number, unit = rest, of
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("parameter %s has the value %q, which is neither a duration nor a number: choose another axis with --x", name, text)
	}
	return v * unit, nil
}

// timed reports whether a parameter's values are durations.
func (t *SweepTable) timed(column int) bool {
	for i := range t.Rows {
		if _, err := rng.Parse(t.Rows[i].Values[column]); err != nil {
			return false
		}
	}
	return true
}
