package edn

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SyntaxError says where a text is not in the notation.
type SyntaxError struct {
	Line int
	Text string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// maxDepth bounds how deep values may lie in each other: histories are flat, and a reader
// that calls itself must not end for want of a stack.
const maxDepth = 100

// Reader reads one value after the other from a text.
type Reader struct {
	text string
	at   int
	line int
}

// NewReader returns a reader of a text.
func NewReader(text string) *Reader { return &Reader{text: text, line: 1} }

// Next returns the next value, or [io.EOF] at the end of the text, or a [*SyntaxError].
func (r *Reader) Next() (Value, error) {
	if err := r.skip(0); err != nil {
		return Value{}, err
	}
	if r.at == len(r.text) {
		return Value{}, io.EOF
	}
	return r.value(0)
}

func (r *Reader) fail(line int, format string, args ...any) error {
	return &SyntaxError{line, fmt.Sprintf(format, args...)}
}

func (r *Reader) tooDeep(depth int) error {
	if depth > maxDepth {
		return r.fail(r.line, "values lie more than %d deep in each other", maxDepth)
	}
	return nil
}

// skip passes over white space, commas, comments and discarded values.
func (r *Reader) skip(depth int) error {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '\n':
			r.line++
			r.at++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == ',':
			r.at++
		case c == ';':
			end := strings.IndexByte(r.text[r.at:], '\n')
			if end < 0 {
				end = len(r.text) - r.at
			}
			r.at += end
		case strings.HasPrefix(r.text[r.at:], "#_"):
			r.at += 2
			if _, err := r.need(depth+1, "a value after #_"); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// need reads a value that has to be there.
func (r *Reader) need(depth int, what string) (Value, error) {
	if err := r.tooDeep(depth); err != nil {
		return Value{}, err
	}
	if err := r.skip(depth); err != nil {
		return Value{}, err
	}
	if r.at == len(r.text) {
		return Value{}, r.fail(r.line, "the text ends where %s was expected", what)
	}
	return r.value(depth)
}

var closers = map[byte]byte{'(': ')', '[': ']', '{': '}'}

// value reads the value that begins here.
func (r *Reader) value(depth int) (Value, error) {
	if err := r.tooDeep(depth); err != nil {
		return Value{}, err
	}
	switch c := r.text[r.at]; {
	case c == '(':
		return r.items(List, depth)
	case c == '[':
		return r.items(Vector, depth)
	case c == '{':
		return r.items(Map, depth)
	case strings.HasPrefix(r.text[r.at:], "#{"):
		r.at++
		return r.items(Set, depth)
	case c == '"':
		return r.string()
	case c == '\\':
		return r.char()
	case c == '#':
		return r.tagged(depth)
	case c == ')' || c == ']' || c == '}':
		return Value{}, r.fail(r.line, "%q closes nothing", c)
	}
	return r.atom()
}

// items reads what stands between brackets.
func (r *Reader) items(k Kind, depth int) (Value, error) {
	v := Value{Kind: k, Line: r.line}
	open := r.text[r.at]
	closer := closers[open]
	r.at++
	for {
		if err := r.skip(depth); err != nil {
			return v, err
		}
		if r.at == len(r.text) {
			return v, r.fail(v.Line, "the %q of this line is never closed", open)
		}
		if r.text[r.at] == closer {
			break
		}
		item, err := r.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, item)
	}
	r.at++
	if k == Map && len(v.Items)%2 != 0 {
		return v, r.fail(v.Line, "a map needs a value for each key")
	}
	return v, nil
}

// tagged reads a tag and the value behind it, as in #jepsen.history.Op{…}.
func (r *Reader) tagged(depth int) (Value, error) {
	line := r.line
	r.at++
	tag := r.word()
	if tag == "" {
		return Value{}, r.fail(line, "a tag was expected after #")
	}
	v, err := r.need(depth+1, "the value of #"+tag)
	v.Tag, v.Line = tag, line
	return v, err
}

// word reads up to the next byte that ends a name or a number.
func (r *Reader) word() string {
	rest := r.text[r.at:]
	end := strings.IndexAny(rest, " \t\r\n\f,;()[]{}\"\\")
	if end < 0 {
		end = len(rest)
	}
	r.at += end
	return rest[:end]
}

var (
	integer = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*)N?$`)
	decimal = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?M?$`)
	name    = regexp.MustCompile(`^[^0-9#:][^#]*$`)
)

// atom reads a number, a name, or one of the words nil, true and false.
func (r *Reader) atom() (Value, error) {
	line := r.line
	w := r.word()
	v := Value{Line: line, Text: w}
	switch {
	case w == "nil":
		return Value{Line: line}, nil
	case w == "true" || w == "false":
		v.Kind = Bool
	case integer.MatchString(w):
		v.Kind, v.Text = Int, plain(w, "N")
	case decimal.MatchString(w):
		v.Kind, v.Text = Float, plain(w, "M")
	case strings.HasPrefix(w, ":") && len(w) > 1 && !strings.HasPrefix(w, "::"):
		v.Kind, v.Text = Keyword, w[1:]
	case name.MatchString(w) && utf8.ValidString(w):
		v.Kind = Symbol
	default:
		return v, r.fail(line, "%q is no value", w)
	}
	return v, nil
}

// plain writes a number as JSON does: without a plus and without the mark of its precision.
func plain(w, mark string) string {
	return strings.TrimPrefix(strings.TrimSuffix(w, mark), "+")
}

var chars = regexp.MustCompile(`^\\(newline|return|space|tab|formfeed|backspace|u[0-9A-Fa-f]{4}|[\s\S])`)

func (r *Reader) char() (Value, error) {
	m := chars.FindString(r.text[r.at:])
	if m == "" {
		return Value{}, r.fail(r.line, "a character was expected after \\")
	}
	v := Value{Kind: Char, Line: r.line, Text: m[1:]}
	r.line += strings.Count(m, "\n")
	r.at += len(m)
	return v, nil
}

var escapes = map[byte]string{'t': "\t", 'r': "\r", 'n': "\n", 'f': "\f", 'b': "\b", '\\': "\\", '"': "\""}

func (r *Reader) string() (Value, error) {
	v := Value{Kind: String, Line: r.line}
	var b strings.Builder
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; c {
		case '"':
			r.at++
			v.Text = strings.ToValidUTF8(b.String(), "�")
			return v, nil
		case '\\':
			text, length := unescape(r.text[r.at+1:])
			if length == 0 {
				return v, r.fail(r.line, `an escape was expected after \: one of t r n f b \ " or u and four digits`)
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
	if s[0] == 'u' && len(s) >= 5 {
		n, err := strconv.ParseUint(s[1:5], 16, 16)
		if err != nil {
			return "", 0
		}
		return string(rune(n)), 5
	}
	if text, ok := escapes[s[0]]; ok {
		return text, 1
	}
	return "", 0
}
