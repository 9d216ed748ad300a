package checker

import (
	"fmt"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// Evidence is one violation with everything that a reader needs to check it. Instants
// are nanoseconds of true time since the run began; local instants are readings of
// the client's own monotonic clock.
type Evidence struct {
	Property string         `json:"property"`
	Kind     string         `json:"kind"`
	At       int64          `json:"at_ns"`
	From     int64          `json:"from_ns"`
	To       *int64         `json:"to_ns"` // null if it lasted to the end of the run
	Holds    []HoldFacts    `json:"holds"`
	Requests []RequestFacts `json:"requests,omitempty"` // that it is about, in the order of the holds
	Values   *ValueFacts    `json:"values,omitempty"`
	Read     *ReadFacts     `json:"read,omitempty"`
	Tokens   *TokenFacts    `json:"tokens,omitempty"`
	Passed   int            `json:"passed_over,omitempty"` // how often, of who starved
	Object   int            `json:"object,omitempty"`      // of several that the lock protects, from 1
	Job      int64          `json:"job,omitempty"`         // that was done twice
	Faults   []FaultFacts   `json:"faults,omitempty"`
	Text     string         `json:"text"`
}

// HoldFacts is what is known of one hold.
type HoldFacts struct {
	Hold   int   `json:"hold"`
	Client int   `json:"client"`
	Token  int64 `json:"token,omitempty"`
	Acted  *bool `json:"acted,omitempty"` // sent a protected request in the window
	// Granted and PromisedUntil are the service's side, Believed the client's.
	Granted            *int64 `json:"granted_ns"`
	PromisedUntil      *int64 `json:"promised_until_ns"` // null: without end
	Believed           *int64 `json:"believed_from_ns"`
	BelievedLocal      *int64 `json:"believed_from_local_ns"`
	BelievedUntil      *int64 `json:"believed_until_ns"` // null: to the end of the run
	BelievedUntilLocal *int64 `json:"believed_until_local_ns"`
}

// RequestFacts is a protected request: which it was, when it was sent and what became of it.
type RequestFacts struct {
	Hold      int    `json:"hold"`
	Client    int    `json:"client"`
	Effect    string `json:"effect"`
	Object    int    `json:"object,omitempty"`
	Value     int64  `json:"value"` // that it wrote, or that a read returned
	Token     int64  `json:"token,omitempty"`
	Sent      int64  `json:"sent_ns"`
	SentLocal int64  `json:"sent_local_ns"`
	Served    *int64 `json:"served_ns"` // null if it was not
	Rejected  bool   `json:"rejected,omitempty"`
	Copied    bool   `json:"copied,omitempty"` // it had been served before
}

// ValueFacts tells which value a lost update replaced.
type ValueFacts struct {
	Replaced int64 `json:"replaced"`
	Seen     int64 `json:"seen"`
	Written  int64 `json:"written"`
}

// ReadFacts tells what a stale read returned and what it ought to have returned.
type ReadFacts struct {
	Value  int64 `json:"value"`
	Newest int64 `json:"newest"`
}

// TokenFacts tells which token came after which other.
type TokenFacts struct {
	Before int64 `json:"before"`
	Token  int64 `json:"token"`
}

// FaultFacts is a fault that touched one of the holds, the service or the resource, before the
// violation was complete and not before the holds were asked for.
type FaultFacts struct {
	Fault string `json:"fault"`
	Host  string `json:"host"`
	At    int64  `json:"at_ns"`
	Until *int64 `json:"until_ns"` // null: to the end of the run
}

// Evidence returns what the monitors found, in the order of the properties.
func (c *Checker) Evidence(r *history.Recorder) []Evidence {
	facts := c.facts(r)
	var all []Evidence
	for _, property := range Properties {
		for _, f := range c.findingsOf(property) {
			all = append(all, facts.evidence(property, f))
		}
	}
	return all
}

func (f *facts) evidence(property string, v monitor.Finding) Evidence {
	defer f.lookingBack(v)()
	e := Evidence{Property: property, Kind: v.Kind, At: int64(v.At), From: int64(v.From), Text: f.sentence(v)}
	if v.To < sim.Forever {
		e.To = instant(v.To)
	}
	for i, id := range []history.HoldID{v.First, v.Second} {
		if id == 0 {
			continue
		}
		h := f.holds[id]
		if v.Kind == "overlap" {
			acted := []bool{v.FirstActed, v.SecondActed}[i]
			h.Acted = &acted
		}
		e.Holds = append(e.Holds, h)
	}
	e.Passed, e.Job = v.Passed, v.Job
	several := Several(f.recorder)
	if property == ResourceName && several {
		e.Object = v.Object + 1
		e.Text += fmt.Sprintf(" (object %d)", e.Object)
	}
	for _, q := range f.concerned(v) {
		e.Requests = append(e.Requests, f.requestFacts(q, several))
	}
	e.numbers(v)
	e.Faults = f.faultsOf(v)
	return e
}

// numbers are the values and tokens that a finding compares.
func (e *Evidence) numbers(v monitor.Finding) {
	switch v.Kind {
	case "lost-update":
		e.Values = &ValueFacts{v.Replaced, v.Seen, v.Written}
	case "stale-read":
		e.Read = &ReadFacts{v.Seen, v.Newest}
	case "grant-order", "belief-order":
		e.Tokens = &TokenFacts{v.FirstToken, v.SecondToken}
	}
}

func (f *facts) requestFacts(q *request, several bool) RequestFacts {
	facts := RequestFacts{Hold: int(q.sent.Hold), Client: f.holds[q.sent.Hold].Client, Effect: q.sent.Effect.String(),
		Value: q.sent.Value, Token: q.sent.Token, Sent: int64(q.sent.At), SentLocal: int64(q.sent.Local), Copied: q.copied}
	if several {
		facts.Object = int(q.sent.Object) + 1
	}
	if q.served.Kind != 0 {
		facts.Served, facts.Rejected = instant(q.served.At), q.served.Kind == history.Reject
	}
	if q.served.Kind == history.Read || facts.Value == 0 {
		facts.Value = q.served.Value
	}
	return facts
}

// faultsOf lists the faults that can have to do with a finding: those that reached one of its
// clients, the service or the resource, and were in force at some time from when its holds were
// asked for until it was complete.
func (f *facts) faultsOf(v monitor.Finding) (list []FaultFacts) {
	from := v.From
	for _, id := range []history.HoldID{v.First, v.Second} {
		if id != 0 {
			from = min(from, f.attempted[id])
		}
	}
	for i := range f.faults {
		rec := &f.faults[i]
		if !meets(rec, from, v.At) || rec.Parties == 0 && !f.concerns(rec.Struck, v) {
			continue
		}
		facts := FaultFacts{Fault: rec.Text, Host: rec.Host, At: int64(rec.At)}
		if rec.Until < sim.Forever {
			facts.Until = instant(rec.Until)
		}
		list = append(list, facts)
	}
	return list
}

// concerns reports whether one of the finding's holders is among some clients.
func (f *facts) concerns(struck history.Clients, v monitor.Finding) bool {
	for _, id := range []history.HoldID{v.First, v.Second} {
		if id != 0 && struck.Has(f.clientOf(id)) {
			return true
		}
	}
	return false
}
