package reports

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"fencepost/checker/external"
	"fencepost/checker/linear/recorded"
	"fencepost/checker/linear/spec"
)

// RecordedSchema names the format of a judged history in JSON.
const RecordedSchema = "fencepost-check/1"

// Recorded is what is said about a history that another program recorded.
type Recorded struct {
	Schema   string        `json:"schema"`
	Version  string        `json:"fencepost"`
	File     string        `json:"file"`
	Format   string        `json:"format"`
	Times    string        `json:"times"`
	Model    string        `json:"model"`
	Failures string        `json:"failures"`
	Verdict  string        `json:"verdict"`
	Keys     []RecordedKey `json:"keys"`
	Tokens   int           `json:"tokens_not_judged,omitempty"`
	Judges   string        `json:"tokens_judged_by,omitempty"`
	Others   int           `json:"events_of_no_client,omitempty"`
	Guessed  []string      `json:"processes_of_unknown_client,omitempty"`
}

// RecordedKey is what is said about one lock or value.
type RecordedKey struct {
	Key        string            `json:"key"`
	Verdict    string            `json:"verdict"`
	Bound      string            `json:"bound,omitempty"`
	Operations int               `json:"operations"`
	Judged     int               `json:"judged"`
	LeftOut    map[string]int    `json:"left_out,omitempty"`
	Evidence   *RecordedEvidence `json:"evidence,omitempty"`
}

// RecordedEvidence is why a history has no order.
type RecordedEvidence struct {
	UntilLine int            `json:"until_line"`
	Shortest  bool           `json:"shortest"`
	Of        int            `json:"of"`
	Order     []RecordedStep `json:"order"`
	State     string         `json:"state"`
	NoPlace   []RecordedStep `json:"no_place"`
}

// RecordedStep is one operation of an order.
type RecordedStep struct {
	Line    int    `json:"line"`
	Text    string `json:"operation"`
	Process string `json:"process"`
	Owner   string `json:"owner"`
	Call    int64  `json:"call"`
	Return  *int64 `json:"return"` // null if it had not returned
}

// NewRecorded makes the document about a history.
func NewRecorded(h *external.History, r *recorded.Result) *Recorded {
	d := &Recorded{Schema: RecordedSchema, Version: Version, File: h.File, Format: string(h.Format), Times: "ns",
		Model: r.Model, Failures: string(r.Failures), Verdict: r.Verdict.String(), Keys: []RecordedKey{},
		Tokens: r.Tokens, Others: h.Others, Guessed: h.Guessed}
	if r.Tokens > 0 {
		d.Judges = r.JudgesTokens
	}
	if h.Clock == external.Positions {
		d.Times = "positions"
	}
	for _, k := range r.Keys {
		key := RecordedKey{Key: k.Name, Verdict: k.Verdict.String(), Operations: k.Operations, Judged: k.Judged, LeftOut: k.LeftOut}
		if k.Verdict == spec.Undecided {
			key.Bound = "linear.steps"
		}
		if e := k.Evidence; e != nil {
			key.Evidence = &RecordedEvidence{e.Until, e.Shortest, e.Of, steps(e.Order), e.State, steps(e.NoPlace)}
		}
		d.Keys = append(d.Keys, key)
	}
	return d
}

func steps(all []recorded.Step) []RecordedStep {
	list := make([]RecordedStep, len(all))
	for i, s := range all {
		list[i] = RecordedStep{s.Line, s.Text, s.Process, s.Owner, s.Call, nil}
		if s.Return != external.Never {
			list[i].Return = &all[i].Return
		}
	}
	return list
}

// WriteRecordedJSON writes the document as JSON.
func WriteRecordedJSON(w io.Writer, d *Recorded) error {
	return encode(w, d)
}

// WriteRecordedText writes the document for people.
func WriteRecordedText(w io.Writer, d *Recorded) error {
	t := &recordedText{w: w, times: d.Times}
	t.line("fencepost %s  history %s  model %s  failures %s", d.Version, d.File, d.Model, failuresWord(d.Failures))
	if len(d.Keys) == 0 {
		t.line("The history has no operations: nothing contradicts the model, and nothing is shown.")
	}
	for i := range d.Keys {
		t.key(&d.Keys[i])
	}
	if d.Judges != "" {
		t.line("The tokens of %d operations are not judged: --model %s judges them.", d.Tokens, d.Judges)
	} else if d.Tokens > 0 {
		t.line("The tokens of %d operations are not judged: the model has none.", d.Tokens)
	}
	if d.Others > 0 {
		t.line("left out: events of no client %d", d.Others)
	}
	if len(d.Guessed) > 0 {
		t.line("The history does not tell which client %s. Each is taken for a client of its own; --threads N says how many there are.", areProcesses(d.Guessed))
	}
	t.line("%s", d.Verdict)
	return t.err
}

func failuresWord(f string) string {
	if f == string(recorded.Answers) {
		return "are answers"
	}
	return "say nothing"
}

func areProcesses(names []string) string {
	if len(names) == 1 {
		return "process " + names[0] + " is"
	}
	return "the processes " + strings.Join(names, ", ") + " are"
}

type recordedText struct {
	w     io.Writer
	times string
	err   error
}

func (t *recordedText) line(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintln(t.w, strings.ReplaceAll(Printable(fmt.Sprintf(format, args...)), "\n", `\n`))
	}
}

func (t *recordedText) key(k *RecordedKey) {
	name := "history"
	if k.Key != "" {
		name = k.Key
	}
	verdict := k.Verdict
	if k.Bound != "" {
		verdict += ": the bound " + k.Bound + " was reached"
	}
	t.line("%s: %s  operations %d  judged %d", name, verdict, k.Operations, k.Judged)
	if k.Evidence != nil {
		t.evidence(k.Evidence)
	}
	for _, why := range slices.Sorted(maps.Keys(k.LeftOut)) {
		t.line("  left out %d: %s", k.LeftOut[why], why)
	}
}

// mostSteps is how many operations of an order are shown: the last ones decide.
const mostSteps = 8

func (t *recordedText) evidence(e *RecordedEvidence) {
	switch {
	case e.UntilLine == 0:
		t.line("  The operations have no order.")
	case e.Shortest:
		t.line("  Up to the return on line %d the operations have no order; up to the return before it they have one.", e.UntilLine)
	default:
		t.line("  Up to the return on line %d the operations have no order.", e.UntilLine)
	}
	t.line("  A longest order takes %d of these %d:", len(e.Order), e.Of)
	shown := e.Order
	if n := len(shown) - mostSteps; n > 0 {
		t.line("    ... %d before", n)
		shown = shown[n:]
	}
	t.steps(shown)
	t.line("  Then %s. It has no place for", e.State)
	shown = e.NoPlace[:min(len(e.NoPlace), mostSteps)]
	t.steps(shown)
	if n := len(e.NoPlace) - len(shown); n > 0 {
		t.line("    ... %d more", n)
	}
}

func (t *recordedText) steps(all []RecordedStep) {
	for i := range all {
		s := &all[i]
		returned := "not returned"
		if s.Return != nil {
			returned = "returned " + t.time(*s.Return)
		}
		t.line("    line %d: %s (process %s, called %s, %s)", s.Line, s.Text, s.Process, t.time(s.Call), returned)
	}
}

// time writes an instant, or a place in the history.
func (t *recordedText) time(n int64) string {
	if t.times == "positions" {
		return fmt.Sprintf("at event %d", n)
	}
	return fmt.Sprintf("at %d ns", n)
}
