package scenarios

import (
	"bytes"
	"fmt"
)

// What a file may have at most. The YAML library takes time and memory with the square of each of these:
// gigabytes for some ten thousand brackets that are open, or as many keys.
const (
	mostOpen     = 500    // brackets that are open, or dashes in a row
	mostBrackets = 10_000 // in all, as one between quotes may close none
	mostLines    = 10_000
)

// tooMuch says where a file has more of something than there is a use for; nil if it does not.
func tooMuch(content []byte) *Error {
	open, brackets, dashes := 0, 0, 0
	line, column := 1, 0
	fail := func(format string, args ...any) *Error {
		return &Error{Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
	}
	for i, c := range content {
		column++
		switch c {
		case '[', '{':
			open, brackets = open+1, brackets+1
		case ']', '}':
			open = max(0, open-1)
		}
		switch c {
		case '-', '?':
			dashes++
		case ' ', '\t':
		default:
			dashes = 0
		}
		switch {
		case open > mostOpen:
			return fail("more than %d brackets are open here; is one of them closed nowhere?", mostOpen)
		case brackets > mostBrackets:
			return fail("these are more than %d brackets: a file has that many at most", mostBrackets)
		case dashes > mostOpen:
			return fail("these are more than %d lists or keys inside each other, or dashes in a row", mostOpen)
		case line > mostLines:
			return fail("these are more than %d lines: a file has that many at most", mostLines)
		}
		if c == '\n' || c == '\r' && !bytes.HasPrefix(content[i+1:], []byte{'\n'}) {
			line, column = line+1, 0
		}
	}
	return nil
}
