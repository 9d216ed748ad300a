package plots_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/reports/plots"
)

// rare falls with x from a half to nothing that 400 trials see.
func rare(x float64) float64 { return 0.5 * math.Exp(-x/3) }

func panels() plots.Panels {
	formula := plots.Series{Name: "closed form: redis", Formula: true}
	for _, x := range pauses {
		formula.Points = append(formula.Points, plots.Point{X: x, Rate: rare(x), Low: rare(x), High: rare(x)})
	}
	return plots.Panels{
		Title: "How often is the resource harmed?", Subtitle: "scenario one", XLabel: "pause (s)", YLabel: "trials violated", LogX: true, Scale: plots.LogShares,
		Panels: []plots.Panel{
			{Name: "no guard", Series: []plots.Series{curve("redis", pauses, rare), curve("etcd", pauses, func(x float64) float64 { return rare(2 * x) }), formula},
				VLines: []plots.VLine{{10, "pause = TTL"}}},
			{Name: "fence-writes", Series: []plots.Series{curve("etcd", pauses, never), curve("zookeeper", pauses, never)}},
		},
		Note: "seeds 1 to 400",
	}
}

func frontier() plots.Panels {
	path := func(name string, shift float64) plots.Series {
		s := curve(name, pauses[:6], rare)
		for i := range s.Points {
			s.Points[i].X += shift
			s.Points[i].Label = []string{"5 s", "7 s", "10 s", "14 s", "20 s", "28 s"}[i]
		}
		return s
	}
	return plots.Panels{Title: "Safety against availability", XLabel: strings.Repeat("a label that is far too long ", 4), YLabel: "violated", LogX: true, Path: true, Wide: true, PointLabels: "TTL", Scale: plots.LogShares,
		Panels: []plots.Panel{{Name: "no guard", Series: []plots.Series{path("redis", 0), path("redlock", 0), path("etcd", 0.5)}}}}
}

func waits() plots.Panels {
	p := plots.Panels{Title: "How long?", XLabel: "clients", YLabel: "time to acquire", LogX: true, XTicks: []float64{1, 2, 4, 8, 16}, Exact: true, Scale: plots.LogSeconds}
	for _, lock := range []string{"redis", "etcd", "consul"} {
		panel := plots.Panel{Name: lock}
		for i, q := range []string{"p50", "p99"} {
			s := plots.Series{Name: q}
			for _, x := range p.XTicks {
				v := 1e-4 * x * math.Pow(100, float64(i))
				s.Points = append(s.Points, plots.Point{X: x, Rate: v, Low: v, High: v})
			}
			panel.Series = append(panel.Series, s)
		}
		p.Panels = append(p.Panels, panel)
	}
	return p
}

func differences() plots.Panels {
	p := plots.Panels{Title: "Which?", XLabel: "pause (s)", YLabel: "difference", Scale: plots.Differences}
	for _, name := range []string{"a − b", "a − c", "a − d"} {
		s := plots.Series{Name: name}
		for i, x := range pauses {
			d := 0.3 * math.Sin(float64(i))
			s.Points = append(s.Points, plots.Point{X: x, Rate: d, Low: d - 0.05, High: d + 0.05, Hollow: math.Abs(d) < 0.1})
		}
		p.Panels = append(p.Panels, plots.Panel{Name: name, Series: []plots.Series{s}})
	}
	return p
}

func overlaps() plots.Panels {
	p := plots.Panels{Title: "For how long?", XLabel: "delay (s)", YLabel: "longest overlap", Scale: plots.Seconds}
	seen, bound := plots.Series{Name: "simulated"}, plots.Series{Name: "bound", Formula: true}
	for _, x := range pauses {
		seen.Points = append(seen.Points, plots.Point{X: x, Rate: x / 2, Low: x / 2, High: x / 2})
		bound.Points = append(bound.Points, plots.Point{X: x, Rate: x, Low: x, High: x})
	}
	p.Panels = []plots.Panel{{Name: "etcd", Series: []plots.Series{seen, bound}}}
	return p
}

func heat() plots.Heat {
	m := plots.HeatMap{Name: "redis", Cells: [][]plots.HeatCell{
		{{Rate: 1, High: 1}, {Rate: 0.96, High: 0.99}, {Rate: 0.46, High: 0.5}},
		{{Rate: 0.024, High: 0.06}, {Rate: 0, High: 0.0184}, {Empty: true}},
	}}
	other := m
	other.Name = "a lock"
	return plots.Heat{Title: "How often, by pause and TTL?", XLabel: "pause (mean)", YLabel: "TTL", Columns: []string{"4 s", "8 s", "16 s"}, Rows: []string{"10s", "20s"},
		Maps: []plots.HeatMap{m, other}, Note: "seeds 1 to 200"}
}

func bars() plots.Bars {
	return plots.Bars{Title: "What does an acquisition cost?", Groups: []string{"redis", "a lock with a long name"}, Kinds: []string{"one client", "8 clients"},
		Panels: []plots.BarPanel{{"messages an acquisition", [][]float64{{4, 5.11}, {20.46, math.NaN()}}}, {"fsyncs an acquisition", [][]float64{{0, 0}, {6.18, 123.4}}}}}
}

func matrix() plots.Matrix {
	calm, hot, alarm := plots.MatrixCell{Ground: plots.Calm}, plots.MatrixCell{Text: "ER", Ground: plots.Hot}, plots.MatrixCell{Text: "GERP", Ground: plots.Hot, Alarm: true}
	m := plots.Matrix{Title: "What breaks which lock?", Groups: []plots.MatrixGroup{{"redis", []string{"none"}}, {"etcd", []string{"none", "fence-reads-writes"}}, {"redis-replica", []string{"none"}}},
		Key: []plots.MatrixKey{{calm, "every property held"}, {alarm, "not as expected"}}}
	for _, name := range []string{"kleppmann", "beyond-takeover", "swarm", "x", "y", "z"} {
		m.Rows = append(m.Rows, plots.MatrixRow{Name: name, Variant: name == "beyond-takeover", Cells: []plots.MatrixCell{hot, alarm, calm, {Text: "·"}}})
	}
	return m
}

// figures are one of each sort.
var figures = map[string]plots.Picture{
	"panels": panels(), "frontier": frontier(), "waits": waits(), "differences": differences(), "overlaps": overlaps(),
	"heat": heat(), "bars": bars(), "matrix": matrix(),
}

func TestFigureGoldens(t *testing.T) {
	if testing.Short() {
		t.Skip("drawn by one goroutine: the plain run compares them")
	}
	for name, figure := range figures {
		path := filepath.Join("testdata", name+".svg")
		var got bytes.Buffer
		if err := figure.WriteSVG(&got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if os.Getenv("UPDATE_GOLDEN") == "1" {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s differs; UPDATE_GOLDEN=1 rewrites it", path)
		}
		var png bytes.Buffer
		if err := figure.WritePNG(&png); err != nil || png.Len() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFiguresSayWhatTheyShow: what a reader needs stands in the picture as text.
func TestFiguresSayWhatTheyShow(t *testing.T) {
	for name, want := range map[string][]string{
		"panels": {"no guard", "fence-writes", "closed form: redis", "etcd,", "10 %", "0.1 %", "pause = TTL", "Marker with an arrow down: no violation seen; it stands at the upper bound, and no line leads there.",
			"Dashed, without markers: worked out and not simulated.", "Dotted and upright: pause = TTL, for reference."},
		"frontier":    {"5 s", "28 s", "redlock", "Above the plot: the TTL of the markers below the bracket."},
		"waits":       {"p50", "p99", "16", "10 ms", "consul"},
		"differences": {"+40", "−20", "a − d"},
		"overlaps":    {"bound", "30 s", "0 s"},
		"heat":        {"96", "< 1.8", "2.4", "100", "16 s", "20s"},
		"bars":        {"5.11", "20.5", "n/a", "8 clients", "0"},
		"matrix":      {"GERP", "kleppmann", "beyond-takeover", "redis-replica", "fence-reads-writes", "every property held"},
	} {
		var svg bytes.Buffer
		if err := figures[name].WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		all := "\n" + strings.Join(textsOf(t, svg.Bytes()), "\n") + "\n"
		for _, text := range want {
			if !strings.Contains(all, "\n"+text+"\n") {
				t.Errorf("%s: no %q in %s", name, text, all)
			}
		}
	}
}

// TestWhatCannotBeDrawn is an error, and nothing is written.
func TestWhatCannotBeDrawn(t *testing.T) {
	one := func(s plots.Scale, p plots.Point) plots.Panels {
		return plots.Panels{Scale: s, Panels: []plots.Panel{{Name: "p", Series: []plots.Series{{Name: "s", Points: []plots.Point{p}}}}}}
	}
	ragged := heat()
	ragged.Maps[0].Cells = ragged.Maps[0].Cells[:1]
	short := matrix()
	short.Rows[0].Cells = nil
	negative := bars()
	negative.Panels[0].Values[0][0] = -1
	for want, figure := range map[string]plots.Picture{
		"without panels":    plots.Panels{},
		"within the scale":  one(plots.LogSeconds, plots.Point{X: 1}),
		"got 2, 2, 2":       one(plots.Differences, plots.Point{X: 1, Rate: 2, Low: 2, High: 2}),
		"got 0.5, 0.5, 1.5": one(plots.LogShares, plots.Point{X: 1, Rate: 0.5, Low: 0.5, High: 1.5}),
		"without cells":     plots.Heat{},
		"has 1 rows, not 2": ragged,
		"without groups":    plots.Bars{},
		"the amount -1":     negative,
		"matrix without":    plots.Matrix{},
		"0 cells, not 4":    short,
	} {
		var out bytes.Buffer
		for _, write := range []func() error{func() error { return figure.WriteSVG(&out) }, func() error { return figure.WritePNG(&out) }} {
			if err := write(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
		if out.Len() > 0 {
			t.Errorf("%s: wrote something", want)
		}
	}
}

func TestDurationText(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0 s", 1e-6: "1 µs", 0.0001: "100 µs", 0.0125: "12.5 ms", 0.9999: "1 s", 1: "1 s", 59: "59 s", 90: "90 s", 120: "2 min", 7200: "2 h"} {
		if got := plots.DurationText(seconds); got != want {
			t.Errorf("%v s prints as %q, want %q", seconds, got, want)
		}
	}
}
