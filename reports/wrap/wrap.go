// Package wrap splits text for wrapping.
package wrap

import (
	"slices"
	"strings"
)

// units are what a number is not parted from at the end of a line.
var units = []string{"%", "ns", "us", "µs", "ms", "s", "m", "h", "ppm", "ppb"}

// Words returns the words of a text between which a line may be broken: those between spaces,
// but a number and its unit are one, and so is a bound: "< 7.2 %".
func Words(text string) (list []string) {
	for _, word := range strings.Fields(text) {
		if last := len(list) - 1; last >= 0 && together(list[last], word) {
			list[last] += " " + word
			continue
		}
		list = append(list, word)
	}
	return list
}

func together(before, after string) bool {
	if before == "<" || before == ">" {
		return isNumber(after)
	}
	before = before[strings.LastIndex(before, " ")+1:]
	return isNumber(before) && slices.Contains(units, strings.TrimRight(after, ".,;:!?)"))
}

func isNumber(word string) bool {
	word = strings.TrimLeft(word, "(+-±<>≤≥~")
	return word != "" && strings.Trim(word, "0123456789.") == "" && word[len(word)-1] != '.'
}

// Lines breaks a text into lines of at most so many characters, where words allow it.
func Lines(text string, width int) (lines []string) {
	line, length := "", 0
	for _, word := range Words(text) {
		n := len([]rune(word))
		if length > 0 && length+1+n > width {
			lines = append(lines, line)
			line, length = "", 0
		}
		if length > 0 {
			line += " "
			length++
		}
		line += word
		length += n
	}
	return append(lines, line)
}
