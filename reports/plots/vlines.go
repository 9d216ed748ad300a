package plots

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const labelRowHeight vg.Length = 13

// referenceLines draws the vertical lines inside of the plot.
type referenceLines []VLine

// referenceStyle is dotted: dashes are those of what was worked out.
var referenceStyle = draw.LineStyle{Color: grey, Width: 1.1, Dashes: []vg.Length{1.1, 2.4}}

// Plot makes referenceLines a [plot.Plotter].
func (r referenceLines) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, v := range r {
		c.StrokeLine2(referenceStyle, x(v.X), c.Min.Y, x(v.X), c.Max.Y)
	}
}

// lineLabel is the label of a reference line above the plot. Row 0 is the lowest.
type lineLabel struct {
	text    string
	x, left vg.Length
	row     int
}

// placeLabels centres each label on its line, inside of the area, on the lowest row where
// it meets no other label.
func placeLabels(lines []VLine, p *plot.Plot, area vg.Rectangle) []lineLabel {
	data := p.DataCanvas(draw.Canvas{Rectangle: area})
	x, _ := p.Transforms(&data)
	style := textStyle(9, grey)
	sorted := slices.Clone(lines)
	slices.SortStableFunc(sorted, func(a, b VLine) int { return cmp.Compare(a.X, b.X) })
	var placed []lineLabel
	var ends []vg.Length // where the last label of each row ends
	for _, v := range sorted {
		width := widthOf(v.Label, style)
		l := lineLabel{text: v.Label, x: x(v.X)}
		l.left = max(area.Min.X, min(l.x-width/2, area.Max.X-width))
		for l.row < len(ends) && ends[l.row]+6 > l.left {
			l.row++
		}
		if l.row == len(ends) {
			ends = append(ends, 0)
		}
		ends[l.row] = l.left + width
		placed = append(placed, l)
	}
	return placed
}

func labelRows(labels []lineLabel) vg.Length {
	rows := 0
	for _, l := range labels {
		rows = max(rows, l.row+1)
	}
	return vg.Length(rows)
}

// drawLabels sets the labels above bottom, each with its line drawn up to it, and behind
// the labels that it passes.
//
// They were placed for a plot at the left edge, and shift with it.
func drawLabels(c draw.Canvas, labels []lineLabel, shift, bottom vg.Length) {
	style := textStyle(9, grey)
	style.YAlign = draw.YBottom
	labels = slices.Clone(labels)
	for i := range labels {
		labels[i].x += shift
		labels[i].left += shift
	}
	for _, l := range labels {
		c.StrokeLine2(referenceStyle, l.x, bottom, l.x, l.bottom(bottom))
	}
	for _, l := range labels {
		y, right := l.bottom(bottom), l.left+widthOf(l.text, style)
		c.FillPolygon(color.White, []vg.Point{
			{X: l.left - 1, Y: y}, {X: right + 1, Y: y}, {X: right + 1, Y: y + labelRowHeight - 2}, {X: l.left - 1, Y: y + labelRowHeight - 2},
		})
		c.FillText(style, vg.Point{X: l.left, Y: y}, l.text)
	}
}

func (l lineLabel) bottom(plotTop vg.Length) vg.Length {
	return plotTop + vg.Length(l.row)*labelRowHeight + 2
}
