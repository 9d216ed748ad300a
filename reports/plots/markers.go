package plots

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// markerPitch is the distance at which neighbouring markers do not touch.
const markerPitch = 2.6 * markerRadius

// spot is a marker yet to be drawn, or the bar of a point that has no line.
type spot struct {
	style  style
	point  Point
	at     vg.Point
	lonely bool
}

// drawMarkers draws every marker, and those that would cover each other side by side.
func drawMarkers(c draw.Canvas, f frame, curves []curve) {
	columns := columnsOf(f, curves)
	for i, column := range columns {
		room := roomOf(columns, i)
		for _, row := range rowsOf(column) {
			pitch := min(markerPitch, 0.9*room/vg.Length(len(row)))
			for i, s := range row {
				s.at.X += pitch * (vg.Length(i) - vg.Length(len(row)-1)/2)
				s.draw(c, f)
			}
		}
	}
}

// roomOf returns how wide the rows of the column may be, halfway to both neighbours.
func roomOf(columns [][]spot, i int) vg.Length {
	room := 20 * markerPitch
	if i > 0 {
		room = min(room, columns[i][0].at.X-columns[i-1][0].at.X)
	}
	if i < len(columns)-1 {
		room = min(room, columns[i+1][0].at.X-columns[i][0].at.X)
	}
	return max(room, markerPitch)
}

// columnsOf gathers the spots by X, ascending, each from the lowest rate up.
func columnsOf(f frame, curves []curve) [][]spot {
	var all []spot
	for _, k := range curves {
		for _, run := range k.runs() {
			for _, p := range run {
				all = append(all, spot{k.style, p, f.at(p.X, p.Rate), len(run) == 1})
			}
		}
		for _, p := range k.points {
			if p.Withheld {
				all = append(all, spot{k.style, p, f.at(p.X, (p.Low+p.High)/2), true})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b spot) int {
		if a.point.X != b.point.X {
			return compare(a.at.X, b.at.X)
		}
		return compare(a.at.Y, b.at.Y)
	})
	var columns [][]spot
	for i, s := range all {
		if i == 0 || s.point.X != all[i-1].point.X {
			columns = append(columns, nil)
		}
		last := len(columns) - 1
		columns[last] = append(columns[last], s)
	}
	return columns
}

// rowsOf splits a column where the next marker is clear of the one below.
func rowsOf(column []spot) [][]spot {
	rows := [][]spot{column[:1]}
	for i := 1; i < len(column); i++ {
		last := len(rows) - 1
		if column[i].at.Y-column[i-1].at.Y < 0.75*markerPitch {
			rows[last] = append(rows[last], column[i])
		} else {
			rows = append(rows, column[i:i+1])
		}
	}
	return rows
}

func (s spot) draw(c draw.Canvas, f frame) {
	if s.lonely {
		low, high := f.y(s.point.Low), f.y(s.point.High)
		line := draw.LineStyle{Color: s.style.color, Width: 1.2}
		c.StrokeLine2(line, s.at.X, low, s.at.X, high)
		c.StrokeLine2(line, s.at.X-2.5, low, s.at.X+2.5, low)
		c.StrokeLine2(line, s.at.X-2.5, high, s.at.X+2.5, high)
	}
	if !s.point.Withheld {
		s.style.marker(c, s.at, s.point.Rate == 0)
	}
}

func compare(a, b vg.Length) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
