package plots

import (
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"fencepost/reports/wrap"
)

// widest is how much wider than Liberation Sans the sans-serif of a viewer may be that
// lacks it; it is that of DejaVu Sans, rounded up.
const widest = 1.2

func widthOf(s string, style text.Style) vg.Length { return widest * style.Width(s) }

// paragraph is text broken into lines of bounded width.
type paragraph struct {
	style text.Style
	lines []string
}

// wrapped breaks s at its newlines and between words, and inside of words that alone are
// too wide.
func wrapped(s string, style text.Style, width vg.Length) paragraph {
	p := paragraph{style: style}
	if strings.TrimSpace(s) == "" {
		return p
	}
	for hard := range strings.SplitSeq(strings.ToValidUTF8(s, "?"), "\n") {
		line := ""
		for _, word := range wrap.Words(hard) {
			joined := strings.TrimSpace(line + " " + word)
			if line != "" && widthOf(joined, style) > width {
				p.lines = append(p.lines, line)
				joined = word
			}
			line = p.breakWord(joined, width)
		}
		p.lines = append(p.lines, line)
	}
	return p
}

// breakWord appends what of the line does not fit, and returns the rest.
func (p *paragraph) breakWord(line string, width vg.Length) string {
	for widthOf(line, p.style) > width {
		runes := []rune(line)
		n := len(runes) - 1
		for n > 1 && widthOf(string(runes[:n]), p.style) > width {
			n--
		}
		if n < 1 {
			break
		}
		p.lines = append(p.lines, string(runes[:n]))
		line = string(runes[n:])
	}
	return line
}

func (p paragraph) lineHeight() vg.Length { return 1.25 * p.style.Font.Size }

func (p paragraph) height() vg.Length { return vg.Length(len(p.lines)) * p.lineHeight() }

func (p paragraph) width() vg.Length {
	var width vg.Length
	for _, line := range p.lines {
		width = max(width, widthOf(line, p.style))
	}
	return width
}

// draw sets the lines below top, from left on, and returns the height left to them.
func (p paragraph) draw(c draw.Canvas, left, top vg.Length) vg.Length {
	for _, line := range p.lines {
		c.FillText(p.style, vg.Point{X: left, Y: top}, line)
		top -= p.lineHeight()
	}
	return top
}
