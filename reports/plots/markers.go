package plots

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	// markerPitch is the distance at which neighbouring markers do not touch.
	markerPitch = 2.6 * markerRadius
	// widestRow of markers is still read as one place of the axis.
	widestRow = 6 * markerPitch
	// smallestMarker is what a crowd may shrink markers to, as a part of their size.
	smallestMarker = 0.62
)

// spot is a marker yet to be drawn, or the bar of a point that has no line.
type spot struct {
	style  style
	point  Point
	at     vg.Point
	lonely bool
	size   vg.Length // of the marker, as a part
	beside bool      // it was moved aside to leave room for others
	ring   bool      // around those of others, which it leaves to be seen
}

// placedSpots puts the markers that would cover each other side by side. Where many have
// little room they are smaller.
func placedSpots(c draw.Canvas, f frame, d drawing) (spots []spot) {
	columns := columnsOf(f, d.curves, d.path)
	if d.exact {
		return nested(slices.Concat(columns...))
	}
	for i, column := range columns {
		room := roomOf(c, columns, i)
		for _, row := range rowsOf(column) {
			pitch, middle := min(markerPitch, room/vg.Length(len(row))), middleOf(row)
			for i, s := range row {
				s.size = max(smallestMarker, pitch/markerPitch)
				if s.beside = len(row) > 1; s.beside {
					s.at.X = middle + pitch*(vg.Length(i)-vg.Length(len(row)-1)/2)
				}
				spots = append(spots, s)
			}
		}
	}
	return spots
}

func middleOf(spots []spot) (mean vg.Length) {
	for _, s := range spots {
		mean += s.at.X / vg.Length(len(spots))
	}
	return mean
}

// roomOf returns how wide the rows of the column may be: not beyond the plot, and less than
// halfway to both neighbours, so that one sees which of them belong together.
func roomOf(c draw.Canvas, columns [][]spot, i int) vg.Length {
	x := middleOf(columns[i])
	room := min(widestRow, 2*(x-c.Min.X)-markerPitch, 2*(c.Max.X-x)-markerPitch)
	if i > 0 {
		room = min(room, 0.75*(x-middleOf(columns[i-1])))
	}
	if i < len(columns)-1 {
		room = min(room, 0.75*(middleOf(columns[i+1])-x))
	}
	return max(room, markerPitch)
}

// columnsOf gathers the spots of one X, or of places so near to each other that markers
// would cover each other, ascending, each from the lowest rate up.
func columnsOf(f frame, curves []curve, path bool) [][]spot {
	var all []spot
	for _, k := range curves {
		if k.formula {
			continue
		}
		for _, run := range k.runs() {
			for _, p := range run {
				all = append(all, spot{style: k.style, point: p, at: f.of(p), lonely: path || len(run) == 1, size: 1})
			}
		}
		for _, p := range k.points {
			if p.Withheld {
				all = append(all, spot{style: k.style, point: p, at: f.of(p), lonely: true, size: 1})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b spot) int { return cmp.Compare(a.at.X, b.at.X) })
	var columns [][]spot
	for _, s := range all {
		last := len(columns) - 1
		if last < 0 || s.at.X-columns[last][0].at.X > 0.75*markerPitch {
			columns, last = append(columns, nil), last+1
		}
		columns[last] = append(columns[last], s)
	}
	for _, column := range columns {
		slices.SortStableFunc(column, func(a, b spot) int { return cmp.Compare(a.at.Y, b.at.Y) })
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

// drawBar draws the interval of a point that has no band, or the arrow down from an upper bound. An end
// beyond the axis is an arrow, as a cap would be taken for the end of the interval.
func (s spot) drawBar(c draw.Canvas, f frame) {
	if f.axis.scale.bounded(s.point) {
		s.style.arrow(c, s.at, max(c.Min.Y, s.at.Y-11-(max(s.size, 1)-1)*markerRadius))
		return
	}
	if !s.lonely {
		return
	}
	low, high := f.y(s.point.Low), f.y(s.point.High)
	line := draw.LineStyle{Color: s.style.color, Width: 1.1 * min(s.size, 0.8)}
	c.StrokeLine2(line, s.at.X, low, s.at.X, high)
	c.StrokeLine2(line, s.at.X-2.5, high, s.at.X+2.5, high)
	if f.axis.on(s.point.Low) == s.point.Low {
		c.StrokeLine2(line, s.at.X-2.5, low, s.at.X+2.5, low)
	} else {
		s.style.arrowhead(c, s.at.X, low)
	}
}

func (s spot) drawMarker(c draw.Canvas, f frame) {
	switch {
	case s.point.Withheld:
	case s.ring:
		s.style.ring(c, s.at, s.size)
	default:
		s.style.marker(c, s.at, s.hollow(f.axis.scale), s.size)
	}
}

// hollow reports whether a point says that nothing was seen, or little.
func (s spot) hollow(of Scale) bool {
	nothing := s.point.Rate == 0 && (of == Shares || of == LogShares)
	return nothing || s.point.Hollow
}
