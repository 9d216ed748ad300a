package timeline

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// box is the estimated room of a text.
type box struct {
	text                     string
	left, top, right, bottom float64
}

func (a box) meets(b box) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

func (l lanePlan) boxes() []box {
	var all []box
	for _, f := range l.flags {
		if !f.dropped {
			from, to := f.span()
			bottom := l.flagBottom - float64(f.row)*flagRowHeight
			all = append(all, box{f.text, from, bottom - flagRowHeight, to, bottom})
		}
	}
	for _, b := range l.bars {
		if b.text == "" {
			continue
		}
		width := textWidth(b.text, labelSize)
		left := b.textX
		if b.anchor == "end" {
			left -= width
		}
		all = append(all, box{b.text, left, b.top(l.barTop), left + width, b.top(l.barTop) + barHeight})
	}
	return all
}

// checkTexts fails if texts overlap or leave their lane.
func checkTexts(t interface{ Fatalf(string, ...any) }, line Timeline) {
	p := newPlan(line)
	for i, lane := range p.lanes {
		if i > 0 && lane.top < p.lanes[i-1].top+p.lanes[i-1].height {
			t.Fatalf("lane %d overlaps the one above", i)
		}
		boxes := lane.boxes()
		for j, a := range boxes {
			if a.left < p.scale.left-5 || a.right > width-margin || a.top < lane.top || a.bottom > lane.top+lane.height {
				t.Fatalf("%+v leaves lane %d", a, i)
			}
			for _, b := range boxes[:j] {
				if a.meets(b) {
					t.Fatalf("%+v overlaps %+v", a, b)
				}
			}
		}
		if lane.line+18 > lane.top+lane.height {
			t.Fatalf("the kind of lane %d is clipped", i)
		}
	}
}

func TestTextsOfTheStoriesDoNotOverlap(t *testing.T) {
	checkTexts(t, kleppmann())
	checkTexts(t, crowded())
	if n := newPlan(kleppmann()).lanes[3].dropped(); n > 0 {
		t.Errorf("%d texts dropped", n)
	}
}

func TestTextsDoNotOverlap(t *testing.T) {
	instants := rapid.Map(rapid.Int64Range(-int64(second), int64(12*second)), func(n int64) time.Duration { return time.Duration(n) })
	labels := rapid.StringMatching(`[a-zA-Z ]{0,60}`)
	bars := rapid.Custom(func(t *rapid.T) Bar {
		from := instants.Draw(t, "from")
		to := from + time.Duration(rapid.Int64Range(0, int64(5*second)).Draw(t, "for"))
		if rapid.IntRange(0, 9).Draw(t, "unending") == 0 {
			to = -1
		}
		return Bar{BarKind(rapid.IntRange(0, int(Cut)).Draw(t, "kind")), from, to, labels.Draw(t, "label")}
	})
	marks := rapid.Custom(func(t *rapid.T) Mark {
		return Mark{instants.Draw(t, "at"), MarkKind(rapid.IntRange(0, int(Grant)).Draw(t, "kind")), labels.Draw(t, "label")}
	})
	messages := rapid.Custom(func(t *rapid.T) Message {
		return Message{rapid.IntRange(0, 1).Draw(t, "from"), rapid.IntRange(0, 1).Draw(t, "to"),
			instants.Draw(t, "sent"), instants.Draw(t, "arrived"), labels.Draw(t, "label"), rapid.Bool().Draw(t, "lost"), rapid.Bool().Draw(t, "held"), rapid.Bool().Draw(t, "quiet")}
	})
	rapid.Check(t, func(t *rapid.T) {
		line := Timeline{Start: 0, End: 10 * second, Lanes: []Lane{{Name: "a"}, {Name: "b"}}}
		for i := range line.Lanes {
			line.Lanes[i].Bars = rapid.SliceOfN(bars, 0, 40).Draw(t, "bars")
			line.Lanes[i].Marks = rapid.SliceOfN(marks, 0, 40).Draw(t, "marks")
		}
		line.Messages = rapid.SliceOfN(messages, 0, 40).Draw(t, "messages")
		checkTexts(t, line)
		checkLines(t, line)
	})
}

// checkLines fails if a message's line leaves the window or the space of its lanes.
func checkLines(t *rapid.T, line Timeline) {
	p := newPlan(line)
	for _, m := range line.Messages {
		from, to := p.lanes[m.FromLane].line, p.lanes[m.ToLane].line
		r, ok := routed(m, p.scale, from, to)
		if !ok {
			continue
		}
		low, high := min(from, to)-0.01, max(from, to)+0.01
		if r.x1 < p.scale.left || r.x2 > p.scale.right || r.x2 < r.x1 || min(r.y1, r.y2) < low || max(r.y1, r.y2) > high {
			t.Fatalf("%+v between %v and %v", r, from, to)
		}
		if r.arrives && m.Sent >= p.Start && r.y2 != to {
			t.Fatalf("%+v does not arrive at %v", r, to)
		}
	}
}

func TestRoutesOfMessages(t *testing.T) {
	s := scale{start: 0, end: 10 * second, left: 0, right: 1000}
	for _, c := range []struct {
		message Message
		want    string
	}{
		{Message{Sent: second, Arrived: 2 * second}, "100,0 to 200,100 true"},
		{Message{Sent: -second, Arrived: second}, "0,50 to 100,100 true"},
		{Message{Sent: 9 * second, Arrived: 11 * second}, "900,0 to 1000,50 false"},
		{Message{Sent: 9 * second, Arrived: -1}, "900,0 to 1000,86 false"},
		{Message{Sent: second, Arrived: -1, Lost: true}, "100,0 to 100,86 false"},
		{Message{Sent: second, Arrived: 2 * second, Lost: true}, "100,0 to 186,86 false"},
	} {
		r, ok := routed(c.message, s, 0, 100)
		if got := fmt.Sprintf("%v,%v to %v,%v %v", number(r.x1), number(r.y1), number(r.x2), number(r.y2), r.arrives); !ok || got != c.want {
			t.Errorf("%+v: %s, want %s", c.message, got, c.want)
		}
	}
	for _, m := range []Message{{Sent: 11 * second, Arrived: 12 * second}, {Sent: -2 * second, Arrived: -second}} {
		if _, ok := routed(m, s, 0, 100); ok {
			t.Errorf("%+v is visible", m)
		}
	}
}

func TestCrowdsAreCondensed(t *testing.T) {
	many := Timeline{End: 10 * second, Lanes: []Lane{{Name: "a"}}}
	for i := range 30 {
		many.Lanes[0].Marks = append(many.Lanes[0].Marks,
			Mark{1*second + time.Duration(i)*milli, Read, "poll"},
			Mark{5*second + time.Duration(i)*milli, Rejected, fmt.Sprintf("one of many different writes: %d", i)})
	}
	p := newPlan(many)
	checkTexts(t, many)
	texts := map[string]bool{}
	for _, b := range p.lanes[0].boxes() {
		texts[b.text] = true
	}
	if !texts["poll ×30"] || texts["poll"] {
		t.Errorf("repeated label: %v", texts)
	}
	dropped := p.lanes[0].dropped()
	if want := fmt.Sprintf("%d texts found no room and are shown as a tooltip only.", dropped); dropped == 0 || p.notes[len(p.notes)-1] != want {
		t.Errorf("notes %q, want %q", p.notes, want)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		start, end  time.Duration
		count       int
		first, last string
	}{
		{0, 18 * second, 10, "0 s", "18 s"},
		{0, 30 * second, 7, "0 s", "30 s"},
		{9950 * milli, 10050 * milli, 11, "9.95 s", "10.05 s"},
		{0, 250 * milli, 6, "0 ms", "250 ms"},
		{0, 1, 2, "0 µs", "0.001 µs"},
		{3 * second, 2 * time.Hour, 7, "1000 s", "7000 s"},
		{-1500 * milli, 3 * second, 10, "-1.5 s", "3 s"},
	} {
		s := scale{start: c.start, end: c.end, right: 1}
		ticks, unit := s.ticks(s.step()), s.unit()
		first, last := unit.in(ticks[0])+" "+unit.name, unit.in(ticks[len(ticks)-1])+" "+unit.name
		if len(ticks) != c.count || first != c.first || last != c.last {
			t.Errorf("%v to %v: %d ticks from %s to %s, want %d from %s to %s", c.start, c.end, len(ticks), first, last, c.count, c.first, c.last)
		}
	}
}
