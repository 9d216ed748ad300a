package edn

import (
	"fmt"
	"io"
	"regexp"
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
	return v, r.twice(v)
}

// twice fails on a key of a map or a part of a set that stands there twice: one of the two
// would be skipped.
func (r *Reader) twice(v Value) error {
	step := map[Kind]int{Map: 2, Set: 1}[v.Kind]
	if step == 0 {
		return nil
	}
	seen := make(map[string]bool, len(v.Items)/step)
	for i := 0; i < len(v.Items); i += step {
		text := v.Items[i].JSON()
		if seen[text] {
			return r.fail(v.Items[i].Line, "%s stands twice in %v", v.Items[i].notation(), v.Kind)
		}
		seen[text] = true
	}
	return nil
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
	case !utf8.ValidString(w):
		return v, r.fail(line, "%q is not UTF-8", w)
	case w == "nil":
		return Value{Line: line}, nil
	case w == "true" || w == "false":
		v.Kind = Bool
	case integer.MatchString(w):
		v.Kind, v.Text = Int, Number(strings.TrimSuffix(w, "N"))
	case decimal.MatchString(w):
		v.Kind, v.Text = Float, Number(strings.TrimSuffix(w, "M"))
	case strings.HasPrefix(w, ":") && len(w) > 1 && !strings.HasPrefix(w, "::"):
		v.Kind, v.Text = Keyword, w[1:]
	case name.MatchString(w):
		v.Kind = Symbol
	default:
		return v, r.fail(line, "%q is no value", w)
	}
	return v, nil
}
