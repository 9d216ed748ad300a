// Package plots draws violation rates against a swept parameter, as SVG or PNG. It is the
// only package that knows the plotting library.
package plots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Point is one violation rate at X, in the unit of the chart's XLabel. Rate, Low and High
// are probabilities with 0 <= Low <= Rate <= High <= 1; Low and High are the ends of its
// confidence interval. Of a Withheld point, Rate is ignored: its interval is drawn as a
// bar and the curve has a gap there.
type Point struct {
	X, Rate, Low, High float64
	Withheld           bool
}

// Series is one curve, such as "redlock / none", with one point or more. Each line of its
// name begins anew in the legend. The order of the
// points does not matter, but no two of them may share an X.
type Series struct {
	Name   string
	Points []Point
}

// VLine is a vertical line of reference, such as "pause = TTL".
type VLine struct {
	X     float64
	Label string
}

// Chart is a figure of violation rates, 0 to 100 %, over X.
//
// Series with the very same points share a curve and a legend entry. Where curves
// coincide only in part, their lines are striped in all of their colours and their
// markers stand side by side, so that an X is exact for the middle of such a row. A
// marker is hollow where nothing was violated, and the band tells the bound. A band that
// curves share is grey.
//
// All curves differ in colour, dashes and marker together; up to a dozen are easy to tell
// apart. The legend has them from the highest rates to the lowest.
type Chart struct {
	Title, Subtitle string
	XLabel, YLabel  string
	LogX            bool // X and the VLines must be positive, then
	Series          []Series
	VLines          []VLine
	Note            string // the footer: workload, trials, seeds, closed form
}

// WriteSVG writes the chart as SVG, the same bytes for the same chart. It fails on a
// chart without points or with a number that is no rate, before it writes anything.
//
// Fonts are named and not embedded; the fallbacks have the metrics of the named one.
func (c Chart) WriteSVG(w io.Writer) error {
	l, err := newLayout(c)
	if err != nil {
		return err
	}
	canvas := vgsvg.New(l.width, l.height)
	l.draw(draw.New(canvas))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return fmt.Errorf("plots: %w", err)
	}
	_, err = w.Write(portable(out.Bytes(), c))
	return err
}

// WritePNG writes the chart as PNG of 144 dots an inch. It fails like [Chart.WriteSVG].
func (c Chart) WritePNG(w io.Writer) error {
	l, err := newLayout(c)
	if err != nil {
		return err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(l.width, l.height), vgimg.UseDPI(144))
	l.draw(draw.New(canvas))
	_, err = vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// portable lets viewers without the Liberation fonts fall back to a sans-serif of the same
// widths, and gives those who cannot see the picture its title and note.
func portable(svg []byte, c Chart) []byte {
	svg = bytes.ReplaceAll(svg,
		[]byte("font-family:Liberation Sans;font-variant:normal"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif"))
	head := []byte("<g transform=\"scale(1, -1)")
	about := fmt.Sprintf("<title>%s</title>\n<desc>%s</desc>\n", escaped(c.Title), escaped(describe(c)))
	return bytes.Replace(svg, head, append([]byte(about), head...), 1)
}

func describe(c Chart) string {
	var names []string
	for _, s := range c.Series {
		names = append(names, strings.ReplaceAll(s.Name, "\n", " "))
	}
	parts := []string{c.Subtitle, c.YLabel + " over " + c.XLabel + ": " + strings.Join(names, "; ") + ".", c.Note}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escaped(s string) string { return escaper.Replace(strings.ToValidUTF8(s, "?")) }

// curve is one drawn curve: the names of all series that have its points, by rising X.
type curve struct {
	names  []string
	points []Point
	style  style
}

// curves checks the chart and merges identical series, in order of first appearance.
func (c Chart) curves() ([]curve, error) {
	if len(c.Series) == 0 {
		return nil, errors.New("plots: chart without series")
	}
	for _, v := range c.VLines {
		if !c.drawable(v.X) {
			return nil, fmt.Errorf("plots: line %q at X = %v", v.Label, v.X)
		}
	}
	var merged []curve
	for _, s := range c.Series {
		points, err := c.sorted(s)
		if err != nil {
			return nil, fmt.Errorf("plots: series %q: %w", s.Name, err)
		}
		same := func(k curve) bool { return slices.Equal(k.points, points) }
		if i := slices.IndexFunc(merged, same); i >= 0 {
			merged[i].names = append(merged[i].names, s.Name)
			continue
		}
		merged = append(merged, curve{names: []string{s.Name}, points: points, style: styleOf(len(merged))})
	}
	return merged, nil
}

// sorted returns the checked points of the series by rising X.
func (c Chart) sorted(s Series) ([]Point, error) {
	if s.Name == "" {
		return nil, errors.New("no name")
	}
	if len(s.Points) == 0 {
		return nil, errors.New("no points")
	}
	points := slices.Clone(s.Points)
	for i := range points {
		p := &points[i]
		if p.Withheld {
			p.Rate = p.Low // makes withheld points comparable, whatever the ignored rate
		}
		if !c.drawable(p.X) {
			return nil, fmt.Errorf("point %d at X = %v", i, p.X)
		}
		if !(0 <= p.Low && p.Low <= p.Rate && p.Rate <= p.High && p.High <= 1) {
			return nil, fmt.Errorf("point %d at X = %v: want 0 <= low <= rate <= high <= 1, got %v, %v, %v", i, p.X, p.Low, p.Rate, p.High)
		}
	}
	slices.SortFunc(points, func(a, b Point) int {
		if a.X < b.X {
			return -1
		}
		return 1
	})
	for i := range points[1:] {
		if points[i].X == points[i+1].X {
			return nil, fmt.Errorf("two points at X = %v", points[i].X)
		}
	}
	return points, nil
}

func (c Chart) drawable(x float64) bool {
	return !math.IsNaN(x) && !math.IsInf(x, 0) && (!c.LogX || x > 0)
}
