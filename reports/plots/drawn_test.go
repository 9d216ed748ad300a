package plots

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// laid is a chart with its curves, its frame and its markers.
func laid(t *testing.T, c Chart) (layout, frame, []spot) {
	t.Helper()
	l, err := newLayout(c)
	if err != nil {
		t.Fatal(err)
	}
	data := l.axes.DataCanvas(draw.Canvas{Rectangle: l.plotArea(0, 0)})
	return l, newFrame(data, l.axes, l.y), l.spots()
}

// crowdedPath has many curves at the same places, and one a bit beside them.
func crowdedPath(locks int) Chart {
	c := Chart{Path: true, LogX: true, Scale: LogShares}
	for k := range locks {
		s := Series{Name: fmt.Sprint("lock ", k)}
		for i, x := range []float64{5, 10, 20} {
			if k == locks-1 {
				x *= 1.01
			}
			s.Points = append(s.Points, Point{X: x, Rate: 0.5 / float64(1+i), Low: 0.001, High: 0.9, Label: []string{"5 s", "7 s", "10 s"}[i]})
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// TestMarkersOfMeasuredPlacesStayThere, however many stand at one place, and no two of them look alike.
func TestMarkersOfMeasuredPlacesStayThere(t *testing.T) {
	exact := coinciding(5)
	exact.Exact = true
	for _, c := range []Chart{crowdedPath(1), crowdedPath(3), crowdedPath(8), exact} {
		_, f, spots := laid(t, c)
		seen := map[string]bool{}
		for _, s := range spots {
			if want := f.of(s.point); s.at != want {
				t.Errorf("%d curves: the marker at X = %v is at %v, not %v", len(c.Series), s.point.X, s.at, want)
			}
			look := fmt.Sprintf("%.3f %.3f %.3f", s.at.X, s.at.Y, s.size)
			if seen[look] {
				t.Errorf("%d curves: two markers of the size %.2f at %v", len(c.Series), s.size, s.at)
			}
			seen[look] = true
		}
	}
}

// TestWhatIsSaidOfMarkersIsSo: that they stand side by side, or around one another, if they do and only then.
func TestWhatIsSaidOfMarkersIsSo(t *testing.T) {
	beside, around := "Markers side by side", "Markers around one another"
	exact := coinciding(3)
	exact.Exact = true
	apart := Chart{Series: []Series{{Name: "a", Points: []Point{{X: 1, Rate: 0.1, High: 1}}}, {Name: "b", Points: []Point{{X: 1, Rate: 0.9, High: 1}}}}}
	for i, want := range []struct {
		chart          Chart
		beside, around bool
	}{{coinciding(3), true, false}, {coinciding(1), false, false}, {exact, false, true}, {apart, false, false}, {crowdedPath(4), false, true}, {crowdedPath(1), false, false}} {
		l, _, spots := laid(t, want.chart)
		said := strings.Join(want.chart.signs(l.curves, spots, l.y), "\n")
		if strings.Contains(said, beside) != want.beside || strings.Contains(said, around) != want.around {
			t.Errorf("chart %d says %q", i, said)
		}
	}
}

// TestABarBeyondTheAxisHasNoCap: it ends in an arrow, and the foot says so.
func TestABarBeyondTheAxisHasNoCap(t *testing.T) {
	within := crowdedPath(1)
	for i := range within.Series[0].Points {
		p := &within.Series[0].Points[i]
		p.Low = p.Rate / 2
	}
	for beyond, c := range map[bool]Chart{true: crowdedPath(1), false: within} {
		l, _, spots := laid(t, c)
		if said := strings.Join(c.signs(l.curves, spots, l.y), "\n"); strings.Contains(said, "Bar that ends in an arrow") != beyond {
			t.Errorf("beyond the axis %v, and it says %q", beyond, said)
		}
		canvas := vgsvg.New(500, 500)
		data := l.axes.DataCanvas(draw.Canvas{Canvas: canvas, Rectangle: l.plotArea(0, 400)})
		spots[0].drawBar(data, newFrame(data, l.axes, l.y))
		var out strings.Builder
		if _, err := canvas.WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		if arrow := strings.Contains(out.String(), "fill:#"); arrow != beyond {
			t.Errorf("beyond the axis %v, arrow %v:\n%s", beyond, arrow, out.String())
		}
	}
}

// TestNoLineLeadsToAnUpperBound, of which nobody knows the rate.
func TestNoLineLeadsToAnUpperBound(t *testing.T) {
	c := Chart{Scale: LogShares, Series: []Series{{Name: "a", Points: []Point{
		{X: 1, Rate: 0.5, Low: 0.4, High: 0.6}, {X: 2, Rate: 0.2, Low: 0.1, High: 0.3}, {X: 3, High: 0.3}, {X: 4, Rate: 0.1, Low: 0.01, High: 0.3}, {X: 5, High: 0.3}, {X: 6, High: 0.3}}}}}
	for _, path := range []bool{false, true} {
		c.Path = path
		l, _, _ := laid(t, c)
		all := bundles(l.curves, l.y)
		if len(all) != 1 || all[0][0].from.X != 1 || all[0][0].to.X != 2 {
			t.Errorf("path %v: %d segments are drawn, want the one from 1 to 2: %+v", path, len(all), all)
		}
	}
}

// TestSpans: a label stands once for neighbours, at one place stand all of them, and no two labels meet.
func TestSpans(t *testing.T) {
	at := func(xs ...float64) Series {
		s := Series{Name: fmt.Sprint(xs)}
		for i, x := range xs {
			s.Points = append(s.Points, Point{X: x, Rate: 0.5, Low: 0.4, High: 0.6, Label: []string{"5 s", "7 s", "10 s"}[i]})
		}
		return s
	}
	for _, c := range []struct {
		series []Series
		want   []string
	}{
		{[]Series{at(5, 10, 20), at(6, 11, 21)}, []string{"5 s", "7 s", "10 s"}},
		{[]Series{at(5, 10, 20), at(12, 13, 25)}, []string{"5 s", "7 s", "5 s", "7 s", "10 s"}},
		{[]Series{at(5, 10, 20), at(7, 7, 7)}, []string{"5 s", "5 s, 7 s, 10 s", "7 s", "10 s"}},
	} {
		l, _, _ := laid(t, Chart{Path: true, LogX: true, Series: c.series})
		var got []string
		boxes := map[int]vg.Length{}
		for _, s := range l.spans {
			got = append(got, s.text)
			if end, any := boxes[s.row]; any && end > s.left {
				t.Errorf("%q meets the label before it", s.text)
			}
			boxes[s.row] = s.left + widthOf(s.text, spanStyle())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestNumbersOnEveryShadeCanBeRead with the contrast that small text needs, in cells of maps and matrices.
func TestNumbersOnEveryShadeCanBeRead(t *testing.T) {
	for i := range 1001 {
		ground := shade(float64(i) / 1000)
		if c := contrast(readableOn(ground), ground); c < 4.5 {
			t.Errorf("a rate of %d ‰ has a contrast of %.2f", i, c)
		}
	}
	if c := contrast(grey, shade(0)); c < 4.5 {
		t.Errorf("an upper bound has a contrast of %.2f", c)
	}
	for ground, color := range grounds {
		if c := contrast(readableOn(color), color); c < 4.5 {
			t.Errorf("ground %v has a contrast of %.2f", ground, c)
		}
	}
}

// TestNoThreadCrossesThePlot: a curve that ends far from its name has none.
func TestNoThreadCrossesThePlot(t *testing.T) {
	c := coinciding(2)
	c.Series[1].Points = c.Series[1].Points[:3]
	l, f, _ := laid(t, c)
	right := l.plotArea(0, 0).Max.X + legendGap
	got := map[string]bool{}
	for _, e := range l.ends {
		got[e.curve.names[0]] = threaded(f.of(e.last), right)
	}
	if !got["curve 0"] || got["curve 1"] {
		t.Errorf("threads: %v", got)
	}
}

// TestTheAxisOfRatesFitsThem: no decades of nothing above small ones, and no end before a large one.
func TestTheAxisOfRatesFitsThem(t *testing.T) {
	of := func(rate, high float64) yaxis {
		return yaxisOf(LogShares, []curve{{points: []Point{{X: 1, Rate: rate, Low: rate / 2, High: high}}}})
	}
	if y := of(1e-6, 2e-6); y.high > 1e-4 || y.high < 2e-6 || y.low > 1e-6 {
		t.Errorf("%+v for one in a million", y)
	}
	if y := of(1e-3, 0.5); y.high < 1 {
		t.Errorf("%+v for an interval up to a half", y)
	}
}

// bigMatrix is as large as a comparison of eight locks makes it.
func bigMatrix() Matrix {
	m := Matrix{Title: "What breaks which lock?", Subtitle: "173 scenarios", Note: "seeds 1", Key: []MatrixKey{{MatrixCell{Text: "GERP", Ground: Hot}, strings.Repeat("what it means ", 12)}}}
	for i := range 8 {
		m.Groups = append(m.Groups, MatrixGroup{fmt.Sprint("lock-", i), []string{"none", "fence-writes", "fence-reads-writes"}})
	}
	for i := range 173 {
		r := MatrixRow{Name: fmt.Sprintf("a-scenario-of-its-own-%d", i), Variant: i%4 > 0}
		for k := range 24 {
			r.Cells = append(r.Cells, MatrixCell{Text: fmt.Sprintf("%d/%d", i, k), Ground: Hot})
		}
		m.Rows = append(m.Rows, r)
	}
	return m
}

// TestPagesCanBePrinted: each fits on a sheet, all cells stand on one of them, and no variant is parted from
// its scenario.
func TestPagesCanBePrinted(t *testing.T) {
	m := bigMatrix()
	cells := map[string]int{}
	for i, p := range m.Pages() {
		s := p.sheet()
		if s.width > pageWidth || s.height > pageHeight {
			t.Errorf("page %d is %v by %v", i, s.width, s.height)
		}
		if p.Rows[0].Variant {
			t.Errorf("page %d begins with the variant %s", i, p.Rows[0].Name)
		}
		if err := p.check(); err != nil {
			t.Errorf("page %d: %v", i, err)
		}
		for _, r := range p.Rows {
			for _, c := range r.Cells {
				cells[c.Text]++
			}
		}
	}
	if len(cells) != 173*24 {
		t.Errorf("%d cells are drawn, not %d", len(cells), 173*24)
	}
	for text, n := range cells {
		if n > 1 {
			t.Errorf("cell %s is drawn %d times", text, n)
		}
	}
	if matrixText < 7 || matrixWord < 7 {
		t.Error("letters are too small to be read in print")
	}
	narrow := m
	narrow.Groups, narrow.Rows = m.Groups[:1], nil
	for _, r := range m.Rows {
		r.Cells = r.Cells[:3]
		narrow.Rows = append(narrow.Rows, r)
	}
	for i, p := range narrow.Pages() {
		rows := 0
		for _, b := range p.blocks() {
			if rows += len(b); b[0].Variant {
				t.Errorf("page %d has a block that begins with the variant %s", i, b[0].Name)
			}
		}
		if s := p.sheet(); s.width > pageWidth || s.height > pageHeight || rows != len(p.Rows) || len(p.blocks()) < 2 {
			t.Errorf("page %d of few columns is %v by %v, with %d of %d rows in %d blocks", i, s.width, s.height, rows, len(p.Rows), len(p.blocks()))
		}
	}
	small := m
	small.Groups, small.Rows = m.Groups[:1], nil
	for _, r := range m.Rows[:5] {
		r.Cells = r.Cells[:3]
		small.Rows = append(small.Rows, r)
	}
	if pages := small.Pages(); len(pages) != 1 || pages[0].Subtitle != small.Subtitle {
		t.Errorf("a small one has %d pages", len(pages))
	}
}

// TestAGroupThatIsTooWide is a page of its own, and whole.
func TestAGroupThatIsTooWide(t *testing.T) {
	m := Matrix{Groups: []MatrixGroup{{"a", []string{"none"}}, {"wide", slices.Repeat([]string{"guard"}, 30)}, {"b", []string{"none"}}}}
	m.Rows = []MatrixRow{{Name: "s", Cells: make([]MatrixCell, 32)}}
	columns := 0
	for _, p := range m.Pages() {
		if err := p.check(); err != nil {
			t.Error(err)
		}
		columns += p.columns()
	}
	if columns != 32 {
		t.Errorf("%d columns are drawn, not 32", columns)
	}
}
