package scenarios

import (
	"errors"
	"fmt"
)

// ValueError is a value that was given to a parameter, and that the scenario cannot be run with.
type ValueError struct {
	Name, Value string
	// Cause is what is wrong, and stands where the scenario uses the parameter: in a line that whoever
	// gave the value may never have seen.
	Cause *Error
}

// Error implements error.
func (e *ValueError) Error() string {
	text := fmt.Sprintf("%s=%s: %s", e.Name, e.Value, e.Cause.Message)
	if e.Cause.Line > 0 {
		text += fmt.Sprintf(" (%s is used at %s:%d:%d)", e.Name, e.Cause.File, e.Cause.Line, e.Cause.Column)
	}
	return text
}

// Unwrap returns the cause.
func (e *ValueError) Unwrap() error { return e.Cause }

// blame finds the value that is to blame for an error, if there is one without which all is well, and
// which alone is too much. It tries them one by one.
func blame(err error, values map[string]string, try func(values map[string]string) error) error {
	var cause *Error
	if !errors.As(err, &cause) || try(nil) != nil {
		return err
	}
	for _, name := range sortedKeys(values) {
		if errors.As(try(map[string]string{name: values[name]}), &cause) {
			return &ValueError{name, values[name], cause}
		}
	}
	return err
}
