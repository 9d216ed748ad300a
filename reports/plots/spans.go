package plots

import (
	"cmp"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// span is a bracket above the plot over neighbouring markers of one label, with the label, or with all labels of
// markers that stand at one place. Above the plot no curve crosses it, and each label stands once for all markers
// that have it, unless others come between.
type span struct {
	text     string
	from, to vg.Length // ends of the bracket
	left     vg.Length // of the text
	row      int
}

const (
	spanText    vg.Length = 8.5
	spanRow     vg.Length = 11
	spanBracket vg.Length = 6 // below the lowest row
)

func spanStyle() text.Style {
	s := textStyle(spanText, ink)
	s.YAlign = draw.YBottom
	return s
}

// placeSpans finds the brackets for a plot in an area, from left to right, each label on the lowest row
// where it meets no other.
func placeSpans(curves []curve, p *plot.Plot, area vg.Rectangle) (spans []span) {
	data := p.DataCanvas(draw.Canvas{Rectangle: area})
	x, _ := p.Transforms(&data)
	for _, k := range curves {
		for _, point := range k.points {
			if point.Label != "" && !k.formula {
				spans = append(spans, span{text: point.Label, from: x(point.X), to: x(point.X)})
			}
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	spans = joined(places(spans))
	var ends []vg.Length // where the last label of each row ends
	for i := range spans {
		s := &spans[i]
		width := widthOf(s.text, spanStyle())
		s.left = max(area.Min.X, min((s.from+s.to-width)/2, area.Max.X-width))
		for s.row < len(ends) && ends[s.row]+3 > s.left {
			s.row++
		}
		if s.row == len(ends) {
			ends = append(ends, 0)
		}
		ends[s.row] = s.left + width
	}
	return spans
}

// onePlace is how near to each other places are that nobody tells apart.
const onePlace = 0.6 * markerRadius

// places gathers what stands at one place, with all its labels.
func places(sorted []span) (spans []span) {
	for _, s := range sorted {
		last := len(spans) - 1
		if last < 0 || s.from-spans[last].from > onePlace {
			spans = append(spans, s)
			continue
		}
		spans[last].to = s.to
		if !slices.Contains(strings.Split(spans[last].text, ", "), s.text) {
			spans[last].text += ", " + s.text
		}
	}
	return spans
}

// joined makes one of neighbours that have the same label.
func joined(sorted []span) (spans []span) {
	for _, s := range sorted {
		if last := len(spans) - 1; last >= 0 && spans[last].text == s.text {
			spans[last].to = s.to
			continue
		}
		spans = append(spans, s)
	}
	return spans
}

// headHeight is the room above a plot for the labels of its lines and of its points.
func headHeight(labels []lineLabel, spans []span) vg.Length {
	height := labelRows(labels) * labelRowHeight
	if len(spans) == 0 {
		return height
	}
	rows := 0
	for _, s := range spans {
		rows = max(rows, s.row+1)
	}
	return height + spanBracket + vg.Length(rows)*spanRow
}

// drawSpans draws the brackets above bottom. They were placed for a plot at the left edge, and shift with it.
func drawSpans(c draw.Canvas, spans []span, shift, bottom vg.Length) {
	line := draw.LineStyle{Color: grey, Width: 0.7}
	for _, s := range spans {
		from, to, y := s.from+shift-2.5, s.to+shift+2.5, bottom+spanBracket-2
		c.StrokeLines(line, []vg.Point{{X: from, Y: y - 2.5}, {X: from, Y: y}, {X: to, Y: y}, {X: to, Y: y - 2.5}})
		if s.row > 0 {
			c.StrokeLine2(line, (from+to)/2, y, (from+to)/2, s.bottom(bottom))
		}
	}
	style := spanStyle()
	for _, s := range spans {
		y, left := s.bottom(bottom), s.left+shift
		c.FillPolygon(color.White, rectangle(left-1, y, widthOf(s.text, style)+2, spanRow-2))
		c.FillText(style, vg.Point{X: left + (widthOf(s.text, style)-style.Width(s.text))/2, Y: y}, s.text)
	}
}

func (s span) bottom(plotTop vg.Length) vg.Length {
	return plotTop + spanBracket + vg.Length(s.row)*spanRow
}
