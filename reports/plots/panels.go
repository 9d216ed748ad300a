package plots

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panels is a figure of several plots with the same axes. A series of one name looks the same in
// each of them.
type Panels struct {
	Title, Subtitle string
	XLabel, YLabel  string
	LogX            bool
	XTicks          []float64 // as in [Chart]
	Scale           Scale
	Path, Exact     bool   // as in [Chart]
	Wide            bool   // each plot takes the whole width
	PointLabels     string // what the labels of points are, such as "TTL"
	Panels          []Panel
	Note            string
}

// Panel is one plot of several.
type Panel struct {
	Name   string
	Series []Series
	VLines []VLine
}

// WriteSVG writes the figure as SVG, see [Picture].
func (p Panels) WriteSVG(w io.Writer) error {
	l, err := newPanelLayout(p)
	if err != nil {
		return err
	}
	return l.sheet().writeSVG(w)
}

// WritePNG writes the figure as PNG, see [Picture].
func (p Panels) WritePNG(w io.Writer) error {
	l, err := newPanelLayout(p)
	if err != nil {
		return err
	}
	return l.sheet().writePNG(w)
}

const (
	panelHeight   vg.Length = 205
	panelTextMax  vg.Length = 96
	panelNameRoom vg.Length = 17
	panelGap      vg.Length = 18
	endRoom       vg.Length = 8
)

// panelLayout is the figure with the place of everything decided: rows of plots, each with its
// name above and the names of its curves at the right.
type panelLayout struct {
	figure     Panels
	chart      Chart // what all plots have in common, with the lines of each
	facets     []facet
	y          yaxis
	columns    int
	plotWidth  vg.Length
	plotHeight vg.Length
	nameWidth  vg.Length // of the names of curves
	headHeight vg.Length
}

type facet struct {
	name   paragraph
	curves []curve
	axes   *plot.Plot
	ends   endLabels
	labels []lineLabel
	spans  []span
}

func newPanelLayout(p Panels) (panelLayout, error) {
	l := panelLayout{figure: p}
	chart := Chart{LogX: p.LogX, XTicks: p.XTicks, Scale: p.Scale, Path: p.Path, Exact: p.Exact}
	var all []curve
	styles := p.styles()
	for _, panel := range p.Panels {
		one := chart
		one.Series, one.VLines = panel.Series, panel.VLines
		chart.VLines = append(chart.VLines, panel.VLines...)
		curves, err := one.curves(styles)
		if err != nil {
			return l, fmt.Errorf("panel %q: %w", panel.Name, err)
		}
		l.facets = append(l.facets, facet{curves: curves})
		all = append(all, curves...)
	}
	if len(all) == 0 {
		return l, fmt.Errorf("plots: figure %q without panels", p.Title)
	}
	l.y = yaxisOf(p.Scale, all)
	low, high := chart.rangeX(all)
	l.chart = chart
	l.columns, l.plotWidth, l.plotHeight = p.columns()
	for i := range l.facets {
		f, panel := &l.facets[i], p.Panels[i]
		f.axes = chart.axes(low, high, l.y)
		f.axes.Add(grid{}, referenceLines(panel.VLines), chart.drawing(f.curves, l.y))
		if !p.alone() {
			f.ends = newEndLabels(f.curves, l.y, 9, panelTextMax)
		}
		l.nameWidth = max(l.nameWidth, f.ends.width())
		l.plotHeight = max(l.plotHeight, f.ends.height()+45)
	}
	for i := range l.facets {
		f := &l.facets[i]
		f.name = wrapped(p.Panels[i].Name, bold(textStyle(10.5, ink)), l.plotWidth+l.nameWidth)
		f.labels = placeLabels(p.Panels[i].VLines, f.axes, l.plotArea(0, 0))
		f.spans = placeSpans(f.curves, f.axes, l.plotArea(0, 0))
		l.headHeight = max(l.headHeight, headHeight(f.labels, f.spans))
	}
	return l, nil
}

// alone reports whether each panel has one curve, which then needs no name of its own.
func (p Panels) alone() bool {
	return !slices.ContainsFunc(p.Panels, func(panel Panel) bool { return len(panel.Series) > 1 })
}

// styles numbers the names of all panels' series.
func (p Panels) styles() map[string]int {
	styles := map[string]int{}
	for _, panel := range p.Panels {
		for _, s := range panel.Series {
			if _, known := styles[s.Name]; !known && !s.Formula {
				styles[s.Name] = len(styles)
			}
		}
	}
	return styles
}

// columns is how many plots stand side by side, and how large they are: no more than two with names
// beside them, since a figure that is wide is small in print.
func (p Panels) columns() (columns int, width, height vg.Length) {
	switch n := len(p.Panels); {
	case p.Wide:
		return 1, 520, 270
	case n == 1:
		return 1, 400, panelHeight
	case p.alone() && n > 2:
		return 3, 215, 180
	}
	return 2, 275, panelHeight
}

func (l panelLayout) plotArea(left, top vg.Length) vg.Rectangle {
	return axisLabels{}.within(l.wholeArea(left, top))
}

func (l panelLayout) wholeArea(left, top vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: left, Y: top - l.plotHeight}, Max: vg.Point{X: left + l.plotWidth, Y: top}}
}

// cell is what a panel takes with its names and the gap to the next.
func (l panelLayout) cell() (width, height vg.Length) {
	return l.plotWidth + endRoom + l.nameWidth + panelGap, panelNameRoom + l.headHeight + l.plotHeight + panelGap
}

func (l panelLayout) size() (width, height vg.Length) {
	width, height = l.cell()
	columns := min(l.columns, len(l.facets))
	rows := (len(l.facets) + columns - 1) / columns
	return vg.Length(columns)*width - panelGap, vg.Length(rows)*height - panelGap
}

func (l panelLayout) draw(c draw.Canvas, left, top vg.Length) {
	width, height := l.cell()
	for i, f := range l.facets {
		x := left + vg.Length(i%l.columns)*width
		y := top - vg.Length(i/l.columns)*height
		f.name.draw(c, x, y)
		y -= panelNameRoom + l.headHeight
		area := draw.Canvas{Canvas: c.Canvas, Rectangle: l.plotArea(x, y)}
		f.axes.Draw(area)
		data := f.axes.DataCanvas(area)
		axisLabels{l.figure.XLabel, l.figure.YLabel}.draw(c, l.wholeArea(x, y), data.Rectangle)
		drawLabels(c, f.labels, x, data.Max.Y)
		drawSpans(c, f.spans, x, data.Max.Y+labelRows(f.labels)*labelRowHeight)
		f.ends.draw(c, newFrame(data, f.axes, l.y), data.Rectangle, x+l.plotWidth+endRoom)
	}
}

func (l panelLayout) sheet() sheet {
	note := l.figure.Note
	var told []string
	for _, f := range l.facets {
		for _, sign := range l.chart.signs(f.curves, l.spots(f), l.y) {
			if !slices.Contains(told, sign) {
				told = append(told, sign)
				note += "\n" + sign
			}
		}
	}
	if l.figure.PointLabels != "" {
		note += "\nAbove the plot: the " + l.figure.PointLabels + " of the markers below the bracket."
	}
	return newSheet(Heading{l.figure.Title, l.figure.Subtitle, note}, l)
}

// spots are the markers of a plot as they will be drawn.
func (l panelLayout) spots(f facet) []spot {
	data := f.axes.DataCanvas(draw.Canvas{Rectangle: l.plotArea(0, 0)})
	return placedSpots(data, newFrame(data, f.axes, l.y), l.chart.drawing(f.curves, l.y))
}

func (l panelLayout) about() string {
	var parts []string
	for _, p := range l.figure.Panels {
		parts = append(parts, p.Name+": "+namesOf(p.Series))
	}
	return l.figure.YLabel + " over " + l.figure.XLabel + ". " + strings.Join(parts, ". ") + "."
}
