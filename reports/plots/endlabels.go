package plots

import (
	"cmp"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	endSwatch vg.Length = 24
	endGap    vg.Length = 3
)

// endLabels are the names of curves at the right of the plot, each as near as it can be to where its
// curve ends, so that nobody has to look colours up.
type endLabels []endLabel

type endLabel struct {
	curve curve
	last  Point
	text  paragraph
}

// newEndLabels lists the curves from the highest end to the lowest.
func newEndLabels(curves []curve, y yaxis, size, width vg.Length) (list endLabels) {
	for _, k := range curves {
		last := k.points[len(k.points)-1]
		for _, p := range k.points {
			if p.X > last.X {
				last = p
			}
		}
		name := strings.Join(k.names, ",\n")
		if len(k.names) > 3 {
			name = strings.Join(k.names, ", ")
		}
		list = append(list, endLabel{k, last, wrapped(name, textStyle(size, ink), width)})
	}
	slices.SortStableFunc(list, func(a, b endLabel) int {
		return cmp.Or(cmp.Compare(y.scale.shown(b.last), y.scale.shown(a.last)), cmp.Compare(b.curve.meanRate(), a.curve.meanRate()))
	})
	return list
}

func (l endLabels) height() (sum vg.Length) {
	for _, e := range l {
		sum += e.text.height() + endGap
	}
	return sum
}

func (l endLabels) width() (widest vg.Length) {
	for _, e := range l {
		widest = max(widest, endSwatch+e.text.width())
	}
	return widest
}

// places are the upper edges of the labels: pushed down where they would overlap, and then up from
// the bottom.
func (l endLabels) places(f frame, area vg.Rectangle) []vg.Length {
	tops := make([]vg.Length, len(l))
	free := area.Max.Y + 4
	for i, e := range l {
		tops[i] = min(free, f.of(e.last).Y+e.text.height()/2)
		free = tops[i] - e.text.height() - endGap
	}
	floor := area.Min.Y - 4
	for i := len(l) - 1; i >= 0; i-- {
		tops[i] = max(tops[i], floor+l[i].text.height())
		floor = tops[i] + endGap
	}
	return tops
}

// longestThread is how far the eye follows a thread. One across the plot would only be in the way of the curves:
// the sign beside the name has to do.
const longestThread vg.Length = 110

// threaded reports whether a curve that ends there has a thread to its name.
func threaded(end vg.Point, left vg.Length) bool { return left-end.X <= longestThread }

// draw sets the names from left on, each with a thread to the end of its curve: grey and dotted, so that
// none looks like a curve.
func (l endLabels) draw(c draw.Canvas, f frame, area vg.Rectangle, left vg.Length) {
	for i, top := range l.places(f, area) {
		e := l[i]
		middle := top - e.text.height()/2
		from := f.of(e.last)
		e.curve.style.swatch(c, left, middle, endSwatch)
		e.text.draw(c, left+endSwatch, top)
		if !threaded(from, left) {
			continue
		}
		thread := draw.LineStyle{Color: faint, Width: 0.5, Dashes: []vg.Length{0.8, 1.6}}
		c.StrokeLine2(thread, from.X+markerRadius+1.5, from.Y, left-2, middle)
	}
}
