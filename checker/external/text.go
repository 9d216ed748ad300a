package external

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// checkText fails if JSON is not text: on bytes that are not UTF-8, and on an escape of half a
// pair. Both would become one sign that stands for what is no text, so that different strings,
// and with them different owners, would be one.
func checkText[T string | []byte](raw T) error {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(string(raw[i:min(len(raw), i+utf8.UTFMax)]))
		if r == utf8.RuneError && size == 1 {
			return fmt.Errorf("text in UTF-8 was expected; byte %d is %#x", i+1, raw[i])
		}
		if r != '\\' || i+1 == len(raw) {
			i += size
			continue
		}
		length, ok := escape(string(raw[i:min(len(raw), i+12)]))
		if !ok {
			return fmt.Errorf("the escape %s at byte %d is half a pair, and no text", raw[i:i+6], i+1)
		}
		i += length
	}
	return nil
}

// escape returns how long an escape of JSON is, that of a pair as a whole, and false if it is
// one of half a pair.
func escape(s string) (length int, ok bool) {
	high := unit(s)
	if !utf16.IsSurrogate(high) {
		return 2, true
	}
	return 12, utf16.DecodeRune(high, unit(s[6:])) != utf8.RuneError
}

// unit reads the \u and four digits that a text begins with; it returns -1 if it does not.
func unit(s string) rune {
	if len(s) < 6 || s[:2] != `\u` {
		return -1
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
