package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// frame places values on the paper.
type frame struct {
	x    func(float64) vg.Length
	up   func(float64) vg.Length
	axis yaxis
}

func newFrame(c draw.Canvas, p *plot.Plot, y yaxis) frame {
	f := frame{axis: y}
	f.x, f.up = p.Transforms(&c)
	return f
}

// y is where a value stands; what is beyond the axis stands at its end.
func (f frame) y(v float64) vg.Length { return f.up(f.axis.on(v)) }

func (f frame) at(x, y float64) vg.Point { return vg.Point{X: f.x(x), Y: f.y(y)} }

// of is where a point stands.
func (f frame) of(p Point) vg.Point { return f.at(p.X, f.axis.scale.shown(p)) }

// drawing plots all curves at once: who coincides with whom decides on stripes and on the
// places of the markers.
type drawing struct {
	curves []curve
	axis   yaxis
	path   bool
	exact  bool
}

func (c Chart) drawing(curves []curve, y yaxis) drawing {
	return drawing{curves, y, c.Path, c.Path || c.Exact}
}

// Plot draws bands below lines below markers. It makes drawing a [plot.Plotter].
func (d drawing) Plot(c draw.Canvas, p *plot.Plot) {
	f := newFrame(c, p, d.axis)
	if !d.path {
		for _, b := range bandsOf(d.curves) {
			b.draw(c, f)
		}
	}
	all := bundles(d.curves, d.axis)
	for _, bundle := range all {
		if !bundle[0].style.formula() {
			bundle.draw(c, f)
		}
	}
	for _, bundle := range all { // on top: the line that it foretells often lies below it
		if bundle[0].style.formula() {
			bundle.draw(c, f)
		}
	}
	for _, k := range d.curves {
		k.drawLoneFormula(c, f)
	}
	spots := placedSpots(c, f, d)
	for _, s := range spots {
		s.drawBar(c, f)
	}
	for _, s := range spots {
		s.drawMarker(c, f)
	}
}

// drawLoneFormula draws what was worked out at one place alone, which has no line, as a dash there.
func (k curve) drawLoneFormula(c draw.Canvas, f frame) {
	if !k.formula || len(k.points) != 1 {
		return
	}
	at, line := f.of(k.points[0]), k.style.line()
	line.Dashes = nil
	c.StrokeLine2(line, at.X-8, at.Y, at.X+8, at.Y)
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

// bundles gathers the segments of all curves that nobody could tell apart, in order. None leads to or
// from an upper bound: no rate was seen there, and a line would make a rise of it, or a fall.
func bundles(curves []curve, y yaxis) []bundle {
	var out []bundle
	for _, k := range curves {
		for _, run := range k.runs() {
			for i := 1; i < len(run); i++ {
				s := segment{k.style, run[i-1], run[i]}
				switch {
				case y.scale.bounded(s.from) || y.scale.bounded(s.to):
				case k.formula && max(s.from.Rate, s.to.Rate) <= y.low:
					// It has left the picture.
				case k.formula:
					out = append(out, bundle{s})
				default:
					out = gathered(out, s, y)
				}
			}
		}
	}
	return out
}

func gathered(all []bundle, s segment, y yaxis) []bundle {
	for i, b := range all {
		if !b[0].style.formula() && b[0].covers(s, y) {
			all[i] = append(b, s)
			return all
		}
	}
	return append(all, bundle{s})
}

// indistinct is a difference, as a share of the axis, of about a line's width.
const indistinct = 0.004

func (s segment) covers(t segment, y yaxis) bool {
	near := func(a, b Point) bool {
		return a.X == b.X && math.Abs(y.share(y.scale.shown(a))-y.share(y.scale.shown(b))) <= indistinct
	}
	return near(s.from, t.from) && near(s.to, t.to)
}

const stripe vg.Length = 5

// rimLength is how far the rim of a dash goes beyond its ends.
const rimLength vg.Length = 0.8

// draw draws a lone segment in its own dashes, and several as stripes on the first one's
// place, taking turns. What was worked out has a light rim, so that its dashes and the line below
// them can both be seen.
func (b bundle) draw(c draw.Canvas, f frame) {
	for i, s := range b {
		line := s.style.line()
		if len(b) > 1 {
			line.Dashes = []vg.Length{stripe, stripe * vg.Length(len(b)-1)}
			line.DashOffs = -stripe * vg.Length(i)
			line.Width = 2
		}
		from, to := f.of(b[0].from), f.of(b[0].to)
		if s.style.formula() {
			rim := line
			rim.Color, rim.Width = color.White, line.Width+1.8
			rim.Dashes, rim.DashOffs = []vg.Length{line.Dashes[0] + 2*rimLength, line.Dashes[1] - 2*rimLength}, rimLength
			c.StrokeLine2(rim, from.X, from.Y, to.X, to.Y)
		}
		c.StrokeLine2(line, from.X, from.Y, to.X, to.Y)
	}
}
