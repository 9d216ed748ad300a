package timeline

import (
	"cmp"
	"fmt"
	"slices"
)

var markNames = [...]string{Accepted: "accepted", Rejected: "rejected", Read: "read", Left: "left", Done: "done", Fault: "fault", Grant: "grant"}

// String returns the name of the kind, in lower case.
func (k MarkKind) String() string { return markNames[k] }

const (
	markLevelHeight = 10.0
	markPitch       = 9.0
	// mostMarkLevels of marks at about one instant; further ones overlap.
	mostMarkLevels = 5
)

// placedMark is a mark on the lane's line, or some levels above it where others are near.
type placedMark struct {
	mark  Mark
	x     float64
	level int
	text  string
}

func placedMarks(marks []Mark, s scale) (out []placedMark, levels int) {
	for _, m := range marks {
		if s.shows(m.At) {
			out = append(out, placedMark{mark: m, x: s.x(m.At)})
		}
	}
	slices.SortStableFunc(out, func(a, b placedMark) int { return cmp.Compare(a.mark.At, b.mark.At) })
	var ends []float64
	texts := make([]string, len(out))
	for i := range out {
		texts[i] = out[i].mark.Label
		level := slices.IndexFunc(ends, func(end float64) bool { return end+markPitch <= out[i].x })
		switch {
		case level >= 0:
		case len(ends) < mostMarkLevels:
			level, ends = len(ends), append(ends, 0)
		default:
			level = slices.Index(ends, slices.Min(ends))
		}
		out[i].level, ends[level] = level, out[i].x
	}
	for i, text := range condensed(texts) {
		out[i].text = text
	}
	return out, len(ends)
}

func (p placedMark) draw(c *canvas, line float64) {
	y := line - float64(p.level)*markLevelHeight
	c.element(`<g><title>%s</title>%s</g>`, joined(p.mark.Kind.String(), p.mark.Label)+", at "+instant(p.mark.At), p.mark.Kind.sign(p.x, y))
}

// sign is the shape of a kind: shapes differ, and not only colours.
func (k MarkKind) sign(x, y float64) markup {
	shape := ""
	switch k {
	case Accepted:
		return markup(fmt.Sprintf(`<circle class="accepted" cx="%s" cy="%s" r="4.2"/>`, number(x), number(y)))
	case Read:
		return markup(fmt.Sprintf(`<circle class="read" cx="%s" cy="%s" r="3.4"/>`, number(x), number(y)))
	case Rejected:
		shape = "m-3.8 -3.8l7.6 7.6m0 -7.6l-7.6 7.6"
	case Done:
		shape = "m0 -5l1.5 3.4l3.6 .3l-2.8 2.4l.9 3.6l-3.2 -2l-3.2 2l.9 -3.6l-2.8 -2.4l3.6 -.3z"
	case Left:
		shape = "m-3.5 -3.5h7v7h-7z"
	case Fault:
		shape = "m0 4.5l-4.6 -8.4h9.2z"
	case Grant:
		shape = "m0 -4.8l4.8 4.8l-4.8 4.8l-4.8 -4.8z"
	}
	return markup(fmt.Sprintf(`<path class="%s" d="M%s %s%s"/>`, k, number(x), number(y), shape))
}

// condensed keeps only the first of texts that appear more often than one can read, and
// appends how often.
func condensed(texts []string) []string {
	const readable = 6
	count := map[string]int{}
	for _, text := range texts {
		count[text]++
	}
	out := slices.Clone(texts)
	seen := map[string]bool{}
	for i, text := range texts {
		switch {
		case text == "" || count[text] <= readable:
		case seen[text]:
			out[i] = ""
		default:
			out[i] = fmt.Sprintf("%s ×%d", text, count[text])
		}
		seen[text] = true
	}
	return out
}
