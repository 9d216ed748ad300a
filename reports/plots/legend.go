package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	swatchWidth    vg.Length = 34
	legendTextMax  vg.Length = 210
	legendEntryGap vg.Length = 6
)

// legend lists one swatch a curve, with all the names that share it, and explains the
// signs that the chart uses.
type legend struct {
	entries []legendEntry
	keys    []paragraph
}

type legendEntry struct {
	style style
	names []paragraph
}

func newLegend(curves []curve, striped bool) legend {
	var l legend
	hollow, withheld := false, false
	for _, k := range curves {
		e := legendEntry{style: k.style}
		for i, name := range k.names {
			if i < len(k.names)-1 {
				name += ","
			}
			e.names = append(e.names, wrapped(name, textStyle(10, ink), legendTextMax))
		}
		l.entries = append(l.entries, e)
		for _, p := range k.points {
			hollow = hollow || !p.Withheld && p.Rate == 0
			withheld = withheld || p.Withheld
		}
	}
	l.explain(hollow, "Hollow marker: no violation seen; the band reaches to the upper bound.")
	l.explain(withheld, "Bar in a gap: rate withheld, too many unknown trials.")
	l.explain(striped, "Striped line: curves that coincide. Markers side by side stand for one point, at the middle of the group.")
	return l
}

func (l *legend) explain(used bool, meaning string) {
	if used {
		l.keys = append(l.keys, wrapped(meaning, textStyle(8, grey), legendTextMax))
	}
}

func (l legend) width() vg.Length {
	widest := vg.Length(110)
	for _, e := range l.entries {
		for _, name := range e.names {
			widest = max(widest, name.width())
		}
	}
	for _, key := range l.keys {
		widest = max(widest, key.width()-swatchWidth)
	}
	return swatchWidth + widest
}

func (l legend) height() vg.Length {
	var sum vg.Length
	for _, e := range l.entries {
		sum += e.height() + legendEntryGap
	}
	for _, key := range l.keys {
		sum += key.height() + legendEntryGap
	}
	return sum + 2*legendEntryGap
}

func (e legendEntry) height() vg.Length {
	var sum vg.Length
	for _, name := range e.names {
		sum += name.height()
	}
	return sum
}

func (l legend) draw(c draw.Canvas, left, top vg.Length) {
	for _, e := range l.entries {
		middle := top - e.height()/2
		e.style.swatch(c, left, middle)
		for _, name := range e.names {
			top = name.draw(c, left+swatchWidth, top)
		}
		top -= legendEntryGap
	}
	top -= legendEntryGap
	for _, key := range l.keys {
		top = key.draw(c, left, top) - legendEntryGap
	}
}

func (s style) swatch(c draw.Canvas, left, middle vg.Length) {
	right := left + swatchWidth - 7
	c.FillPolygon(s.band(), []vg.Point{
		{X: left, Y: middle - 4}, {X: right, Y: middle - 4}, {X: right, Y: middle + 4}, {X: left, Y: middle + 4},
	})
	c.StrokeLine2(s.line(), left, middle, right, middle)
	s.marker(c, vg.Point{X: (left + right) / 2, Y: middle}, false)
}
