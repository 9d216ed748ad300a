package timeline

import (
	"cmp"
	"slices"
)

// flag is a label on a pole: the pole stands at the anchor on the lane's line, and the
// text hangs beside it in a row above. Row 0 is the lowest.
type flag struct {
	anchor  float64
	foot    float64 // how far above the lane's line the pole begins
	class   string
	text    string
	width   float64
	toLeft  bool
	row     int
	dropped bool
}

const (
	poleGap = 3.0 // between pole and text
	textGap = 6.0 // between texts of one row
	// longestRun is half of the narrowest window: such a text fits on one side of its pole,
	// wherever that stands, and holds two tokens of ZooKeeper's.
	longestRun = 480.0
)

// newFlag makes a flag for marks ("label") or messages ("sent").
func newFlag(class string, anchor, foot float64, text string) flag {
	size := labelSize
	if class == "sent" {
		size = smallSize
	}
	text = shortened(text, size, longestRun)
	return flag{anchor: anchor, foot: foot, class: class, text: text, width: textWidth(text, size)}
}

// span is the room of the text, left to right.
func (f flag) span() (from, to float64) {
	if f.toLeft {
		return f.anchor - poleGap - f.width, f.anchor - poleGap
	}
	return f.anchor + poleGap, f.anchor + poleGap + f.width
}

// rowLimits bound the height of a lane: first without a pole that passes behind a text,
// then with. Texts beyond remain as tooltips.
var rowLimits = map[string]struct{ clear, crossed int }{"label": {6, 12}, "sent": {4, 6}}

// placed returns the flags with their rows, and how many rows there are.
//
// Marks come before messages and the right before the left. As texts hang to the right of
// their poles, a pole then passes left of all texts below it, and no two texts overlap.
// Only near the right edge do texts hang to the left, and only in a crowd may a pole pass
// behind one.
func placed(flags []flag, left, right float64) ([]flag, int) {
	slices.SortStableFunc(flags, func(a, b flag) int {
		if c := cmp.Compare(a.class, b.class); c != 0 {
			return c // "label" before "sent"
		}
		return cmp.Compare(b.anchor, a.anchor)
	})
	rows := 0
	for i := range flags {
		flags[i].place(flags[:i], left, right)
		if !flags[i].dropped {
			rows = max(rows, flags[i].row+1)
		}
	}
	return flags, rows
}

// place finds the lowest row for the flag, at best without a pole that crosses a text, and
// at best to the right of its pole, where a reader looks for it.
func (f *flag) place(others []flag, left, right float64) {
	limits := rowLimits[f.class]
	for _, crossing := range []bool{false, true} {
		rows := limits.clear
		if crossing {
			rows = limits.crossed
		}
		for _, f.toLeft = range []bool{false, true} {
			from, to := f.span()
			hasty := f.toLeft && !crossing && f.anchor+poleGap+f.width <= right
			if from < left || to > right || hasty {
				continue
			}
			for f.row = range rows {
				if f.free(others, crossing) {
					return
				}
			}
		}
	}
	f.dropped = true
}

func (f *flag) free(others []flag, crossing bool) bool {
	from, to := f.span()
	for _, o := range others {
		if o.dropped {
			continue
		}
		otherFrom, otherTo := o.span()
		if o.row == f.row && from < otherTo+textGap && otherFrom < to+textGap {
			return false
		}
		if crossing {
			continue
		}
		overMe := o.row > f.row && from-1 < o.anchor && o.anchor < to+1
		overOther := f.row > o.row && otherFrom-1 < f.anchor && f.anchor < otherTo+1
		if overMe || overOther {
			return false
		}
	}
	return true
}

const flagRowHeight = 13.0

// drawPole draws the pole; bottom is the ordinate of the lower edge of row 0, and line that of
// the lane's line.
func (f flag) drawPole(c *canvas, bottom, line float64) {
	c.line("pole", f.anchor, line-f.foot, f.anchor, bottom-float64(f.row)*flagRowHeight-flagRowHeight+4)
}

func (f flag) drawText(c *canvas, bottom float64) {
	from, to := f.span()
	y := bottom - float64(f.row)*flagRowHeight - 3.5
	if f.toLeft {
		c.text(f.class, to, y, "end", f.text)
		return
	}
	c.text(f.class, from, y, "start", f.text)
}
