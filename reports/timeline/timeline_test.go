package timeline

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestGolden(t *testing.T) {
	for name, line := range map[string]Timeline{"kleppmann": kleppmann(), "crowded": crowded()} {
		path := filepath.Join("testdata", name+".svg")
		got := []byte(line.SVG())
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

// element is a parsed SVG element with what it says.
type element struct {
	name, text string
	attributes map[string]string
}

func (e element) float(t interface{ Fatal(...any) }, name string) float64 {
	v, err := strconv.ParseFloat(e.attributes[name], 64)
	if err != nil {
		t.Fatal(e, err)
	}
	return v
}

// parsed fails unless the SVG is well-formed, and returns its elements.
func parsed(t interface{ Fatal(...any) }, svg string) []element {
	var all []element
	var open []int
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attributes: map[string]string{}}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(token)
			}
		}
	}
}

func having(all []element, name, class string) []element {
	var some []element
	for _, e := range all {
		if e.name == name && (class == "" || e.attributes["class"] == class) {
			some = append(some, e)
		}
	}
	return some
}

func TestAnyTextIsWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{`<b>&"'`, "\x00\xff", "]]>", "--%s%d"})).Draw(t, "text")
		line := Timeline{
			Title: text, Subtitle: text, End: second,
			Lanes:    []Lane{{Name: text, Kind: text, Bars: []Bar{{Belief, 0, -1, text}}, Marks: []Mark{{milli, Read, text}}}},
			Messages: []Message{{0, 0, milli, 2 * milli, text, false, false, false}},
			Notes:    []string{text},
		}
		parsed(t, line.SVG())
	})
}

func TestTextsAreEscapedAndNotLost(t *testing.T) {
	all := parsed(t, crowded().SVG())
	if titles := having(all, "title", ""); titles[0].text != crowded().Title {
		t.Errorf("title %q", titles[0].text)
	}
	if len(having(all, "desc", "")) != 1 {
		t.Error("no description")
	}
}

func TestEverythingHasATooltip(t *testing.T) {
	var tips []string
	for _, e := range having(parsed(t, kleppmann().SVG()), "title", "") {
		tips = append(tips, e.text)
	}
	for _, want := range []string{
		"pause: stop-the-world pause, from 1 s to 16 s, for 15 s",
		"belief: thinks to hold the lock (token 34), from 10.11 s to the end of the run",
		"promise: client 1, token 33, from 0.002 s to 10.002 s, for 10 s",
		"rejected: write v1 token 33 rejected, at 16.007 s",
		"client 1 → storage: write v1 token 33, sent 16 s, arrived 16.007 s, after 0.007 s",
	} {
		if !strings.Contains("\n"+strings.Join(tips, "\n")+"\n", "\n"+want+"\n") {
			t.Errorf("no tooltip %q in\n%s", want, strings.Join(tips, "\n"))
		}
	}
	crowd := crowded()
	marks, bars := 0, 0
	for _, lane := range crowd.Lanes {
		marks, bars = marks+len(lane.Marks), bars+len(lane.Bars)
	}
	names := len(crowd.Lanes) + 1
	if got, want := len(having(parsed(t, crowd.SVG()), "title", "")), marks+bars+len(crowd.Messages)+names; got != want {
		t.Errorf("%d tooltips, want %d", got, want)
	}
}

// TestLegendHasWhatIsThere: a sign is explained if and only if there is one, and no two kinds
// of marks share a shape.
func TestLegendHasWhatIsThere(t *testing.T) {
	shapes := map[string]MarkKind{}
	for kind := Accepted; kind <= Grant; kind++ {
		line := Timeline{End: second, Lanes: []Lane{{Name: "n", Marks: []Mark{{milli, kind, ""}}}}}
		items := newPlan(line).legendItems()
		if len(items) != 1 || items[0].text != markMeanings[kind] || items[0].text == "" {
			t.Errorf("%v: the legend has %v", kind, items)
		}
		signs := 0
		for _, e := range parsed(t, line.SVG()) {
			if e.attributes["class"] == kind.String() {
				signs++
			}
		}
		if signs != 2 { // in the lane and in the legend
			t.Errorf("%v: %d signs", kind, signs)
		}
		shape := strings.ReplaceAll(string(kind.sign(0, 0)), kind.String(), "")
		if other, taken := shapes[shape]; taken {
			t.Errorf("%v has the shape of %v", kind, other)
		}
		shapes[shape] = kind
	}
}

// TestDrawnToScale reads the abscissae back from the SVG: they are affine in time.
func TestDrawnToScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "start"))
		length := time.Duration(rapid.Int64Range(1000, int64(time.Hour)).Draw(t, "length"))
		within := func(name string) time.Duration {
			return start + time.Duration(rapid.Int64Range(0, int64(length)).Draw(t, name))
		}
		a, b := within("a"), within("b")
		from, to := min(a, b), max(a, b)
		line := Timeline{Start: start, End: start + length, Lanes: []Lane{{
			Name:  "n",
			Bars:  []Bar{{Pause, from, to, ""}},
			Marks: []Mark{{start, Accepted, ""}, {start + length, Accepted, ""}, {from, Read, ""}},
		}}}
		all := parsed(t, line.SVG())
		ends := having(all, "circle", "accepted")
		left, right := ends[0].float(t, "cx"), ends[1].float(t, "cx")
		want := func(at time.Duration) float64 {
			return left + (right-left)*float64(at-start)/float64(length)
		}
		bar := having(all, "rect", "pause inside")[0]
		read := having(all, "circle", "read")[0].float(t, "cx")
		if math.Abs(read-want(from)) > 0.02 || math.Abs(bar.float(t, "x")-want(from)) > 0.02 {
			t.Fatalf("mark at %v, bar at %v, want %v", read, bar.attributes, want(from))
		}
		if got, want := bar.float(t, "width"), max(thinnestBar, want(to)-want(from)); math.Abs(got-want) > 0.03 {
			t.Fatalf("bar is %v wide, want %v", got, want)
		}
	})
}

func TestErrors(t *testing.T) {
	with := func(change func(*Timeline)) Timeline {
		line := kleppmann()
		change(&line)
		return line
	}
	for want, line := range map[string]Timeline{
		"window from 0s to 0s":        with(func(l *Timeline) { l.End = 0 }),
		"no lanes":                    {End: 1},
		`message "acquire": lane 4`:   with(func(l *Timeline) { l.Messages[0].ToLane = 4 }),
		`message "acquire": lane -1`:  with(func(l *Timeline) { l.Messages[0].FromLane = -1 }),
		`bar "b" of kind 6`:           with(func(l *Timeline) { l.Lanes[0].Bars[0] = Bar{Kind: Job + 1, Label: "b"} }),
		`bar "b" from 2ns to 1ns`:     with(func(l *Timeline) { l.Lanes[0].Bars[0] = Bar{From: 2, To: 1, Label: "b"} }),
		`lane "storage": mark "m" of`: with(func(l *Timeline) { l.Lanes[3].Marks[0] = Mark{Kind: -1, Label: "m"} }),
	} {
		var out bytes.Buffer
		if err := line.Write(&out); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("error %v after %d bytes, want %q", err, out.Len(), want)
		}
	}
}
