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

// Matrix is a figure of many rows (scenarios) by columns (guards) in groups (locks), with a short
// word in each cell. One that is too large for a page is cut into several: see [Matrix.Pages].
type Matrix struct {
	Title, Subtitle string
	Groups          []MatrixGroup
	Rows            []MatrixRow
	Key             []MatrixKey // what the signs mean
	Note            string
}

// MatrixGroup is the columns under one heading.
type MatrixGroup struct {
	Name    string
	Columns []string
}

// MatrixRow has the cells of all groups, in their order. The row of a variant stands below that whose
// variant it is, and keeps to its page.
type MatrixRow struct {
	Name    string
	Variant bool
	Cells   []MatrixCell
}

// MatrixCell is a word of at most four characters on a ground. Alarm frames it.
type MatrixCell struct {
	Text   string
	Ground Ground
	Alarm  bool
}

// MatrixKey explains a cell.
type MatrixKey struct {
	Cell    MatrixCell
	Meaning string
}

// Ground is what a cell lies on.
type Ground int

// The grounds, each darker than the one before, so that they can be told apart without colour.
const (
	Absent Ground = iota // nothing to show
	Calm
	Warm
	Hot
)

var grounds = map[Ground]color.NRGBA{
	Absent: {0xff, 0xff, 0xff, 0xff},
	Calm:   {0xea, 0xf1, 0xf6, 0xff},
	Warm:   {0xf3, 0xc8, 0x6c, 0xff},
	Hot:    {0xc4, 0x4e, 0x0a, 0xff},
}

// WriteSVG writes the figure as SVG, see [Picture].
func (m Matrix) WriteSVG(w io.Writer) error { return writeSVG(m, w) }

// WritePNG writes the figure as PNG, see [Picture].
func (m Matrix) WritePNG(w io.Writer) error { return writePNG(m, w) }

func (m Matrix) sheet() sheet {
	return newSheet(Heading{m.Title, m.Subtitle, m.Note}, m)
}

func (m Matrix) check() error {
	if m.columns() == 0 || len(m.Rows) == 0 {
		return errors.New("plots: matrix without cells")
	}
	for _, r := range m.Rows {
		if len(r.Cells) != m.columns() {
			return fmt.Errorf("plots: row %q has %d cells, not %d", r.Name, len(r.Cells), m.columns())
		}
	}
	return nil
}

const (
	matrixCell  vg.Length = 24
	matrixRow   vg.Length = 9.6
	matrixGroup vg.Length = 4 // between groups
	matrixHead  vg.Length = 16
	matrixIn    vg.Length = 7 // by which variants are set in
	matrixText  vg.Length = 7.5
	matrixWord  vg.Length = 7 // in a cell
)

func (m Matrix) columns() (n int) {
	for _, g := range m.Groups {
		n += len(g.Columns)
	}
	return n
}

func (m Matrix) nameWidth() (widest vg.Length) {
	for _, r := range m.Rows {
		widest = max(widest, r.indent()+widthOf(r.Name, textStyle(matrixText, ink)))
	}
	return widest + 6
}

func (r MatrixRow) indent() vg.Length {
	if r.Variant {
		return matrixIn
	}
	return 0
}

// columnNames is the room for the names of the columns, which are set upright.
func (m Matrix) columnNames() (tallest vg.Length) {
	for _, g := range m.Groups {
		for _, name := range g.Columns {
			tallest = max(tallest, widthOf(name, textStyle(matrixText, grey)))
		}
		tallest = max(tallest, m.tilt(g))
	}
	return tallest + 6
}

// tilt is the room that the name of a group needs where it is wider than its columns.
func (m Matrix) tilt(g MatrixGroup) vg.Length {
	if m.fits(g) {
		return 0
	}
	return widthOf(g.Name, bold(textStyle(8.5, ink)))
}

func (m Matrix) fits(g MatrixGroup) bool {
	return bold(textStyle(8.5, ink)).Width(g.Name) <= vg.Length(len(g.Columns))*matrixCell+matrixGroup
}

func (m Matrix) size() (width, height vg.Length) {
	blocks := m.blocks()
	width = max(vg.Length(len(blocks))*(m.blockWidth()+panelGap)-panelGap, narrowestSheet)
	for _, k := range m.keys(width) {
		height += k.height()
	}
	tallest := 0
	for _, rows := range blocks {
		tallest = max(tallest, len(rows))
	}
	return width, height + 8 + m.headHeight() + vg.Length(tallest)*matrixRow
}

// blockWidth is that of all columns with the names of the rows.
func (m Matrix) blockWidth() vg.Length {
	width := m.nameWidth()
	for _, g := range m.Groups {
		width += g.width()
	}
	return width
}

func (g MatrixGroup) width() vg.Length { return vg.Length(len(g.Columns))*matrixCell + matrixGroup }

// keys are the meanings of the signs, beside them.
func (m Matrix) keys(width vg.Length) (list []paragraph) {
	for _, k := range m.Key {
		list = append(list, wrapped(k.Meaning, textStyle(8.5, ink), width-matrixCell-6))
	}
	return list
}

func (m Matrix) headHeight() vg.Length { return matrixHead + m.columnNames() }

func (m Matrix) about() string {
	var names []string
	for _, g := range m.Groups {
		names = append(names, g.Name+" ("+strings.Join(g.Columns, ", ")+")")
	}
	return fmt.Sprintf("%d rows under %s.", len(m.Rows), strings.Join(names, "; "))
}

func (m Matrix) draw(c draw.Canvas, left, top vg.Length) {
	width, _ := m.size()
	for i, k := range m.keys(width) {
		m.Key[i].Cell.draw(c, left, top-matrixRow)
		top = k.draw(c, left+matrixCell+6, top)
	}
	top -= 8
	for i, rows := range m.blocks() {
		m.drawBlock(c, rows, left+vg.Length(i)*(m.blockWidth()+panelGap), top)
	}
}

func (m Matrix) drawBlock(c draw.Canvas, rows []MatrixRow, left, top vg.Length) {
	m.drawHead(c, left+m.nameWidth(), top)
	top -= m.headHeight()
	style := textStyle(matrixText, ink)
	style.YAlign = draw.YCenter
	for i, r := range rows {
		y := top - vg.Length(i+1)*matrixRow
		if i%5 == 4 { // a rule leads the eye along the row
			c.StrokeLine2(draw.LineStyle{Color: rule, Width: 0.6}, left, y, left+m.blockWidth(), y)
		}
		c.FillText(style, vg.Point{X: left + r.indent(), Y: y + matrixRow/2}, r.Name)
		x, n := left+m.nameWidth(), 0
		for _, g := range m.Groups {
			for range g.Columns {
				r.Cells[n].draw(c, x, y)
				x, n = x+matrixCell, n+1
			}
			x += matrixGroup
		}
	}
}

func (m Matrix) drawHead(c draw.Canvas, x, top vg.Length) {
	upright := textStyle(matrixText, grey)
	upright.Rotation, upright.XAlign, upright.YAlign = math.Pi/2, draw.XLeft, draw.YCenter
	bottom := top - m.headHeight() + 3
	for _, g := range m.Groups {
		width := vg.Length(len(g.Columns)) * matrixCell
		name := bold(textStyle(8.5, ink))
		if m.fits(g) {
			name.XAlign = draw.XCenter
			c.FillText(name, vg.Point{X: x + width/2, Y: top - 3}, g.Name)
			for i, column := range g.Columns {
				c.FillText(upright, vg.Point{X: x + (vg.Length(i)+0.5)*matrixCell, Y: bottom}, column)
			}
		} else {
			name.Rotation, name.XAlign, name.YAlign = math.Pi/2, draw.XLeft, draw.YCenter
			c.FillText(name, vg.Point{X: x + width/2 - 5, Y: bottom}, g.Name)
			for i, column := range g.Columns {
				c.FillText(upright, vg.Point{X: x + (vg.Length(i)+0.5)*matrixCell + 6, Y: bottom}, column)
			}
		}
		x += width + matrixGroup
	}
}

func (cell MatrixCell) draw(c draw.Canvas, x, y vg.Length) {
	box := rectangle(x+0.6, y+0.6, matrixCell-1.2, matrixRow-1.2)
	if cell.Ground != Absent {
		c.FillPolygon(grounds[cell.Ground], box)
	}
	if cell.Alarm {
		c.StrokeLines(draw.LineStyle{Color: color.Black, Width: 1.6}, append(box, box[0]))
	}
	style := textStyle(matrixWord, readableOn(grounds[cell.Ground]))
	if cell.Ground == Absent {
		style.Color = grey
	}
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	c.FillText(style, vg.Point{X: x + matrixCell/2, Y: y + matrixRow/2}, cell.Text)
}
