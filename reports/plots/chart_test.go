package plots_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/reports/plots"
)

// curve has a sigmoid's rates of 400 trials at the given X, with rough intervals.
func curve(name string, xs []float64, rate func(x float64) float64) plots.Series {
	s := plots.Series{Name: name}
	for _, x := range xs {
		r := math.Round(400*rate(x)) / 400
		half := 1.96 * math.Sqrt(r*(1-r)/400)
		p := plots.Point{X: x, Rate: r, Low: math.Max(0, r-half), High: math.Min(1, r+half)}
		if r == 0 {
			p.High = 0.0092
		}
		if r == 1 {
			p.Low = 0.9908
		}
		s.Points = append(s.Points, p)
	}
	return s
}

func sigmoid(middle, steep float64) func(float64) float64 {
	return func(x float64) float64 { return 1 / (1 + math.Exp(-steep*(x-middle))) }
}

func never(float64) float64 { return 0 }

var pauses = []float64{1, 3, 5, 7, 8, 9, 10, 11, 12, 14, 17, 20, 25, 30}

func crowded() plots.Chart {
	withheld := curve("postgres advisory / none", pauses, sigmoid(15, 0.6))
	withheld.Points[9] = plots.Point{X: 14, Low: 0.2, High: 0.5, Withheld: true}
	alone := curve("zookeeper / none, with a name that is far too long for one line", pauses, sigmoid(22, 0.3))
	for i := range alone.Points {
		alone.Points[i].Withheld = i%2 == 1
	}
	step := func(x float64) float64 {
		if x > 10 {
			return 1
		}
		return 0
	}
	return plots.Chart{
		Title:    "Violations against the length of a client's pause",
		Subtitle: "TTL 10 s, pause at the write, 400 trials a point",
		XLabel:   "pause (s)",
		YLabel:   "runs with a violation",
		Series: []plots.Series{
			curve("redis / none", pauses, step),
			curve("redlock / none", pauses, step),
			curve("redis / fencing", pauses, never),
			curve("redlock / fencing", pauses, never),
			curve("etcd / fencing", pauses, never),
			curve("etcd / none", pauses, sigmoid(10.5, 2.5)),
			curve("chubby / none", pauses, sigmoid(12, 1.2)),
			curve("consul / none", pauses, func(x float64) float64 { return step(x-3) * 0.9 }),
			withheld,
			alone,
			curve("raft / none", pauses, func(x float64) float64 { return step(x-15) * 0.5 }),
			curve("leaky / fencing <&>", pauses, func(x float64) float64 { return 0.02 * step(x) }),
		},
		VLines: []plots.VLine{{10, "pause = TTL"}, {10.8, "TTL + drift"}, {30, "lease renewal gives up"}},
		Note:   "Workload: 2 clients, 1 register. Seeds 1 to 400. Closed form of redis / none: P(pause > TTL - elapsed).\nIntervals: Clopper-Pearson, 95 %.",
	}
}

func logarithmic() plots.Chart {
	xs := []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10}
	return plots.Chart{
		Title: "Clock drift", XLabel: "drift (share of the rate)", YLabel: "runs with a violation", LogX: true,
		Series: []plots.Series{curve("redlock / none", xs, func(x float64) float64 { return x / (1 + x) }), curve("redlock / fencing", xs, never)},
	}
}

func svgOf(t *testing.T, c plots.Chart) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := c.WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestSVGGolden(t *testing.T) {
	for name, chart := range map[string]plots.Chart{"crowded": crowded(), "logarithmic": logarithmic()} {
		path := filepath.Join("testdata", name+".svg")
		got := svgOf(t, chart)
		if os.Getenv("UPDATE_GOLDEN") == "1" {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs; UPDATE_GOLDEN=1 rewrites it", path)
		}
	}
}

func TestSVGIsTheSameEveryTime(t *testing.T) {
	first := svgOf(t, crowded())
	for range 3 {
		if !bytes.Equal(first, svgOf(t, crowded())) {
			t.Fatal("two renderings differ")
		}
	}
}

// textsOf parses the SVG and returns what its text elements say.
func textsOf(t *testing.T, svg []byte) []string {
	t.Helper()
	var texts []string
	inText := false
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				texts = append(texts, string(token))
			}
		}
	}
}

func TestIdenticalSeriesShareALegendEntry(t *testing.T) {
	texts := strings.Join(textsOf(t, svgOf(t, crowded())), "\n")
	for _, want := range []string{
		"redis / fencing,\nredlock / fencing,\netcd / fencing\n",
		"etcd / none\nredis / none,\nredlock / none\nchubby / none\n",
		"leaky / fencing <&>",
	} {
		if !strings.Contains(texts, want) {
			t.Errorf("no %q in\n%s", want, texts)
		}
	}
}

func TestEveryTextIsDrawn(t *testing.T) {
	c := crowded()
	c.Title = strings.Repeat("A very long title. ", 20)
	c.Note = strings.Repeat("A very long note, too. ", 40)
	texts := textsOf(t, svgOf(t, c))
	all := strings.Join(texts, " ")
	for _, want := range []string{strings.TrimSpace(c.Title), strings.TrimSpace(c.Note), c.Subtitle, "pause = TTL", "TTL + drift", "lease renewal gives up", "100 %", "30"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestPNGIsAPicture(t *testing.T) {
	var out bytes.Buffer
	if err := crowded().WritePNG(&out); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X < 1000 || size.Y < 600 {
		t.Errorf("size %v", size)
	}
}

func TestSmallCharts(t *testing.T) {
	one := []plots.Point{{X: 5, Rate: 0.5, Low: 0.4, High: 0.6}}
	for _, c := range []plots.Chart{
		{Series: []plots.Series{{Name: "a", Points: one}}},
		{Series: []plots.Series{{Name: "a", Points: one}}, LogX: true},
		{Series: []plots.Series{{Name: "a", Points: []plots.Point{{X: 0, High: 1, Rate: math.NaN(), Withheld: true}}}}},
	} {
		svgOf(t, c)
	}
}

func TestErrors(t *testing.T) {
	good := plots.Point{X: 1, Rate: 0.5, Low: 0.4, High: 0.6}
	of := func(points ...plots.Point) plots.Chart {
		return plots.Chart{Series: []plots.Series{{Name: "a", Points: points}}}
	}
	logged := of(plots.Point{X: 0, Rate: 0.5, Low: 0.4, High: 0.6})
	logged.LogX = true
	lined := of(good)
	lined.VLines = []plots.VLine{{X: math.Inf(1), Label: "never"}}
	for want, c := range map[string]plots.Chart{
		"without series":          {},
		`series "a": no points`:   of(),
		"no name":                 {Series: []plots.Series{{Points: []plots.Point{good}}}},
		"X = NaN":                 of(plots.Point{X: math.NaN()}),
		"got 0, NaN, 1":           of(plots.Point{Rate: math.NaN(), High: 1}),
		"got 0.5, 0.4, 0.6":       of(plots.Point{Low: 0.5, Rate: 0.4, High: 0.6}),
		"got 0, 0.5, 1.5":         of(plots.Point{Rate: 0.5, High: 1.5}),
		"two points at X = 1":     of(good, good),
		"point 0 at X = 0":        logged,
		`line "never" at X = +In`: lined,
	} {
		for _, write := range []func(io.Writer) error{c.WriteSVG, c.WritePNG} {
			var out bytes.Buffer
			if err := write(&out); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
			if out.Len() > 0 {
				t.Error("wrote something")
			}
		}
	}
}

func ExampleChart() {
	chart := plots.Chart{
		XLabel: "pause (s)",
		Series: []plots.Series{{Name: "redis / none", Points: []plots.Point{{X: 1, High: 0.0092}, {X: 20, Rate: 1, Low: 0.9908, High: 1}}}},
	}
	fmt.Println(chart.WriteSVG(io.Discard))
	// Output: <nil>
}
