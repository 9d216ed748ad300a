package external

import (
	"encoding/json"
	"io"
)

// headerLine and operationLine are the lines of a history, their fields in the order in which
// people read them.
type headerLine struct {
	Model   string          `json:"model"`
	Limit   int             `json:"limit,omitempty"`
	Permits int             `json:"permits,omitempty"`
	TTL     int64           `json:"ttl,omitempty"`
	Initial json.RawMessage `json:"initial,omitempty"`
}

type operationLine struct {
	Process  string          `json:"process"`
	Owner    string          `json:"owner,omitempty"`
	Op       string          `json:"op"`
	Key      string          `json:"key,omitempty"`
	Expected json.RawMessage `json:"expected,omitempty"`
	Value    json.RawMessage `json:"value,omitempty"`
	Result   json.RawMessage `json:"result,omitempty"`
	Token    int64           `json:"token,omitempty"`
	Permits  int             `json:"permits,omitempty"`
	IfMatch  string          `json:"if_match,omitempty"`
	IfAbsent bool            `json:"if_absent,omitempty"`
	ETag     string          `json:"etag,omitempty"`
	Outcome  string          `json:"outcome"`
	Call     int64           `json:"call"`
	Return   int64           `json:"return"`
}

// Write writes a history as JSON lines that [Read] reads: the header, if there is a model,
// and one operation a line.
func Write(w io.Writer, h *History) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if m := h.Header; m.Model != "" {
		if err := e.Encode(headerLine{m.Model, m.Limit, m.Permits, m.TTL, json.RawMessage(m.Initial)}); err != nil {
			return err
		}
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		l := operationLine{op.Process, op.Owner, op.Op, op.Key, json.RawMessage(op.Expected), json.RawMessage(op.Value),
			json.RawMessage(op.Result), op.Token, op.Permits, op.IfMatch, op.IfAbsent, op.ETag, op.Outcome.String(), op.Call, op.Return}
		if op.Owner == op.Process {
			l.Owner = ""
		}
		if op.Outcome == Info {
			l.Return = op.Call // when its caller gave up is not kept, and not before the call
		}
		if err := e.Encode(l); err != nil {
			return err
		}
	}
	return nil
}
