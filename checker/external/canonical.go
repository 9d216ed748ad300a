package external

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fencepost/checker/external/edn"
)

// Canonical writes JSON so that equal values are written alike: without white space, the fields
// of objects sorted, and numbers as numbers, so that 1, 1.0 and 10e-1 are one value. A field
// that stands in an object twice is an error, because one of the two would be skipped.
func Canonical(raw []byte) (string, error) {
	if err := checkText(raw); err != nil {
		return "", err
	}
	if !json.Valid(raw) {
		return "", expected("a JSON value", raw)
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	return canonical(d)
}

func canonical(d *json.Decoder) (string, error) {
	t, err := d.Token()
	if err != nil {
		return "", err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return canonicalObject(d)
		}
		return canonicalList(d)
	case json.Number:
		return edn.Number(t.String()), nil
	case string:
		return quoted(t), nil
	case nil:
		return "null", nil
	}
	return fmt.Sprint(t), nil
}

func canonicalList(d *json.Decoder) (string, error) {
	var parts []string
	for d.More() {
		part, err := canonical(d)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	_, err := d.Token()
	return "[" + strings.Join(parts, ",") + "]", err
}

func canonicalObject(d *json.Decoder) (string, error) {
	values := map[string]string{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return "", err
		}
		name := t.(string)
		if _, twice := values[name]; twice {
			return "", fmt.Errorf("%q stands there twice", name)
		}
		if values[name], err = canonical(d); err != nil {
			return "", err
		}
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, quoted(name)+":"+values[name])
	}
	_, err := d.Token()
	return "{" + strings.Join(parts, ",") + "}", err
}

// quoted writes a string as JSON that leaves signs of HTML as they are.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string has no error
	return strings.TrimSuffix(b.String(), "\n")
}
