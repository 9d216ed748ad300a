package timeline

import (
	"cmp"
	"fmt"
	"slices"
)

var barNames = [...]string{Promise: "promise", Belief: "belief", Pause: "pause", Crash: "crash", Cut: "cut", Job: "job"}

// String returns the name of the kind, in lower case.
func (k BarKind) String() string { return barNames[k] }

const (
	barRowHeight = 17.0
	barHeight    = 13.0
	thinnestBar  = 1.5
	// mostBarRows of one kind; further bars overlap, without a label.
	mostBarRows = 6
)

// placedBar is a bar with its row below the lane's line, and its text beside or inside.
type placedBar struct {
	bar                 Bar
	row                 int
	from, to            float64
	openLeft, openRight bool
	text, anchor        string
	textX               float64
	dropped             bool
}

func (b Bar) unending() bool { return b.To < 0 }

// placedBars gives every kind its own rows, as many as its bars and their texts need.
func placedBars(bars []Bar, s scale) (out []placedBar, rows int) {
	for kind := Promise; kind <= Job; kind++ {
		ends := []float64{}
		for _, p := range shownBars(bars, kind, s) {
			from, to := p.extent(s)
			row := slices.IndexFunc(ends, func(end float64) bool { return end <= from })
			switch {
			case row >= 0:
			case len(ends) < mostBarRows:
				row, ends = len(ends), append(ends, 0)
			default:
				row = slices.Index(ends, slices.Min(ends))
				p.text, p.dropped = "", p.text != ""
			}
			ends[row] = max(ends[row], to+3)
			p.row = rows + row
			out = append(out, p)
		}
		rows += len(ends)
	}
	return out, rows
}

// shownBars returns the visible bars of the kind by their start.
func shownBars(bars []Bar, kind BarKind, s scale) []placedBar {
	var shown []placedBar
	for _, b := range bars {
		if b.Kind != kind || b.From > s.end || !b.unending() && b.To < s.start {
			continue
		}
		p := placedBar{bar: b, from: s.clamped(b.From), to: s.right, openLeft: b.From < s.start, openRight: b.unending() || b.To > s.end}
		if !b.unending() {
			p.to = s.clamped(b.To)
		}
		shown = append(shown, p)
	}
	slices.SortStableFunc(shown, func(a, b placedBar) int { return cmp.Compare(a.from, b.from) })
	texts := make([]string, len(shown))
	for i, p := range shown {
		texts[i] = p.bar.Label
	}
	for i, text := range condensed(texts) {
		shown[i].text = text
	}
	return shown
}

// extent sets the text inside of the bar if it fits, or else behind it, or else before it,
// and returns the room that both take.
func (p *placedBar) extent(s scale) (from, to float64) {
	const gap, chevron = 4.0, 6.0
	inset := gap
	if p.openLeft {
		inset += chevron
	}
	from, to = p.from, max(p.to, p.from+thinnestBar)
	width := textWidth(p.text, labelSize)
	switch {
	case p.text == "":
	case width+inset+gap+chevron <= to-from:
		p.textX, p.anchor = from+inset, "start"
	case to+gap+width <= s.right:
		p.textX, p.anchor = to+gap, "start"
		to += gap + width
	case from-gap-width >= s.left:
		p.textX, p.anchor = from-gap, "end"
		from -= gap + width
	case to-from < s.right-to:
		p.text = shortened(p.text, labelSize, s.right-to-gap)
		p.textX, p.anchor = to+gap, "start"
		to = s.right
	default:
		p.text = shortened(p.text, labelSize, to-from-inset-gap)
		p.textX, p.anchor = from+inset, "start"
	}
	return from, to
}

func (p placedBar) top(first float64) float64 { return first + float64(p.row)*barRowHeight }

// draw draws the bar. An open side has no edge but a chevron.
func (p placedBar) draw(c *canvas, first float64) {
	top, width := p.top(first), max(p.to-p.from, thinnestBar)
	c.element(`<g><title>%s</title>`, p.tooltip())
	c.element(`<rect class="%s inside" x="%s" y="%s" width="%s" height="%s"/>`, p.bar.Kind.String(), p.from, top, width, barHeight)
	c.element(`<path class="%s edge" d="%s"/></g>`, p.bar.Kind.String(), p.outline(top, p.from+width))
}

func (p placedBar) outline(top, right float64) markup {
	bottom, middle := top+barHeight, top+barHeight/2
	d := fmt.Sprintf("M%s %sH%sM%s %sH%s", number(p.from), number(top), number(right), number(p.from), number(bottom), number(right))
	if !p.openLeft {
		d += fmt.Sprintf("M%s %sV%s", number(p.from), number(top), number(bottom))
	} else {
		d += fmt.Sprintf("M%s %sL%s %sL%s %s", number(p.from+5), number(top+2), number(p.from+1), number(middle), number(p.from+5), number(bottom-2))
	}
	if !p.openRight {
		d += fmt.Sprintf("M%s %sV%s", number(right), number(top), number(bottom))
	} else {
		d += fmt.Sprintf("M%s %sL%s %sL%s %s", number(right-5), number(top+2), number(right-1), number(middle), number(right-5), number(bottom-2))
	}
	return markup(d)
}

func (p placedBar) drawText(c *canvas, first float64) {
	if p.text != "" {
		c.text("bartext", p.textX, p.top(first)+barHeight-3, p.anchor, p.text)
	}
}

func (p placedBar) tooltip() string {
	until := "to " + instant(p.bar.To) + ", for " + instant(p.bar.To-p.bar.From)
	if p.bar.unending() {
		until = "to the end of the run"
	}
	return joined(p.bar.Kind.String(), p.bar.Label) + ", from " + instant(p.bar.From) + " " + until
}

func joined(kind, label string) string {
	if label == "" {
		return kind
	}
	return kind + ": " + label
}
