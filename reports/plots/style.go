package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	xfont "golang.org/x/image/font"
)

// style tells a curve from the others by colour, by shape and by dashes, so that prints
// without colours still do.
type style struct {
	color  color.NRGBA
	dashes []vg.Length
	shape  shape
}

// palette is that of Okabe and Ito, "Color Universal Design" (2008), without the yellow
// that hardly shows on white, and then what it leaves room for: darker colours, which
// differ from it in lightness too.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermillion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0x00, 0x00, 0x00, 0xff}, // black
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x7a, 0x1f, 0x3d, 0xff}, // wine
	{0x8c, 0x8c, 0x1a, 0xff}, // olive
	{0x4b, 0x2e, 0x9e, 0xff}, // indigo
	{0x7f, 0x7f, 0x7f, 0xff}, // grey
}

var dashPatterns = [][]vg.Length{nil, {6, 2.5}, {1.5, 2}, {7, 2, 1.5, 2}}

// styleOf returns the style of the i-th curve. The three cycles have coprime lengths but
// for 4 and 10, so that the first 220 styles differ, and a colour that comes again does so
// with other dashes and another shape.
func styleOf(i int) style {
	return style{
		color:  palette[i%len(palette)],
		dashes: dashPatterns[i%len(dashPatterns)],
		shape:  shapes[i%len(shapes)],
	}
}

// formulaStyle is that of what was worked out: no colour of a lock's, and no marker.
var formulaStyle = style{color: grey, dashes: []vg.Length{4.5, 4}}

// same reports whether markers of both look alike.
func (s style) same(o style) bool { return s.color == o.color && slices.Equal(s.shape, o.shape) }

func (s style) formula() bool { return s.shape == nil }

func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: 1.4, Dashes: s.dashes}
}

func (s style) band() color.Color { return faded(s.color, bandAlpha) }

// bandAlpha lets the grid and other bands show through.
const bandAlpha = 0x1e

func faded(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// shape is the outline of a marker around the origin, with a radius of about 1.
type shape []vg.Point

var shapes = []shape{
	polygon(24, 0, 1),
	polygon(4, math.Pi/4, 1.2),
	polygon(3, math.Pi/2, 1.25),
	polygon(4, 0, 1.2),
	polygon(3, -math.Pi/2, 1.25),
	star(4, 0, 0.35),
	star(5, math.Pi/2, 0.45),
	polygon(3, 0, 1.25),
	star(4, math.Pi/4, 0.35),
	polygon(6, 0, 1.05),
}

func polygon(corners int, turn, radius float64) shape {
	out := make(shape, corners)
	for i := range out {
		out[i] = polar(radius, turn+2*math.Pi*float64(i)/float64(corners))
	}
	return out
}

func star(rays int, turn, inner float64) shape {
	out := make(shape, 2*rays)
	for i := range out {
		radius := 1.35
		if i%2 == 1 {
			radius *= inner
		}
		out[i] = polar(radius, turn+math.Pi*float64(i)/float64(rays))
	}
	return out
}

func polar(radius, angle float64) vg.Point {
	return vg.Point{X: vg.Length(radius * math.Cos(angle)), Y: vg.Length(radius * math.Sin(angle))}
}

const markerRadius vg.Length = 3.2

// marker draws the style's shape in a part of its size, filled or hollow. It keeps a light
// rim, so that a marker stands out from the lines of others. Hollow ones are smaller: they
// stand in the longest rows, where nothing happened.
func (s style) marker(c draw.Canvas, at vg.Point, hollow bool, size vg.Length) {
	fill := s.color
	if hollow {
		fill, size = color.NRGBA{0xff, 0xff, 0xff, 0xff}, 0.8*size
	}
	if s.formula() {
		return
	}
	path := s.shape.path(at, size*markerRadius)
	c.SetLineStyle(draw.LineStyle{Color: color.White, Width: 1.1 + 1.5*size})
	c.Stroke(path)
	c.SetColor(fill)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: s.color, Width: 1.1})
	c.Stroke(path)
}

// ring is the outline of a marker that has others inside of it.
func (s style) ring(c draw.Canvas, at vg.Point, size vg.Length) {
	c.SetLineStyle(draw.LineStyle{Color: s.color, Width: 1.1})
	c.Stroke(s.shape.path(at, size*markerRadius))
}

// arrow points down from a marker that stands at an upper bound.
func (s style) arrow(c draw.Canvas, from vg.Point, to vg.Length) {
	line := draw.LineStyle{Color: s.color, Width: 1.1}
	c.StrokeLine2(line, from.X, from.Y, from.X, to)
	s.arrowhead(c, from.X, to)
}

func (s style) arrowhead(c draw.Canvas, x, to vg.Length) {
	c.FillPolygon(s.color, []vg.Point{{X: x - 2.6, Y: to + 3.5}, {X: x + 2.6, Y: to + 3.5}, {X: x, Y: to - 0.5}})
}

func (s shape) path(at vg.Point, radius vg.Length) vg.Path {
	var path vg.Path
	for i, corner := range s {
		p := at.Add(corner.Scale(radius))
		if i == 0 {
			path.Move(p)
		} else {
			path.Line(p)
		}
	}
	path.Close()
	return path
}

var (
	ink  = color.NRGBA{0x20, 0x20, 0x20, 0xff}
	grey = color.NRGBA{0x59, 0x59, 0x59, 0xff}
	rule = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
	// faint is for threads that lead to names.
	faint = color.NRGBA{0x90, 0x90, 0x90, 0xff}
)

// fonts are kept apart from the library's global cache, which other users may change.
var fonts = font.NewCache(liberation.Collection())

func textStyle(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign:  draw.XLeft,
		YAlign:  draw.YTop,
		Handler: text.Plain{Fonts: fonts},
	}
}

func bold(s text.Style) text.Style {
	s.Font.Weight = xfont.WeightBold
	return s
}
