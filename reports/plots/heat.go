package plots

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a figure of rates over two axes: maps with the same cells, one for each lock, say. Each
// cell has its rate as a number, too, so that it can be read without the shade.
type Heat struct {
	Title, Subtitle string
	XLabel, YLabel  string
	Columns, Rows   []string // what stands at the axes; rows from the bottom up
	Maps            []HeatMap
	Note            string
}

// HeatMap is one map: by row and column.
type HeatMap struct {
	Name  string
	Cells [][]HeatCell
}

// HeatCell is a rate and the upper end of its interval, which is shown where nothing was seen. An
// Empty one was not run or has no rate.
type HeatCell struct {
	Rate, High float64
	Empty      bool
}

// WriteSVG writes the figure as SVG, see [Picture].
func (h Heat) WriteSVG(w io.Writer) error { return writeSVG(h, w) }

// WritePNG writes the figure as PNG, see [Picture].
func (h Heat) WritePNG(w io.Writer) error { return writePNG(h, w) }

func (h Heat) sheet() sheet {
	return newSheet(Heading{h.Title, h.Subtitle, h.Note + "\nNumbers are percent; after < stands the upper bound where no violation was seen. A crossed cell has no rate."}, h)
}

func (h Heat) check() error {
	if len(h.Maps) == 0 || len(h.Columns) == 0 || len(h.Rows) == 0 {
		return errors.New("plots: heat map without cells")
	}
	for _, m := range h.Maps {
		if len(m.Cells) != len(h.Rows) {
			return fmt.Errorf("plots: map %q has %d rows, not %d", m.Name, len(m.Cells), len(h.Rows))
		}
		for _, row := range m.Cells {
			if len(row) != len(h.Columns) {
				return fmt.Errorf("plots: map %q has a row of %d cells, not %d", m.Name, len(row), len(h.Columns))
			}
			for _, c := range row {
				if !c.Empty && !(0 <= c.Rate && c.Rate <= c.High && c.High <= 1) {
					return fmt.Errorf("plots: map %q has the rate %v with the upper end %v", m.Name, c.Rate, c.High)
				}
			}
		}
	}
	return nil
}

const (
	heatCell   vg.Length = 40
	heatRow    vg.Length = 23
	heatAxis   vg.Length = 34 // left of a map, for what stands at its rows
	heatBottom vg.Length = 34
)

func (h Heat) grid() (columns int) {
	if len(h.Maps) == 4 {
		return 2
	}
	for columns = 1; vg.Length(columns+1)*h.mapWidth() <= 800 && columns < len(h.Maps); columns++ {
	}
	return columns
}

func (h Heat) mapWidth() vg.Length {
	return heatAxis + 14 + vg.Length(len(h.Columns))*heatCell + panelGap
}

func (h Heat) mapHeight() vg.Length {
	return panelNameRoom + vg.Length(len(h.Rows))*heatRow + heatBottom + panelGap/2
}

func (h Heat) size() (width, height vg.Length) {
	columns := h.grid()
	rows := (len(h.Maps) + columns - 1) / columns
	return vg.Length(columns)*h.mapWidth() - panelGap, vg.Length(rows)*h.mapHeight() + 30
}

func (h Heat) about() string {
	var names []string
	for _, m := range h.Maps {
		names = append(names, m.Name)
	}
	return h.YLabel + " over " + h.XLabel + ": " + strings.Join(names, "; ") + "."
}

func (h Heat) draw(c draw.Canvas, left, top vg.Length) {
	columns := h.grid()
	for i, m := range h.Maps {
		h.drawMap(c, m, left+vg.Length(i%columns)*h.mapWidth(), top-vg.Length(i/columns)*h.mapHeight())
	}
	_, height := h.size()
	drawShades(c, left, top-height+22)
}

func (h Heat) drawMap(c draw.Canvas, m HeatMap, left, top vg.Length) {
	wrapped(m.Name, bold(textStyle(10.5, ink)), h.mapWidth()).draw(c, left+14+heatAxis, top)
	left, top = left+14+heatAxis, top-panelNameRoom
	bottom := top - vg.Length(len(h.Rows))*heatRow
	small := textStyle(9, ink)
	for r, row := range m.Cells {
		y := bottom + vg.Length(r)*heatRow
		right := small
		right.XAlign, right.YAlign = draw.XRight, draw.YCenter
		c.FillText(right, vg.Point{X: left - 5, Y: y + heatRow/2}, h.Rows[r])
		for k, cell := range row {
			cell.draw(c, left+vg.Length(k)*heatCell, y)
		}
	}
	centred := small
	centred.XAlign = draw.XCenter
	for k, name := range h.Columns {
		c.FillText(centred, vg.Point{X: left + (vg.Length(k)+0.5)*heatCell, Y: bottom - 4}, name)
	}
	centred = textStyle(10, ink)
	centred.XAlign = draw.XCenter
	c.FillText(centred, vg.Point{X: left + vg.Length(len(h.Columns))*heatCell/2, Y: bottom - 16}, h.XLabel)
	centred.Rotation, centred.YAlign = math.Pi/2, draw.YTop
	c.FillText(centred, vg.Point{X: left - heatAxis - 12, Y: (top + bottom) / 2}, h.YLabel)
}

func (cell HeatCell) draw(c draw.Canvas, x, y vg.Length) {
	box := rectangle(x, y, heatCell, heatRow)
	if cell.Empty {
		c.FillPolygon(color.White, box)
		c.StrokeLine2(draw.LineStyle{Color: rule, Width: 0.8}, x, y, x+heatCell, y+heatRow)
	} else {
		c.FillPolygon(shade(cell.Rate), box)
	}
	c.StrokeLines(draw.LineStyle{Color: color.White, Width: 1}, append(box, box[0]))
	if cell.Empty {
		return
	}
	style := textStyle(8.5, readableOn(shade(cell.Rate)))
	text := shortPercent(cell.Rate)
	if cell.Rate == 0 {
		style.Color = grey
		text = "< " + shortPercent(cell.High)
	}
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	c.FillText(style, vg.Point{X: x + heatCell/2, Y: y + heatRow/2}, text)
}

// shortPercent is a probability in percent, without the sign, in at most four characters.
func shortPercent(p float64) string {
	percent := 100 * p
	switch {
	case percent >= 9.95 || percent == 0:
		return strconv.FormatFloat(percent, 'f', 0, 64)
	case percent >= 0.995:
		return strconv.FormatFloat(percent, 'f', 1, 64)
	}
	return strconv.FormatFloat(percent, 'g', 1, 64)
}

func rectangle(x, y, width, height vg.Length) []vg.Point {
	return []vg.Point{{X: x, Y: y}, {X: x + width, Y: y}, {X: x + width, Y: y + height}, {X: x, Y: y + height}}
}

// shade darkens evenly from a rate of 0 on, in one hue: in greys and for the colour-blind it is
// the same scale. The square root tells small rates from none.
func shade(rate float64) color.NRGBA {
	from, to := color.NRGBA{0xf4, 0xf6, 0xf8, 0xff}, color.NRGBA{0x08, 0x30, 0x6b, 0xff}
	t := math.Sqrt(rate)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + t*(float64(b)-float64(a)))) }
	return color.NRGBA{mix(from.R, to.R), mix(from.G, to.G), mix(from.B, to.B), 0xff}
}

// drawShades is the key to the shades.
func drawShades(c draw.Canvas, left, top vg.Length) {
	const steps, width = 60, 4
	for i := range steps {
		c.FillPolygon(shade((float64(i)+0.5)/steps), rectangle(left+vg.Length(i)*width, top-10, width+0.3, 10))
	}
	style := textStyle(8, grey)
	style.XAlign = draw.XCenter
	for percent := 0; percent <= 100; percent += 25 {
		x := left + vg.Length(percent)/100*steps*width
		if percent == 0 {
			style.XAlign = draw.XLeft
		} else {
			style.XAlign = draw.XCenter
		}
		c.FillText(style, vg.Point{X: x, Y: top - 12}, strconv.Itoa(percent)+" %")
	}
}
