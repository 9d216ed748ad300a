package plots

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars is a figure of amounts: for each group (a lock) and each kind (a setting) a bar, in one panel
// for each unit.
type Bars struct {
	Title, Subtitle string
	Groups          []string
	Kinds           []string // at most four
	Panels          []BarPanel
	Note            string
}

// BarPanel has the amounts of one unit by group and kind, none of them negative; NaN is not known.
type BarPanel struct {
	Name   string
	Values [][]float64
}

// WriteSVG writes the figure as SVG, see [Picture].
func (b Bars) WriteSVG(w io.Writer) error { return writeSVG(b, w) }

// WritePNG writes the figure as PNG, see [Picture].
func (b Bars) WritePNG(w io.Writer) error { return writePNG(b, w) }

func (b Bars) sheet() sheet {
	return newSheet(Heading{b.Title, b.Subtitle, b.Note}, b)
}

func (b Bars) check() error {
	if len(b.Groups) == 0 || len(b.Panels) == 0 || len(b.Kinds) == 0 || len(b.Kinds) > len(fills) {
		return errors.New("plots: bars without groups or panels, or not with one to four kinds")
	}
	for _, p := range b.Panels {
		if len(p.Values) != len(b.Groups) {
			return fmt.Errorf("plots: panel %q has %d groups, not %d", p.Name, len(p.Values), len(b.Groups))
		}
		for _, values := range p.Values {
			if len(values) != len(b.Kinds) {
				return fmt.Errorf("plots: panel %q has %d values in a group, not %d", p.Name, len(values), len(b.Kinds))
			}
			for _, v := range values {
				if v < 0 || math.IsInf(v, 0) {
					return fmt.Errorf("plots: panel %q has the amount %v", p.Name, v)
				}
			}
		}
	}
	return nil
}

const (
	barHeight   vg.Length = 10
	barGroupGap vg.Length = 9
	barWidth    vg.Length = 230 // of the longest
	barValue    vg.Length = 34  // for the number behind it
)

// fill is how the bars of a kind look: hatching tells them apart without colours.
type fill struct {
	color   color.NRGBA
	hatched bool
}

var fills = []fill{
	{palette[0], false}, {palette[4], true}, {palette[2], false}, {palette[3], true},
}

func (b Bars) nameWidth() (widest vg.Length) {
	for _, g := range b.Groups {
		widest = max(widest, widthOf(g, textStyle(9.5, ink)))
	}
	return widest + 8
}

func (b Bars) groupHeight() vg.Length { return vg.Length(len(b.Kinds))*barHeight + barGroupGap }

func (b Bars) panelWidth() vg.Length { return barWidth + barValue + panelGap }

func (b Bars) size() (width, height vg.Length) {
	return b.nameWidth() + vg.Length(len(b.Panels))*b.panelWidth(), 20 + panelNameRoom + vg.Length(len(b.Groups))*b.groupHeight() + 4
}

func (b Bars) about() string {
	var parts []string
	for _, p := range b.Panels {
		parts = append(parts, p.Name)
	}
	return strings.Join(parts, "; ") + ": " + strings.Join(b.Groups, ", ") + "; each " + strings.Join(b.Kinds, ", ") + "."
}

func (b Bars) draw(c draw.Canvas, left, top vg.Length) {
	x := left + b.nameWidth()
	for i, kind := range b.Kinds {
		fills[i].draw(c, rectangle(x, top-11, 16, 9))
		style := textStyle(9.5, ink)
		c.FillText(style, vg.Point{X: x + 21, Y: top - 1}, kind)
		x += 21 + widthOf(kind, style) + 20
	}
	top -= 20
	names := textStyle(9.5, ink)
	names.XAlign, names.YAlign = draw.XRight, draw.YCenter
	for g, name := range b.Groups {
		y := top - panelNameRoom - vg.Length(g)*b.groupHeight() - (b.groupHeight()-barGroupGap)/2
		c.FillText(names, vg.Point{X: left + b.nameWidth() - 6, Y: y}, name)
	}
	for i, p := range b.Panels {
		b.drawPanel(c, p, left+b.nameWidth()+vg.Length(i)*b.panelWidth(), top)
	}
}

func (b Bars) drawPanel(c draw.Canvas, p BarPanel, left, top vg.Length) {
	wrapped(p.Name, bold(textStyle(10, ink)), b.panelWidth()).draw(c, left, top)
	most := 0.0
	for _, values := range p.Values {
		for _, v := range values {
			if !math.IsNaN(v) {
				most = max(most, v)
			}
		}
	}
	top -= panelNameRoom
	bottom := top - vg.Length(len(b.Groups))*b.groupHeight() + barGroupGap
	c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.8}, left, top+3, left, bottom-3)
	style := textStyle(8.5, ink)
	style.YAlign = draw.YCenter
	for g, values := range p.Values {
		for k, v := range values {
			y := top - vg.Length(g)*b.groupHeight() - vg.Length(k+1)*barHeight
			text, length := "n/a", vg.Length(0)
			if !math.IsNaN(v) {
				text = amount(v)
				length = barWidth * vg.Length(v/max(most, 1e-12))
			}
			if length > 0 {
				fills[k].draw(c, rectangle(left, y+0.75, length, barHeight-1.5))
			}
			c.FillText(style, vg.Point{X: left + length + 4, Y: y + barHeight/2}, text)
		}
	}
}

// amount prints a number to three digits.
func amount(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := max(0, 2-int(math.Floor(math.Log10(v))))
	text := fmt.Sprintf("%.*f", digits, v)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// draw fills a box that stands upright.
func (f fill) draw(c draw.Canvas, box []vg.Point) {
	if !f.hatched {
		c.FillPolygon(f.color, box)
		return
	}
	c.FillPolygon(faded(f.color, 0x50), box)
	line := draw.LineStyle{Color: f.color, Width: 1.1}
	low, high := box[0], box[2]
	tall := high.Y - low.Y
	for x := low.X - tall; x < high.X; x += 4 { // each goes up by the height of the box
		from, to := vg.Point{X: x, Y: low.Y}, vg.Point{X: x + tall, Y: high.Y}
		if from.X < low.X {
			from = vg.Point{X: low.X, Y: low.Y + low.X - x}
		}
		if to.X > high.X {
			to = vg.Point{X: high.X, Y: low.Y + high.X - x}
		}
		c.StrokeLine2(line, from.X, from.Y, to.X, to.Y)
	}
	c.StrokeLines(draw.LineStyle{Color: f.color, Width: 0.8}, append(box, box[0]))
}
