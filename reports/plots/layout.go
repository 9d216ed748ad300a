package plots

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	plotWidth  vg.Length = 520
	plotHeight vg.Length = 320
	// tallestPlot is how far a plot grows with its legend. A longer legend has columns.
	tallestPlot vg.Length = 420
	outerMargin vg.Length = 14
	legendGap   vg.Length = 16
)

// layout is a chart with the place of everything decided. From the top: title, subtitle,
// labels of the reference lines, the plot beside its legend, and the note.
type layout struct {
	chart                 Chart
	curves                []curve
	axes                  *plot.Plot
	legend                legend
	title, subtitle, note paragraph
	labels                []lineLabel
	width, height         vg.Length
}

func newLayout(c Chart) (layout, error) {
	curves, err := c.curves()
	if err != nil {
		return layout{}, err
	}
	striped := slices.ContainsFunc(bundles(curves), func(b bundle) bool { return len(b) > 1 })
	l := layout{chart: c, curves: curves, axes: c.axes(curves), legend: newLegend(curves, striped, tallestPlot)}
	l.axes.Add(grid{}, referenceLines(c.VLines), drawing{curves})
	l.width = 2*outerMargin + plotWidth + legendGap + l.legend.width()
	text := l.width - 2*outerMargin
	l.title = wrapped(c.Title, bold(textStyle(14, ink)), text)
	l.subtitle = wrapped(c.Subtitle, textStyle(10.5, grey), text)
	l.note = wrapped(c.Note, textStyle(9, grey), text)
	l.labels = placeLabels(c.VLines, l.axes, l.plotArea(0))
	l.height = 2*outerMargin + l.aboveHeight() + l.middleHeight() + l.note.height() + 8
	return l, nil
}

func (l layout) aboveHeight() vg.Length {
	return l.title.height() + l.subtitle.height() + 8 + labelRows(l.labels)*labelRowHeight
}

func (l layout) middleHeight() vg.Length { return max(plotHeight, l.legend.height()) }

func (l layout) plotHeight() vg.Length { return min(l.middleHeight(), tallestPlot) }

// plotArea is the rectangle of the plot with its axes, top being its upper edge.
func (l layout) plotArea(top vg.Length) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: outerMargin, Y: top - l.plotHeight()},
		Max: vg.Point{X: outerMargin + plotWidth, Y: top},
	}
}

func (l layout) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	top := c.Max.Y - outerMargin
	l.subtitle.draw(c, outerMargin, l.title.draw(c, outerMargin, top))
	top -= l.aboveHeight()
	area := draw.Canvas{Canvas: c.Canvas, Rectangle: l.plotArea(top)}
	l.axes.Draw(area)
	drawLabels(c, l.labels, l.axes.DataCanvas(area).Max.Y)
	l.legend.draw(c, outerMargin+plotWidth+legendGap, top)
	l.note.draw(c, outerMargin, top-l.middleHeight()-8)
}
