package edn

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var chars = regexp.MustCompile(`^\\(newline|return|space|tab|formfeed|backspace|u[0-9A-Fa-f]{4}|[\s\S])`)

// charNames are the names of the characters that have one.
var charNames = map[string]string{"\n": "newline", "\r": "return", " ": "space", "\t": "tab", "\f": "formfeed", "\b": "backspace"}

// char reads a character. However it is written, its text is the same: its name if it has one.
func (r *Reader) char() (Value, error) {
	m := chars.FindString(r.text[r.at:])
	if m == "" {
		return Value{}, r.fail(r.line, "a character was expected after \\")
	}
	if !utf8.ValidString(m) {
		return Value{}, r.fail(r.line, "%q is not UTF-8", m)
	}
	v := Value{Kind: Char, Line: r.line, Text: m[1:]}
	r.line += strings.Count(m, "\n")
	r.at += len(m)
	if unit, err := strconv.ParseUint(strings.TrimPrefix(v.Text, "u"), 16, 16); err == nil && len(v.Text) == 5 {
		v.Text = strings.ToLower(v.Text) // half a pair is a character of its own there
		if !utf16.IsSurrogate(rune(unit)) {
			v.Text = string(rune(unit))
		}
	}
	if name, ok := charNames[v.Text]; ok {
		v.Text = name
	}
	return v, nil
}

var escapes = map[byte]string{'t': "\t", 'r': "\r", 'n': "\n", 'f': "\f", 'b': "\b", '\\': "\\", '"': "\""}

// string reads a string. What is not text is an error: if it became a sign that stands for
// it, different strings would be one.
func (r *Reader) string() (Value, error) {
	v := Value{Kind: String, Line: r.line}
	var b strings.Builder
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; c {
		case '"':
			r.at++
			if v.Text = b.String(); !utf8.ValidString(v.Text) {
				return v, r.fail(v.Line, "the string %q is not UTF-8", v.Text)
			}
			return v, nil
		case '\\':
			text, length := unescape(r.text[r.at+1:])
			if length == 0 {
				return v, r.fail(r.line, `an escape was expected after \: one of t r n f b \ " or u and four digits, those of a pair together`)
			}
			b.WriteString(text)
			r.at += length
		default:
			if c == '\n' {
				r.line++
			}
			b.WriteByte(c)
		}
	}
	return v, r.fail(v.Line, "the string of this line is never closed")
}

// unescape reads what follows a backslash. The length is 0 if it is no escape.
func unescape(s string) (text string, length int) {
	if s == "" {
		return "", 0
	}
	if text, ok := escapes[s[0]]; ok {
		return text, 1
	}
	unit, ok := unicodeEscape(s)
	if !ok {
		return "", 0
	}
	if !utf16.IsSurrogate(unit) {
		return string(unit), 5
	}
	if low, ok := unicodeEscape(strings.TrimPrefix(s[5:], `\`)); ok && strings.HasPrefix(s[5:], `\`) {
		if pair := utf16.DecodeRune(unit, low); pair != utf8.RuneError {
			return string(pair), 11
		}
	}
	return "", 0 // half a pair is no text
}

// unicodeEscape reads a u and four digits.
func unicodeEscape(s string) (rune, bool) {
	if len(s) < 5 || s[0] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:5], 16, 16)
	return rune(n), err == nil
}
