package reports

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable writes signs that a terminal would obey, or that cannot be seen, as escapes: texts
// of files that others wrote may have them. Lines and tabs stay.
func Printable(text string) string {
	plain := func(r rune) bool { return r == '\n' || r == '\t' || unicode.IsPrint(r) && r != unicode.ReplacementChar }
	if strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if part := text[i : i+size]; plain(r) || part == string(unicode.ReplacementChar) {
			b.WriteString(part)
		} else {
			b.WriteString(strings.Trim(strconv.Quote(part), `"`))
		}
		i += size
	}
	return b.String()
}
