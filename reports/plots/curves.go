package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// frame places values on the paper.
type frame struct {
	x, y func(float64) vg.Length
}

func (f frame) at(x, y float64) vg.Point { return vg.Point{X: f.x(x), Y: f.y(y)} }

// drawing plots all curves at once: who coincides with whom decides on stripes and on the
// places of the markers.
type drawing struct {
	curves []curve
}

// Plot draws bands below lines below markers. It makes drawing a [plot.Plotter].
func (d drawing) Plot(c draw.Canvas, p *plot.Plot) {
	var f frame
	f.x, f.y = p.Transforms(&c)
	for _, b := range bandsOf(d.curves) {
		b.draw(c, f)
	}
	for _, bundle := range bundles(d.curves) {
		bundle.draw(c, f)
	}
	drawMarkers(c, f, d.curves)
}

// runs returns the stretches of the curve between withheld points.
func (k curve) runs() [][]Point {
	var runs [][]Point
	start := 0
	for i, p := range k.points {
		if p.Withheld {
			runs = append(runs, k.points[start:i])
			start = i + 1
		}
	}
	return append(runs, k.points[start:])
}

// segment is the straight piece of a curve between neighbouring points.
type segment struct {
	style    style
	from, to Point
}

// bundle is the segments that lie on top of one another.
type bundle []segment

// bundles gathers the segments of all curves that nobody could tell apart, in order.
func bundles(curves []curve) []bundle {
	var out []bundle
	for _, k := range curves {
		for _, run := range k.runs() {
			for i := 1; i < len(run); i++ {
				out = gathered(out, segment{k.style, run[i-1], run[i]})
			}
		}
	}
	return out
}

func gathered(all []bundle, s segment) []bundle {
	for i, b := range all {
		if b[0].covers(s) {
			all[i] = append(b, s)
			return all
		}
	}
	return append(all, bundle{s})
}

// indistinct is a difference of rates of about a line's width.
const indistinct = 0.004

func (s segment) covers(t segment) bool {
	return s.from.X == t.from.X && s.to.X == t.to.X &&
		math.Abs(s.from.Rate-t.from.Rate) <= indistinct && math.Abs(s.to.Rate-t.to.Rate) <= indistinct
}

const stripe vg.Length = 5

// draw draws a lone segment in its own dashes, and several as stripes on the first one's
// place, taking turns.
func (b bundle) draw(c draw.Canvas, f frame) {
	for i, s := range b {
		line := s.style.line()
		if len(b) > 1 {
			line.Dashes = []vg.Length{stripe, stripe * vg.Length(len(b)-1)}
			line.DashOffs = -stripe * vg.Length(i)
			line.Width = 2
		}
		from, to := f.at(b[0].from.X, b[0].from.Rate), f.at(b[0].to.X, b[0].to.Rate)
		c.StrokeLine2(line, from.X, from.Y, to.X, to.Y)
	}
}
