package plots

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// coinciding has many curves that differ in the middle only, over 1 to 60 in equal ratios.
func coinciding(curves int) Chart {
	c := Chart{LogX: true}
	for k := range curves {
		s := Series{Name: fmt.Sprint("curve ", k)}
		for i := range 10 {
			p := Point{X: math.Pow(60, float64(i)/9), High: 0.2}
			switch {
			case i > 5:
				p.Rate, p.Low, p.High = 1, 0.8, 1
			case i == 5:
				p.Rate, p.High = 0.01*float64(k), 0.7
			}
			s.Points = append(s.Points, p)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// TestMarkersStayInThePlot: rows of them neither leave it nor reach into the next, and no
// marker covers another of its row.
func TestMarkersStayInThePlot(t *testing.T) {
	for _, n := range []int{1, 2, 9, 16} {
		l, err := newLayout(coinciding(n))
		if err != nil {
			t.Fatal(err)
		}
		c := l.axes.DataCanvas(draw.Canvas{Rectangle: l.plotArea(0, 1000)})
		f := newFrame(c, l.axes, l.y)
		spots := placedSpots(c, f, l.chart.drawing(l.curves, l.y))
		if len(spots) != 10*n {
			t.Fatalf("%d curves: %d markers", n, len(spots))
		}
		at := map[vg.Point]bool{}
		for _, s := range spots {
			if s.at.X < c.Min.X || s.at.X > c.Max.X {
				t.Errorf("%d curves: the marker at X = %v is at %v, outside of %v to %v", n, s.point.X, s.at.X, c.Min.X, c.Max.X)
			}
			if at[s.at] {
				t.Errorf("%d curves: two markers at %v", n, s.at)
			}
			at[s.at] = true
			if off := s.at.X - f.x(s.point.X); off > widestRow/2 || off < -widestRow/2 {
				t.Errorf("%d curves: the marker at X = %v is off by %v", n, s.point.X, off)
			}
		}
	}
}

// TestStylesDiffer in colour, dashes and shape together, and curves of one colour in both
// of the others.
func TestStylesDiffer(t *testing.T) {
	for i := range 40 {
		for k := range i {
			a, b := styleOf(i), styleOf(k)
			dashes, shape := fmt.Sprint(a.dashes) == fmt.Sprint(b.dashes), fmt.Sprint(a.shape) == fmt.Sprint(b.shape)
			if a.color == b.color && (dashes || shape) {
				t.Errorf("curves %d and %d share a colour and dashes (%v) or marker (%v)", k, i, dashes, shape)
			}
		}
	}
}

// TestASharedBandIsDrawnOnce: over 10 places the first and the last stretches are shared.
func TestASharedBandIsDrawnOnce(t *testing.T) {
	curves, err := coinciding(3).curves(nil)
	if err != nil {
		t.Fatal(err)
	}
	var lengths []int
	for _, b := range bandsOf(curves) {
		lengths = append(lengths, len(b.points))
	}
	if got := fmt.Sprint(lengths); got != "[10]" {
		t.Errorf("bands of %s points, want one of all 10: the intervals are the same", got)
	}
}

// TestLongLegendsHaveColumns: the plot keeps its height.
func TestLongLegendsHaveColumns(t *testing.T) {
	short, err := newLayout(coinciding(3))
	if err != nil {
		t.Fatal(err)
	}
	long, err := newLayout(coinciding(60))
	if err != nil {
		t.Fatal(err)
	}
	if len(short.legend.columns) != 0 || len(short.ends) != 3 || short.plotHeight() != plotHeight {
		t.Errorf("three curves: %d columns, %d names at their ends, a height of %v", len(short.legend.columns), len(short.ends), short.plotHeight())
	}
	if len(long.legend.columns) < 2 || long.middleHeight() > tallestPlot+plotHeight/4 {
		t.Errorf("60 curves: %d columns, a height of %v", len(long.legend.columns), long.middleHeight())
	}
}
