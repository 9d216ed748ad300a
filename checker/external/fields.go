package external

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// line is one line of JSON lines, whichever kind it is.
type line struct {
	number int
	has    map[string]bool
	header Header
	op     Operation
	kind   string // of an event: invoke, ok, fail or info
	time   int64
}

// field reads one field into a line, and says what was expected if it cannot.
type field func(l *line, raw json.RawMessage) error

// headerFields are those of the first line, if it says what the history is of.
var headerFields = map[string]field{
	"model":   text(func(l *line) *string { return &l.header.Model }),
	"limit":   count(func(l *line) *int { return &l.header.Limit }),
	"permits": count(func(l *line) *int { return &l.header.Permits }),
	"ttl":     number(func(l *line) *int64 { return &l.header.TTL }, 1, "the length of a lease in nanoseconds"),
	"initial": value(func(l *line) *string { return &l.header.Initial }),
}

// argumentFields are those of operations and events alike.
var argumentFields = map[string]field{
	"process":   name(func(l *line) *string { return &l.op.Process }),
	"owner":     name(func(l *line) *string { return &l.op.Owner }),
	"op":        text(func(l *line) *string { return &l.op.Op }),
	"key":       name(func(l *line) *string { return &l.op.Key }),
	"value":     value(func(l *line) *string { return &l.op.Value }),
	"expected":  value(func(l *line) *string { return &l.op.Expected }),
	"result":    value(func(l *line) *string { return &l.op.Result }),
	"token":     number(func(l *line) *int64 { return &l.op.Token }, 1, "a fencing token above 0"),
	"permits":   count(func(l *line) *int { return &l.op.Permits }),
	"if_match":  text(func(l *line) *string { return &l.op.IfMatch }),
	"etag":      text(func(l *line) *string { return &l.op.ETag }),
	"if_absent": readIfAbsent,
}

// operationFields and eventFields are the fields of the two ways to write an operation.
var (
	operationFields = with(argumentFields, map[string]field{
		"outcome": readOutcome,
		"call":    number(func(l *line) *int64 { return &l.op.Call }, minTime, "a time in whole nanoseconds"),
		"return":  number(func(l *line) *int64 { return &l.op.Return }, minTime, "a time in whole nanoseconds"),
	})
	eventFields = with(argumentFields, map[string]field{
		"type": readType,
		"time": number(func(l *line) *int64 { return &l.time }, minTime, "a time in whole nanoseconds"),
	})
)

// minTime keeps the differences of times in range.
const minTime = -1 << 61

func with(a, b map[string]field) map[string]field {
	all := maps.Clone(a)
	for _, name := range slices.Sorted(maps.Keys(b)) {
		all[name] = b[name]
	}
	return all
}

// read reads the fields of a line. Each has to be known.
func (l *line) read(raw map[string]json.RawMessage, known map[string]field) error {
	l.has = map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		f, ok := known[name]
		if !ok {
			return fmt.Errorf("unknown field %q; accepted: %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if err := f(l, raw[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		l.has[name] = true
	}
	return nil
}

// need fails if a field is missing.
func (l *line) need(names ...string) error {
	for _, name := range names {
		if !l.has[name] {
			return fmt.Errorf("%s is missing", name)
		}
	}
	return nil
}

func expected(what string, raw json.RawMessage) error {
	const most = 40
	got := string(raw)
	if len(got) > most {
		got = strings.ToValidUTF8(got[:most], "") + "…"
	}
	return fmt.Errorf("%s was expected, not %s", what, got)
}

// text is a string that is not empty.
func text(to func(*line) *string) field {
	return func(l *line, raw json.RawMessage) error {
		if json.Unmarshal(raw, to(l)) != nil || *to(l) == "" {
			return expected("a string", raw)
		}
		return nil
	}
}

// name is a string or a whole number: processes and keys often are numbers.
func name(to func(*line) *string) field {
	return func(l *line, raw json.RawMessage) error {
		var n int64
		if json.Unmarshal(raw, to(l)) == nil && *to(l) != "" {
			return nil
		}
		if string(raw) == "null" || json.Unmarshal(raw, &n) != nil {
			return expected("a string or a whole number", raw)
		}
		*to(l) = fmt.Sprint(n)
		return nil
	}
}

func number(to func(*line) *int64, least int64, what string) field {
	return func(l *line, raw json.RawMessage) error {
		if string(raw) == "null" || json.Unmarshal(raw, to(l)) != nil || *to(l) < least || *to(l) > -minTime {
			return expected(what, raw)
		}
		return nil
	}
}

func count(to func(*line) *int) field {
	return func(l *line, raw json.RawMessage) error {
		if string(raw) == "null" || json.Unmarshal(raw, to(l)) != nil || *to(l) < 1 {
			return expected("a whole number above 0", raw)
		}
		return nil
	}
}

// value is any JSON. Values are equal if [Canonical] writes them alike.
func value(to func(*line) *string) field {
	return func(l *line, raw json.RawMessage) (err error) {
		*to(l), err = Canonical(raw)
		return err
	}
}

func readIfAbsent(l *line, raw json.RawMessage) error {
	if string(raw) == "null" || json.Unmarshal(raw, &l.op.IfAbsent) != nil {
		return expected("true or false", raw)
	}
	return nil
}

func readOutcome(l *line, raw json.RawMessage) error {
	var word string
	json.Unmarshal(raw, &word)
	i := slices.Index(outcomes, word)
	if i < 0 {
		return expected("one of "+strings.Join(outcomes, ", "), raw)
	}
	l.op.Outcome = Outcome(i)
	return nil
}

func readType(l *line, raw json.RawMessage) error {
	json.Unmarshal(raw, &l.kind)
	if l.kind == "invoke" {
		return nil
	}
	if slices.Index(outcomes, l.kind) < 0 {
		return expected("one of invoke, "+strings.Join(outcomes, ", "), raw)
	}
	l.op.Outcome = Outcome(slices.Index(outcomes, l.kind))
	return nil
}
