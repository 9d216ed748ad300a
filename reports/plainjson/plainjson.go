// Package plainjson says what is wrong with JSON in the words of JSON.
package plainjson

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Error is an error of encoding/json without the names that Go has for things; nil of nil.
func Error(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return fmt.Errorf("%s cannot be this: %s", cmp.Or(wrong.Field, "it"), wrong.Value)
	case strings.HasPrefix(err.Error(), "json: "):
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return err
}
