package external

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// readLines reads JSON lines: first a header, if there is one, then operations, or events,
// one a line.
func (h *History) readLines(text string) error {
	h.Clock = Nanoseconds
	var events *events
	number := 0
	for raw := range strings.Lines(text) {
		number++
		if start := strings.TrimSpace(raw); start == "" || start[0] == '#' {
			continue // a comment
		}
		fields, err := object(raw)
		if err != nil {
			return h.Errorf(number, "%w", err)
		}
		l := line{number: number}
		_, isHeader := fields["model"]
		_, isEvent := fields["type"]
		switch {
		case isHeader:
			err = h.readHeader(&l, fields, events != nil || len(h.Operations) > 0)
		case isEvent && len(h.Operations) > 0 && events == nil:
			err = errors.New("an operation was expected, not an event: the lines before are operations")
		case !isEvent && events != nil:
			err = errors.New("an event was expected, with a type: the lines before are events")
		case isEvent:
			if events == nil {
				events = newEvents(h)
			}
			err = events.read(&l, fields)
		default:
			err = h.readOperation(&l, fields)
		}
		if err != nil {
			return h.Errorf(number, "%w", err)
		}
	}
	if events != nil {
		events.end()
		return nil
	}
	return h.inTurn()
}

// object reads the fields of one JSON object. A field that stands there twice is an error,
// because one of the two would be skipped.
func object(raw string) (map[string]json.RawMessage, error) {
	if err := checkText(raw); err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, expected("a JSON object", json.RawMessage(strings.TrimSpace(raw)))
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, notJSON(err)
		}
		name := t.(string)
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("%s stands there twice", name)
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, notJSON(err)
		}
		fields[name] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("one JSON object a line was expected; there is more behind it")
	}
	return fields, nil
}

func notJSON(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		return errors.New("a whole JSON object was expected; it ends too early")
	}
	return errors.New("a JSON object was expected: " + err.Error())
}

func (h *History) readHeader(l *line, fields map[string]json.RawMessage, late bool) error {
	if late || h.Header.Model != "" {
		return errors.New("the line with the model stands first, and once")
	}
	if err := l.read(fields, headerFields); err != nil {
		return err
	}
	h.Header = l.header
	h.Header.Line = l.number
	return nil
}

// readOperation reads a line that holds an operation with its answer.
func (h *History) readOperation(l *line, fields map[string]json.RawMessage) error {
	if err := l.read(fields, operationFields); err != nil {
		return err
	}
	if err := l.need("process", "op", "outcome", "call"); err != nil {
		return err
	}
	op := l.op
	switch {
	case l.has["return"] && op.Return < op.Call:
		return errors.New("the return was expected not to be before the call")
	case !l.has["return"] && op.Outcome != Info:
		return errors.New("return is missing; an operation without one has the outcome info")
	case !l.has["return"]:
		op.Return = Never
	}
	op.Line, op.End = l.number, l.number
	if op.Owner == "" {
		op.Owner = op.Process
	}
	h.Operations = append(h.Operations, op)
	return nil
}

// inTurn fails if a process calls before its operation before is over. An operation of
// unknown outcome is over for its process when that gave up; then its Return becomes Never.
func (h *History) inTurn() error {
	byProcess := map[string][]*Operation{}
	var names []string
	for i := range h.Operations {
		op := &h.Operations[i]
		if byProcess[op.Process] == nil {
			names = append(names, op.Process)
		}
		byProcess[op.Process] = append(byProcess[op.Process], op)
	}
	for _, name := range names {
		ops := byProcess[name]
		slices.SortStableFunc(ops, func(a, b *Operation) int { return cmp.Compare(a.Call, b.Call) })
		for i := 1; i < len(ops); i++ {
			if before := ops[i-1]; before.Return > ops[i].Call {
				return h.stillOpen(ops[i].Line, name, before.Line, before.Return == Never)
			}
		}
	}
	for i := range h.Operations {
		if h.Operations[i].Outcome == Info {
			h.Operations[i].Return = Never
		}
	}
	return nil
}

func (h *History) stillOpen(line int, process string, before int, forGood bool) error {
	if forGood {
		return h.Errorf(line, "process %s calls, but its operation of line %d has no return; if it gave up, say when", process, before)
	}
	return h.Errorf(line, "process %s calls before its operation of line %d has returned", process, before)
}
