package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawPointLabels sets the labels of points beside their markers, each where it covers no marker
// and no other label. One for which there is no such place is left out: its neighbours on the curve
// tell what it is, and so does the same label nearby.
func drawPointLabels(c draw.Canvas, f frame, spots []spot) {
	style := textStyle(7.5, ink)
	var taken []vg.Rectangle
	placed := map[string][]vg.Point{}
	for _, s := range spots {
		taken = append(taken, around(s.at, 2*markerRadius, 2*markerRadius))
		if s.lonely && !f.axis.scale.bounded(s.point) {
			low, high := f.y(s.point.Low), f.y(s.point.High)
			taken = append(taken, around(vg.Point{X: s.at.X, Y: (low + high) / 2}, 2, high-low))
		}
	}
	for _, s := range spots {
		near := func(o vg.Point) bool { return math.Hypot(float64(o.X-s.at.X), float64(o.Y-s.at.Y)) < 36 }
		if s.point.Label == "" || slices.ContainsFunc(placed[s.point.Label], near) {
			continue
		}
		width, height := widthOf(s.point.Label, style), style.Font.Size
		for _, way := range ways {
			at := s.at.Add(vg.Point{X: way.X * (width/2 + 5.5), Y: way.Y * (height/2 + 5.5)})
			box := around(at, width, height)
			if !inside(box, c.Rectangle) || slices.ContainsFunc(taken, func(o vg.Rectangle) bool { return overlap(o, box) }) {
				continue
			}
			taken = append(taken, box)
			placed[s.point.Label] = append(placed[s.point.Label], s.at)
			c.FillText(style, vg.Point{X: box.Min.X + (width-style.Width(s.point.Label))/2, Y: box.Max.Y}, s.point.Label)
			break
		}
	}
}

// ways are where a label may stand, as parts of its own size: near its marker first, and rather
// above it.
var ways = []vg.Point{
	{X: 0.8, Y: 1}, {Y: 1}, {X: -0.8, Y: 1}, {X: -1}, {X: 1}, {Y: -1}, {X: 0.8, Y: -1}, {X: -0.8, Y: -1},
	{X: -1.6}, {X: 1.6}, {X: 1.4, Y: 1}, {X: -1.4, Y: 1}, {X: 1.4, Y: -1}, {X: -1.4, Y: -1}, {Y: 2}, {Y: -2},
}

func around(p vg.Point, width, height vg.Length) vg.Rectangle {
	half := vg.Point{X: width / 2, Y: height / 2}
	return vg.Rectangle{Min: p.Sub(half), Max: p.Add(half)}
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

func inside(a, b vg.Rectangle) bool {
	return a.Min.X >= b.Min.X && a.Max.X <= b.Max.X && a.Min.Y >= b.Min.Y && a.Max.Y <= b.Max.Y
}
