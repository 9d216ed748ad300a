package checker

import (
	"fmt"
	"time"

	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// Evidence is one violation with everything that a reader needs to check it. Instants
// are nanoseconds of true time since the run began; local instants are readings of
// the client's own monotonic clock.
type Evidence struct {
	Property string       `json:"property"`
	Kind     string       `json:"kind"`
	At       int64        `json:"at_ns"`
	From     int64        `json:"from_ns"`
	To       *int64       `json:"to_ns"` // null if it lasted to the end of the run
	Holds    []HoldFacts  `json:"holds"`
	Values   *ValueFacts  `json:"values,omitempty"`
	Read     *ReadFacts   `json:"read,omitempty"`
	Tokens   *TokenFacts  `json:"tokens,omitempty"`
	Passed   int          `json:"passed_over,omitempty"` // how often, of who starved
	Object   int          `json:"object,omitempty"`      // of several that the lock protects, from 1
	Job      int64        `json:"job,omitempty"`         // that was done twice
	Faults   []FaultFacts `json:"faults,omitempty"`
	Text     string       `json:"text"`
}

// HoldFacts is what is known of one hold.
type HoldFacts struct {
	Hold   int   `json:"hold"`
	Client int   `json:"client"`
	Token  int64 `json:"token,omitempty"`
	Acted  *bool `json:"acted,omitempty"` // sent a protected request in the window
	// Granted and PromisedUntil are the service's side, Believed the client's.
	Granted       *int64 `json:"granted_ns"`
	PromisedUntil *int64 `json:"promised_until_ns"` // null: without end
	Believed      *int64 `json:"believed_from_ns"`
	BelievedLocal *int64 `json:"believed_from_local_ns"`
	BelievedUntil *int64 `json:"believed_until_ns"` // null: to the end of the run
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

// FaultFacts is a fault that hit one of the holds, or the service, before the
// violation.
type FaultFacts struct {
	Fault string `json:"fault"`
	At    int64  `json:"at_ns"`
}

// Evidence returns what the monitors found, in the order of the properties.
func (c *Checker) Evidence(r *history.Recorder) []Evidence {
	facts := gather(r)
	var all []Evidence
	for _, property := range Properties {
		for _, f := range c.findingsOf(property) {
			all = append(all, facts.evidence(property, f))
		}
	}
	return all
}

// facts are the records of a run, sorted by hold.
type facts struct {
	recorder *history.Recorder
	holds    []HoldFacts // by hold
	faults   []history.Record
	// attempted is when each hold was asked for.
	attempted []sim.Time
	// grants counts how often each hold was let in.
	grants map[history.HoldID]int
}

func gather(r *history.Recorder) *facts {
	f := &facts{recorder: r, holds: make([]HoldFacts, len(r.Holds)+1), attempted: make([]sim.Time, len(r.Holds)+1), grants: map[history.HoldID]int{}}
	for _, h := range r.Holds {
		f.holds[h.ID] = HoldFacts{Hold: int(h.ID), Client: h.Client + 1}
	}
	for i := range r.Records {
		rec := &r.Records[i]
		h := &f.holds[rec.Hold]
		switch rec.Kind {
		case history.Attempt:
			f.attempted[rec.Hold] = rec.At
		case history.Fault:
			f.faults = append(f.faults, *rec)
		case history.Grant:
			f.grants[rec.Hold]++
			h.Granted, h.Token = instant(rec.At), max(h.Token, rec.Token)
			h.promise(rec.Until)
		case history.Promise:
			h.promise(rec.Until)
		case history.BeliefBegin:
			local := int64(rec.Local)
			h.Believed, h.BelievedLocal, h.BelievedUntil, h.Token = instant(rec.At), &local, nil, rec.Token
		case history.BeliefEnd:
			h.BelievedUntil = instant(rec.At)
		case history.Crash:
			f.crash(rec)
		}
	}
	return f
}

// crash ends what an executor believed.
func (f *facts) crash(r *history.Record) {
	for _, known := range f.recorder.Holds {
		h := &f.holds[known.ID]
		if known.Executor == r.Executor && h.Believed != nil && h.BelievedUntil == nil {
			h.BelievedUntil = instant(r.At)
		}
	}
}

func (h *HoldFacts) promise(until sim.Time) {
	h.PromisedUntil = nil
	if until < sim.Forever {
		h.PromisedUntil = instant(until)
	}
}

func instant(t sim.Time) *int64 {
	n := int64(t)
	return &n
}

// asOf is what the service had promised a hold at an instant, for one that was let in again
// later, as a library does that has lost its place and asks anew.
func (f *facts) asOf(id history.HoldID, at sim.Time) HoldFacts {
	h := f.holds[id]
	if f.grants[id] < 2 {
		return h
	}
	h.Granted, h.PromisedUntil = nil, nil
	for i := range f.recorder.Records {
		switch rec := &f.recorder.Records[i]; {
		case rec.Hold != id || rec.At > at:
		case rec.Kind == history.Grant:
			h.Granted, h.Token = instant(rec.At), rec.Token
			h.promise(rec.Until)
		case rec.Kind == history.Promise:
			h.promise(rec.Until)
		}
	}
	return h
}

func (f *facts) evidence(property string, v monitor.Finding) Evidence {
	for _, id := range []history.HoldID{v.First, v.Second} {
		if id != 0 {
			defer func(as HoldFacts) { f.holds[id] = as }(f.holds[id])
			f.holds[id] = f.asOf(id, v.At)
		}
	}
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
	if property == ResourceName && Several(f.recorder) {
		e.Object = v.Object + 1
		e.Text += fmt.Sprintf(" (object %d)", e.Object)
	}
	switch v.Kind {
	case "lost-update":
		e.Values = &ValueFacts{v.Replaced, v.Seen, v.Written}
	case "stale-read":
		e.Read = &ReadFacts{v.Seen, v.Newest}
	case "grant-order", "belief-order":
		e.Tokens = &TokenFacts{v.FirstToken, v.SecondToken}
	}
	for _, rec := range f.faults {
		if rec.At <= v.At && (rec.Executor == 0 || f.concerns(rec.Executor, v)) {
			e.Faults = append(e.Faults, FaultFacts{rec.Text, int64(rec.At)})
		}
	}
	return e
}

// concerns reports whether an executor is one of the finding's holders.
func (f *facts) concerns(e history.Executor, v monitor.Finding) bool {
	for _, id := range []history.HoldID{v.First, v.Second} {
		if id != 0 && f.recorder.Hold(id).Executor == e {
			return true
		}
	}
	return false
}

// sentence says what a finding is, with instants.
func (f *facts) sentence(v monitor.Finding) string {
	first, second := f.who(v.First), f.who(v.Second)
	switch v.Kind {
	case "promise-broken":
		if v.To == sim.Forever {
			return fmt.Sprintf("%s was let in at %s, when the promise to %s, which has no end, still ran", second, Seconds(v.At), first)
		}
		return fmt.Sprintf("%s was let in at %s, %s before the promise to %s was over", second, Seconds(v.At), Length(v.To.Sub(v.At)), first)
	case "overlap":
		lasted := "to the end of the run"
		if v.To < sim.Forever {
			lasted = "for " + Length(v.To.Sub(v.From))
		}
		return fmt.Sprintf("%s and %s both believed to hold the lock from %s %s; %s", first, second, Seconds(v.From), lasted, acted(first, second, v))
	case "lost-update":
		wrote, over := "wrote", "over"
		if v.Change == history.Appends {
			wrote, over = "appended", "after"
		}
		return fmt.Sprintf("at %s %s %s v%d %s v%d of %s, having read v%d", Seconds(v.At), second, wrote, v.Written, over, v.Replaced, first, v.Seen)
	case "doubled-effect":
		return f.doubled(v)
	case "dangling":
		did, had := "deleted", "had referred to"
		if v.Change == history.Refers {
			did, had = "referred to", "had deleted"
		}
		return fmt.Sprintf("at %s %s %s what %s %s", Seconds(v.At), second, did, first, had)
	case "stale-order":
		return fmt.Sprintf("at %s the resource served %s after it had served the later %s", Seconds(v.At), first, second)
	case "stale-read":
		return fmt.Sprintf("at %s the resource served %s v%d, when the newest was v%d of %s", Seconds(v.At), second, v.Seen, v.Newest, first)
	case "grant-order", "belief-order":
		return f.lowToken(v)
	case "starved":
		return fmt.Sprintf("%s was trying from %s and was passed over %d times by %s", first, Seconds(v.From), v.Passed, Seconds(v.To))
	case "stuck":
		return fmt.Sprintf("%s was trying and nobody held the lock from %s to %s", first, Seconds(v.From), Seconds(v.To))
	case "lost-early":
		why := f.endedFor(v)
		if v.To == sim.Forever {
			return fmt.Sprintf("the service ended the lock of %s at %s%s, which it had promised without end", first, Seconds(v.From), why)
		}
		return fmt.Sprintf("the service ended the lock of %s at %s%s, %s before its promise was over", first, Seconds(v.From), why, Length(v.To.Sub(v.From)))
	case "ended-late":
		return fmt.Sprintf("the service kept the lock of %s until %s, %s after its owner had ended", first, Seconds(v.To), Length(v.To.Sub(v.From)))
	}
	return v.Kind
}

// doubled says what happened twice.
func (f *facts) doubled(v monitor.Finding) string {
	first, second := f.who(v.First), f.who(v.Second)
	switch {
	case v.Job != 0 && v.First == v.Second:
		return fmt.Sprintf("at %s job %d was done a second time for %s", Seconds(v.At), v.Job, second)
	case v.Job != 0:
		return fmt.Sprintf("at %s %s did job %d, which %s had done", Seconds(v.At), second, v.Job, first)
	case v.Written != 0:
		return fmt.Sprintf("at %s v%d of %s was appended a second time", Seconds(v.At), v.Written, second)
	}
	return fmt.Sprintf("%s began its job at %s, when that of %s went on for another %s", second, Seconds(v.At), first, f.goesOn(v))
}

// endedFor is the service's reason for ending a hold early, in brackets, if it gave one.
func (f *facts) endedFor(v monitor.Finding) string {
	for i := range f.recorder.Records {
		if rec := &f.recorder.Records[i]; rec.Kind == history.ServiceEnd && rec.Hold == v.First && rec.At == v.From && rec.Text != "" {
			return " (" + rec.Text + ")"
		}
	}
	return ""
}

func acted(first, second string, v monitor.Finding) string {
	switch {
	case v.FirstActed && v.SecondActed:
		return "both acted on it"
	case v.FirstActed:
		return "only " + first + " acted on it"
	case v.SecondActed:
		return "only " + second + " acted on it"
	}
	return "neither acted on it"
}

// who names a hold by its client, and by its token if it has one.
func (f *facts) who(id history.HoldID) string {
	if id == 0 {
		return "nobody"
	}
	name := f.name(id)
	if token := f.holds[id].Token; token != 0 {
		name += fmt.Sprintf(" (token %d)", token)
	}
	return name
}

// name is that of a hold's client, with the hold if the client has several.
func (f *facts) name(id history.HoldID) string {
	client := f.holds[id].Client
	if f.cycles(client) > 1 {
		return fmt.Sprintf("client %d (hold %d)", client, id)
	}
	return fmt.Sprintf("client %d", client)
}

// cycles counts the holds of a client.
func (f *facts) cycles(client int) (n int) {
	for _, h := range f.holds {
		if h.Client == client {
			n++
		}
	}
	return n
}

// Seconds writes an instant for people: seconds, to the millisecond.
func Seconds(t sim.Time) string { return fmt.Sprintf("%.3f s", time.Duration(t).Seconds()) }

// Length writes a duration for people, to three digits or so.
func Length(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.3f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.3f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.3f µs", float64(d)/1e3)
}
