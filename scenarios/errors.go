package scenarios

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// Error is a mistake in a scenario, with the place where it stands.
type Error struct {
	File         string
	Line, Column int // 0 if the mistake has no place in the file
	Message      string
}

// Error implements error: file:line:column: message.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// wrapYAML turns an error of the YAML library into one of ours.
func wrapYAML(file string, err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		own.File = file
		return own
	}
	var located yaml.Error
	if errors.As(err, &located) && located.GetToken() != nil {
		at := located.GetToken().Position
		return &Error{File: file, Line: at.Line, Column: at.Column, Message: located.GetMessage()}
	}
	return &Error{File: file, Message: err.Error()}
}

// oneOf lists what would be accepted.
func oneOf(names []string) string { return "accepted: " + strings.Join(names, ", ") }
