package plots

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
)

// What fits on a sheet of A4 with margins, in points: a picture that is printed smaller has letters
// that nobody can read.
const (
	pageWidth  vg.Length = 540
	pageHeight vg.Length = 780
	// pageWords is kept for the title, the subtitle and the note.
	pageWords vg.Length = 75
)

// Pages cuts a matrix into as many as it needs for each to be read in print: first by groups, and then by
// rows. Each has the whole heading and key. It is the matrix itself if that is small enough.
func (m Matrix) Pages() (pages []Matrix) {
	wide := m.byGroups(pageWidth - 2*outerMargin)
	for _, part := range wide {
		pages = append(pages, part.byRows(pageHeight-2*outerMargin-pageWords)...)
	}
	if len(pages) == 1 {
		return pages
	}
	for i := range pages {
		p := &pages[i]
		p.Subtitle += fmt.Sprintf("; page %d of %d: %s", i+1, len(pages), p.extent())
	}
	return pages
}

// extent says which groups and rows these are.
func (m Matrix) extent() string {
	groups := m.Groups[0].Name
	if n := len(m.Groups); n > 1 {
		groups += " to " + m.Groups[n-1].Name
	}
	return groups + ", " + m.Rows[0].Name + " to " + m.lastWhole()
}

// lastWhole is the last row that is not a variant, with which its variants are meant.
func (m Matrix) lastWhole() string {
	for i := len(m.Rows) - 1; i > 0; i-- {
		if !m.Rows[i].Variant {
			return m.Rows[i].Name
		}
	}
	return m.Rows[0].Name
}

// byGroups cuts between groups, into parts of about the same width that are no wider than the room. A
// group that alone is wider stays whole.
func (m Matrix) byGroups(room vg.Length) (parts []Matrix) {
	room -= m.nameWidth()
	var all vg.Length
	for _, g := range m.Groups {
		all += g.width()
	}
	n := 1
	for ; n < len(m.Groups); n++ {
		if parts = m.cutGroups(all/vg.Length(n), room, n); parts != nil {
			return parts
		}
	}
	return m.cutGroups(0, 0, n)
}

// cutGroups begins a new part where the one before has its share of the width. It returns nil if that
// makes one that is wider than the room.
func (m Matrix) cutGroups(share, room vg.Length, most int) (parts []Matrix) {
	var width vg.Length
	from, column := 0, 0
	end := func(to, columns int) {
		part := m
		part.Groups, part.Rows = m.Groups[from:to], nil
		for _, r := range m.Rows {
			r.Cells = r.Cells[column : column+columns]
			part.Rows = append(part.Rows, r)
		}
		parts = append(parts, part)
		from, column, width = to, column+columns, 0
	}
	columns := 0
	for i, g := range m.Groups {
		if width > 0 && (width+g.width()/2 > share || room > 0 && width+g.width() > room) {
			end(i, columns)
			columns = 0
		}
		if room > 0 && g.width() > room {
			return nil
		}
		width += g.width()
		columns += len(g.Columns)
	}
	end(len(m.Groups), columns)
	if len(parts) > most {
		return nil
	}
	return parts
}

// byRows cuts into parts that are no taller than the room.
func (m Matrix) byRows(room vg.Length) (parts []Matrix) {
	empty := m
	empty.Rows = nil
	_, head := empty.size()
	most := max(1, int((room-head)/matrixRow))
	if n := m.abreast(); n > 1 {
		most = n * max(1, most-3) // a block is taller than its share by the variants of its last row
	}
	for _, rows := range cut(m.Rows, most) {
		part := m
		part.Rows = rows
		parts = append(parts, part)
	}
	return parts
}

// abreast is how many blocks of all columns a page has room for, side by side.
func (m Matrix) abreast() int {
	return max(1, int((pageWidth-2*outerMargin+panelGap)/(m.blockWidth()+panelGap)))
}

// fewRows are read better in one block.
const fewRows = 20

// blocks are the rows that stand below each other.
func (m Matrix) blocks() [][]MatrixRow {
	n := min(m.abreast(), (len(m.Rows)+fewRows-1)/fewRows)
	if n <= 1 {
		return [][]MatrixRow{m.Rows}
	}
	blocks := cut(m.Rows, (len(m.Rows)+n-1)/n)
	if len(blocks) > n { // what was left over by the cuts before
		blocks[n-1] = slices.Concat(blocks[n-1:]...)
		blocks = blocks[:n]
	}
	return blocks
}

// cut makes parts of about the same number of rows, at most so many, and begins none with a variant: it
// stands below that whose variant it is.
func cut(rows []MatrixRow, most int) (parts [][]MatrixRow) {
	for n := (len(rows) + most - 1) / most; len(rows) > 0; n-- {
		to := min(most, len(rows))
		if n > 1 {
			to = min(to, (len(rows)+n-1)/n)
		}
		for to < len(rows) && to > 1 && rows[to].Variant {
			to--
		}
		parts, rows = append(parts, rows[:to]), rows[to:]
	}
	return parts
}
