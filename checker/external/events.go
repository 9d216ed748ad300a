package external

import (
	"encoding/json"
	"errors"
	"fmt"
)

// events pairs the events of a history: each process has at most one operation open.
type events struct {
	history *History
	open    map[string]int   // by process: its operation's place, plus one
	over    map[string]int64 // by process: when its last operation ended
}

func newEvents(h *History) *events {
	return &events{h, map[string]int{}, map[string]int64{}}
}

// read reads the event of a line.
func (e *events) read(l *line, fields map[string]json.RawMessage) error {
	if err := l.read(fields, eventFields); err != nil {
		return err
	}
	if err := l.need("process", "time"); err != nil {
		return err
	}
	if l.kind != "invoke" {
		return e.returned(l.op, l.number, l.time)
	}
	if err := l.need("op"); err != nil {
		return err
	}
	return e.invoke(l.op, l.number, l.time)
}

// invoke opens an operation.
func (e *events) invoke(op Operation, line int, time int64) error {
	if at := e.open[op.Process]; at != 0 {
		return fmt.Errorf("process %s calls before its operation of line %d has returned", op.Process, e.history.Operations[at-1].Line)
	}
	if over, before := e.over[op.Process]; before && time < over {
		return fmt.Errorf("the time was expected not to be before %d, when process %s returned", over, op.Process)
	}
	op.Line, op.Outcome, op.Call, op.Return = line, Info, time, Never
	e.history.Operations = append(e.history.Operations, op)
	e.open[op.Process] = len(e.history.Operations)
	return nil
}

// returned closes the operation of its process with what the answer says.
func (e *events) returned(answer Operation, line int, time int64) error {
	at := e.open[answer.Process]
	if at == 0 {
		return fmt.Errorf("process %s returns, but has called nothing", answer.Process)
	}
	op := &e.history.Operations[at-1]
	if time < op.Call {
		return fmt.Errorf("the return was expected not to be before the call of line %d", op.Line)
	}
	if err := op.merge(answer); err != nil {
		return err
	}
	op.End, op.Outcome = line, answer.Outcome
	if op.Outcome != Info {
		op.Return = time
	}
	delete(e.open, answer.Process)
	e.over[answer.Process] = time
	return nil
}

// merge adds what only the answer says, and fails if the two contradict each other.
func (op *Operation) merge(answer Operation) error {
	for _, f := range []struct {
		name     string
		to, from *string
	}{
		{"op", &op.Op, &answer.Op}, {"key", &op.Key, &answer.Key}, {"owner", &op.Owner, &answer.Owner},
		{"value", &op.Value, &answer.Value}, {"expected", &op.Expected, &answer.Expected},
		{"result", &op.Result, &answer.Result}, {"if_match", &op.IfMatch, &answer.IfMatch}, {"etag", &op.ETag, &answer.ETag},
	} {
		if *f.to == "" || *f.to == "null" && op.asks() {
			if *f.from != "" {
				*f.to = *f.from
			}
		} else if *f.from != "" && *f.from != *f.to {
			return fmt.Errorf("%s was expected to be %s, as in the call of line %d, not %s", f.name, *f.to, op.Line, *f.from)
		}
	}
	if op.Token != 0 && answer.Token != 0 && op.Token != answer.Token ||
		op.Permits != 0 && answer.Permits != 0 && op.Permits != answer.Permits {
		return errors.New("token and permits were expected to be those of the call")
	}
	op.Token, op.Permits = max(op.Token, answer.Token), max(op.Permits, answer.Permits)
	op.IfAbsent = op.IfAbsent || answer.IfAbsent
	return nil
}

// asks reports whether an operation is a question: its call has nothing to say about what it will
// see, and often says null.
func (op *Operation) asks() bool { return op.Op == "read" || op.Op == "get" }

// end ends the history. Operations that are still open have an unknown outcome.
func (e *events) end() {
	for i := range e.history.Operations {
		if op := &e.history.Operations[i]; op.Owner == "" {
			op.Owner = op.Process
		}
	}
}
