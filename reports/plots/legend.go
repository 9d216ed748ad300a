package plots

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	swatchWidth     vg.Length = 34
	legendTextMax   vg.Length = 225
	legendEntryGap  vg.Length = 6
	legendColumnGap vg.Length = 14
)

// legend lists one swatch a curve, with all the names that share it. It has as many columns as
// it needs to stay beside the plot.
type legend struct {
	entries []legendEntry
	columns []legendColumn
}

// legendEntry is a curve with its names.
type legendEntry struct {
	style style
	lines []paragraph
}

type legendColumn struct {
	entries []legendEntry
	width   vg.Length
}

// newLegend lists the curves from the highest rates to the lowest, as the eye meets them.
func newLegend(curves []curve, tallest vg.Length) legend {
	sorted := slices.Clone(curves)
	slices.SortStableFunc(sorted, func(a, b curve) int { return cmp.Compare(b.meanRate(), a.meanRate()) })
	var l legend
	for _, k := range sorted {
		e := legendEntry{style: k.style}
		for i, name := range k.names {
			if i < len(k.names)-1 {
				name += ","
			}
			e.lines = append(e.lines, wrapped(name, textStyle(10, ink), legendTextMax))
		}
		l.entries = append(l.entries, e)
	}
	l.arrange(tallest)
	return l
}

// meanRate is the mean over the points that have a rate.
func (k curve) meanRate() float64 {
	sum, n := 0.0, 0
	for _, p := range k.points {
		if !p.Withheld {
			sum, n = sum+p.Rate, n+1
		}
	}
	return sum / float64(max(n, 1))
}

// arrange fills columns that are at most so tall, unless a single entry is taller.
func (l *legend) arrange(tallest vg.Length) {
	l.columns = []legendColumn{{}}
	for _, e := range l.entries {
		last := &l.columns[len(l.columns)-1]
		if len(last.entries) > 0 && last.height()+e.height() > tallest {
			l.columns = append(l.columns, legendColumn{})
			last = &l.columns[len(l.columns)-1]
		}
		last.entries = append(last.entries, e)
		last.width = max(last.width, e.width())
	}
}

func (l legend) width() (sum vg.Length) {
	for i, c := range l.columns {
		if i > 0 {
			sum += legendColumnGap
		}
		sum += c.width
	}
	return sum
}

func (l legend) height() (tallest vg.Length) {
	for _, c := range l.columns {
		tallest = max(tallest, c.height())
	}
	return tallest
}

func (c legendColumn) height() (sum vg.Length) {
	for _, e := range c.entries {
		sum += e.height() + legendEntryGap
	}
	return sum
}

func (e legendEntry) height() (sum vg.Length) {
	for _, line := range e.lines {
		sum += line.height()
	}
	return sum
}

func (e legendEntry) width() (widest vg.Length) {
	for _, line := range e.lines {
		widest = max(widest, line.width())
	}
	return widest + swatchWidth
}

func (l legend) draw(c draw.Canvas, left, top vg.Length) {
	for _, column := range l.columns {
		y := top
		for _, e := range column.entries {
			y = e.draw(c, left, y) - legendEntryGap
		}
		left += column.width + legendColumnGap
	}
}

// draw draws the entry below top, and returns the height left to the others.
func (e legendEntry) draw(c draw.Canvas, left, top vg.Length) vg.Length {
	e.style.swatch(c, left, top-e.height()/2, swatchWidth)
	left += swatchWidth
	for _, line := range e.lines {
		top = line.draw(c, left, top)
	}
	return top
}

func (s style) swatch(c draw.Canvas, left, middle, width vg.Length) {
	right := left + width - 5
	if !s.formula() {
		c.FillPolygon(s.band(), []vg.Point{
			{X: left, Y: middle - 4}, {X: right, Y: middle - 4}, {X: right, Y: middle + 4}, {X: left, Y: middle + 4},
		})
	}
	c.StrokeLine2(s.line(), left, middle, right, middle)
	s.marker(c, vg.Point{X: (left + right) / 2, Y: middle}, false, 1)
}
