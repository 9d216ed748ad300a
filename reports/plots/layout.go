package plots

import (
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	plotWidth  vg.Length = 520
	plotHeight vg.Length = 320
	// tallestPlot is how far a plot grows with its legend. A longer legend has columns.
	tallestPlot vg.Length = 420
	legendGap   vg.Length = 16
)

// layout is a chart with the place of everything decided: labels of the reference lines above the
// plot, and beside it the names of the curves.
type layout struct {
	chart  Chart
	curves []curve
	axes   *plot.Plot
	y      yaxis
	// ends are the names where the curves end; empty if there is a legend.
	ends   endLabels
	legend legend
	labels []lineLabel
	spans  []span
}

func newLayout(c Chart) (layout, error) {
	curves, err := c.curves(nil)
	if err != nil {
		return layout{}, err
	}
	low, high := c.rangeX(curves)
	y := yaxisOf(c.Scale, curves)
	l := layout{chart: c, curves: curves, axes: c.axes(low, high, y), y: y}
	l.axes.Add(grid{}, referenceLines(c.VLines), c.drawing(curves, y))
	if ends := newEndLabels(curves, y, 10, legendTextMax); ends.height() <= plotHeight {
		l.ends = ends
	} else {
		l.legend = newLegend(curves, tallestPlot)
	}
	l.labels = placeLabels(c.VLines, l.axes, l.plotArea(0, 0))
	l.spans = placeSpans(curves, l.axes, l.plotArea(0, 0))
	return l, nil
}

func (l layout) sheet() sheet {
	note := l.chart.Note
	for _, sign := range l.chart.signs(l.curves, l.spots(), l.y) {
		note += "\n" + sign
	}
	return newSheet(Heading{l.chart.Title, l.chart.Subtitle, note}, l)
}

func (l layout) size() (width, height vg.Length) {
	width = plotWidth + legendGap + max(l.legend.width(), l.ends.width())
	return width, l.headHeight() + l.middleHeight()
}

func (l layout) headHeight() vg.Length { return headHeight(l.labels, l.spans) }

func (l layout) about() string {
	return l.chart.YLabel + " over " + l.chart.XLabel + ": " + namesOf(l.chart.Series) + "."
}

func (l layout) middleHeight() vg.Length { return max(plotHeight, l.legend.height()) }

func (l layout) plotHeight() vg.Length { return min(l.middleHeight(), tallestPlot) }

// plotArea is the rectangle of the plot with its axes but for their labels, below top.
func (l layout) plotArea(left, top vg.Length) vg.Rectangle {
	return axisLabels{}.within(l.wholeArea(left, top))
}

func (l layout) wholeArea(left, top vg.Length) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: left, Y: top - l.plotHeight()},
		Max: vg.Point{X: left + plotWidth, Y: top},
	}
}

func (l layout) draw(c draw.Canvas, left, top vg.Length) {
	top -= l.headHeight()
	area := draw.Canvas{Canvas: c.Canvas, Rectangle: l.plotArea(left, top)}
	l.axes.Draw(area)
	data := l.axes.DataCanvas(area)
	axisLabels{l.chart.XLabel, l.chart.YLabel}.draw(c, l.wholeArea(left, top), data.Rectangle)
	drawLabels(c, l.labels, left, data.Max.Y)
	drawSpans(c, l.spans, left, data.Max.Y+labelRows(l.labels)*labelRowHeight)
	right := left + plotWidth + legendGap
	l.ends.draw(c, newFrame(data, l.axes, l.y), data.Rectangle, right)
	l.legend.draw(c, right, top)
}

// spots are the markers as they will be drawn.
func (l layout) spots() []spot {
	data := l.axes.DataCanvas(draw.Canvas{Rectangle: l.plotArea(0, 0)})
	return placedSpots(data, newFrame(data, l.axes, l.y), l.chart.drawing(l.curves, l.y))
}

// signs explains the signs that curves and their markers use.
func (c Chart) signs(curves []curve, spots []spot, y yaxis) (list []string) {
	hollow, bounded, withheld, beyond := false, false, false, false
	for _, k := range curves {
		for _, p := range k.points {
			bounded = bounded || !k.formula && y.scale.bounded(p)
			hollow = hollow || !k.formula && y.scale == Shares && !p.Withheld && p.Rate == 0
			withheld = withheld || p.Withheld
			beyond = beyond || c.Path && !k.formula && !y.scale.bounded(p) && y.on(p.Low) != p.Low
		}
	}
	striped := slices.ContainsFunc(bundles(curves, y), func(b bundle) bool { return len(b) > 1 })
	formula := slices.ContainsFunc(curves, func(k curve) bool { return k.formula })
	for _, s := range []struct {
		used    bool
		meaning string
	}{
		{hollow, "Hollow marker: no violation seen; the band reaches to the upper bound."},
		{bounded, "Marker with an arrow down: no violation seen; it stands at the upper bound, and no line leads there."},
		{beyond, "Bar that ends in an arrow: its interval goes on below the axis."},
		{withheld, "Bar in a gap: rate withheld, too many unknown trials."},
		{striped, "Striped line, grey band: curves that coincide."},
		{slices.ContainsFunc(spots, func(s spot) bool { return s.beside }), "Markers side by side stand for one place, the middle of the group."},
		{slices.ContainsFunc(spots, func(s spot) bool { return s.ring }), "Markers around one another: each stands where it was measured, and outlines leave those inside to be seen."},
		{formula, "Dashed, without markers: worked out and not simulated."},
		{len(c.VLines) > 0, "Dotted and upright: " + c.lineNames() + ", for reference."},
	} {
		if s.used {
			list = append(list, s.meaning)
		}
	}
	return list
}

// lineNames are those of the lines of reference, each once.
func (c Chart) lineNames() string {
	var names []string
	for _, v := range c.VLines {
		if !slices.Contains(names, v.Label) {
			names = append(names, v.Label)
		}
	}
	return strings.Join(names, ", ")
}
