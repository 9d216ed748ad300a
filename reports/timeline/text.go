package timeline

import (
	"strings"
	"unicode/utf8"

	"fencepost/reports/wrap"
)

const (
	labelSize = 10.0
	smallSize = 9.0
	nameSize  = 12.0
	titleSize = 16.0
)

// textWidth estimates how wide a viewer's sans-serif sets the text, in pixels. It is
// generous: close to DejaVu Sans, which is wider than Arial and its like by a sixth.
func textWidth(text string, size float64) float64 {
	em := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune("ijl.,:;'|!I()[] ", r):
			em += 0.36
		case strings.ContainsRune("mwMW@%+=<>→×…", r):
			em += 0.95
		case 'A' <= r && r <= 'Z':
			em += 0.72
		case r < utf8.RuneSelf:
			em += 0.62
		default:
			em += 1
		}
	}
	return em * size
}

// shortened cuts the text to the width, with an ellipsis.
func shortened(text string, size, width float64) string {
	if textWidth(text, size) <= width {
		return text
	}
	runes := []rune(text)
	for n := len(runes) - 1; n > 0; n-- {
		cut := strings.TrimRight(string(runes[:n]), " ") + "…"
		if textWidth(cut, size) <= width {
			return cut
		}
	}
	return "…"
}

// wrapped breaks the text at newlines and between words, and shortens longer words.
func wrapped(text string, size, width float64) []string {
	var lines []string
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for hard := range strings.SplitSeq(text, "\n") {
		line := ""
		for _, word := range wrap.Words(hard) {
			joined := strings.TrimSpace(line + " " + word)
			if line != "" && textWidth(joined, size) > width {
				lines = append(lines, line)
				joined = word
			}
			line = shortened(joined, size, width)
		}
		lines = append(lines, line)
	}
	return lines
}
