package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// band is a stretch of confidence intervals, of one curve or of several.
type band struct {
	color  color.Color
	points []Point
}

// bandPiece is a band between neighbouring points.
type bandPiece struct{ fromX, fromLow, fromHigh, toX, toLow, toHigh float64 }

func pieceOf(from, to Point) bandPiece {
	return bandPiece{from.X, from.Low, from.High, to.X, to.Low, to.High}
}

// bandsOf returns every band once. Where curves share one it is grey: laid over each other
// they would add up to a dark one, which looks like more and hides the rest.
func bandsOf(curves []curve) (bands []band) {
	owners := map[bandPiece][]int{}
	for i, k := range curves {
		if k.formula {
			continue
		}
		for _, run := range k.runs() {
			for n := 1; n < len(run); n++ {
				piece := pieceOf(run[n-1], run[n])
				owners[piece] = append(owners[piece], i)
			}
		}
	}
	for i, k := range curves {
		if k.formula {
			continue
		}
		for _, run := range k.runs() {
			bands = append(bands, k.bands(run, func(p bandPiece) (first, shared bool) {
				return owners[p][0] == i, len(owners[p]) > 1
			})...)
		}
	}
	return bands
}

// bands are those of a run that its curve has to draw, as long as they can be: neighbouring
// ones would show a seam.
func (k curve) bands(run []Point, of func(bandPiece) (first, shared bool)) (bands []band) {
	var last color.Color // nil if the piece before is not drawn
	for n := 1; n < len(run); n++ {
		first, shared := of(pieceOf(run[n-1], run[n]))
		tone := k.style.band()
		if shared {
			tone = faded(grey, bandAlpha)
		}
		switch {
		case !first:
			last = nil
		case tone == last:
			b := &bands[len(bands)-1]
			b.points = append(b.points, run[n])
		default:
			bands, last = append(bands, band{tone, []Point{run[n-1], run[n]}}), tone
		}
	}
	return bands
}

func (b band) draw(c draw.Canvas, f frame) {
	var outline []vg.Point
	for _, p := range b.points {
		outline = append(outline, f.at(p.X, p.High))
	}
	for i := range b.points {
		p := b.points[len(b.points)-1-i]
		outline = append(outline, f.at(p.X, p.Low))
	}
	c.FillPolygon(b.color, outline)
}
