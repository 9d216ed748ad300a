// Package plots draws the figures of reports, as SVG or PNG: curves, bars, heat maps and
// matrices. It is the only package that knows the plotting library.
package plots

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Point is one value at X, in the unit of the chart's XLabel, with the ends of its interval:
// Low <= Rate <= High. What the three are is a matter of the chart's Scale: violation rates, unless it
// says otherwise. Of a Withheld point, Rate is ignored: its interval is drawn as a
// bar and the curve has a gap there.
type Point struct {
	X, Rate, Low, High float64
	Withheld           bool
	Label              string // above the plot, where the points of one label that stand together share it
	// Hollow marks a point as one that says little, beside those that its scale leaves hollow.
	Hollow bool
}

// Series is one curve, such as "redlock / none", with one point or more. Each line of its
// name begins anew in the legend. The order of the
// points does not matter, but no two of them may share an X.
type Series struct {
	Name   string
	Points []Point
	// Formula says that the curve was worked out and not counted: it is dashed, without markers.
	Formula bool
}

// VLine is a vertical line of reference, such as "pause = TTL".
type VLine struct {
	X     float64
	Label string
}

// Chart is a figure of curves over X.
//
// Series with the very same points share a curve and a legend entry. Where curves
// coincide only in part, their lines are striped in all of their colours and their
// markers stand side by side, so that an X is exact for the middle of such a row. A
// marker is hollow where nothing was violated, and the band tells the bound. A band that
// curves share is grey.
//
// All curves differ in colour, dashes and marker together; up to a dozen are easy to tell
// apart. Their names stand where they end, if there is room, else in a legend that has
// them from the highest rates to the lowest.
type Chart struct {
	Title, Subtitle string
	XLabel, YLabel  string
	LogX            bool // X and the VLines must be positive, then
	// XTicks are the places that the axis names, if not round numbers.
	XTicks []float64
	Scale  Scale
	// Path joins the points of a series in their order: X is a result like the rate, intervals
	// are bars, and markers are Exact.
	Path bool
	// Exact leaves each marker where its point is: those that would cover each other are drawn
	// around one another, and not side by side.
	Exact  bool
	Series []Series
	VLines []VLine
	Note   string // the footer: workload, trials, seeds, closed form
}

// WriteSVG writes the chart as SVG, see [Picture]. It fails on a
// chart without points or with a number that is no rate.
func (c Chart) WriteSVG(w io.Writer) error {
	l, err := newLayout(c)
	if err != nil {
		return err
	}
	return l.sheet().writeSVG(w)
}

// WritePNG writes the chart as PNG. It fails like [Chart.WriteSVG].
func (c Chart) WritePNG(w io.Writer) error {
	l, err := newLayout(c)
	if err != nil {
		return err
	}
	return l.sheet().writePNG(w)
}

func namesOf(series []Series) string {
	var names []string
	for _, s := range series {
		names = append(names, strings.ReplaceAll(s.Name, "\n", " "))
	}
	return strings.Join(names, "; ")
}

// curve is one drawn curve: the names of all series that have its points, by rising X.
type curve struct {
	names  []string
	points []Point
	style  style
	// formula: it was worked out.
	formula bool
}

// curves checks the chart and merges identical series, in order of first appearance. Each has the
// style of its number, or that of its name if there is one.
func (c Chart) curves(styles map[string]int) ([]curve, error) {
	if len(c.Series) == 0 {
		return nil, errors.New("plots: chart without series")
	}
	for _, v := range c.VLines {
		if !c.drawable(v.X) {
			return nil, fmt.Errorf("plots: line %q at X = %v", v.Label, v.X)
		}
	}
	var merged []curve
	counted := 0
	for _, s := range c.Series {
		points, err := c.sorted(s)
		if err != nil {
			return nil, fmt.Errorf("plots: series %q: %w", s.Name, err)
		}
		same := func(k curve) bool { return k.formula == s.Formula && slices.Equal(k.points, points) }
		if i := slices.IndexFunc(merged, same); i >= 0 {
			merged[i].names = append(merged[i].names, s.Name)
			continue
		}
		k := curve{names: []string{s.Name}, points: points, formula: s.Formula}
		switch number, named := styles[s.Name]; {
		case s.Formula:
			k.style = formulaStyle
		case named:
			k.style = styleOf(number)
		default:
			k.style = styleOf(counted)
			counted++
		}
		merged = append(merged, k)
	}
	return merged, nil
}

// sorted returns the checked points of the series by rising X.
func (c Chart) sorted(s Series) ([]Point, error) {
	if s.Name == "" {
		return nil, errors.New("no name")
	}
	if len(s.Points) == 0 {
		return nil, errors.New("no points")
	}
	points := slices.Clone(s.Points)
	for i := range points {
		p := &points[i]
		if p.Withheld {
			p.Rate = p.Low // makes withheld points comparable, whatever the ignored rate
		}
		if !c.drawable(p.X) {
			return nil, fmt.Errorf("point %d at X = %v", i, p.X)
		}
		if err := c.Scale.check(*p); err != nil {
			return nil, fmt.Errorf("point %d at X = %v: %w", i, p.X, err)
		}
	}
	if c.Path {
		return points, nil
	}
	slices.SortFunc(points, func(a, b Point) int {
		if a.X < b.X {
			return -1
		}
		return 1
	})
	for i := range points[1:] {
		if points[i].X == points[i+1].X {
			return nil, fmt.Errorf("two points at X = %v", points[i].X)
		}
	}
	return points, nil
}

func (c Chart) drawable(x float64) bool {
	return !math.IsNaN(x) && !math.IsInf(x, 0) && (!c.LogX || x > 0)
}
