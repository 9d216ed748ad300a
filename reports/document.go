// Package reports turns results into what people and programs read: text, JSON, CSV
// and Markdown, and the pictures in reports/plots and reports/timeline.
package reports

import (
	"fmt"
	"strconv"

	"fencepost/checker"
	"fencepost/models/resource"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// Schema names the form of the JSON document.
const Schema = "fencepost/result/v1"

// Version is the version of fencepost, as banners and results state it.
const Version = "0.1.0"

// Document is everything that one command found out.
type Document struct {
	Schema   string            `json:"schema"`
	Version  string            `json:"fencepost"`
	Scenario string            `json:"scenario"`
	Title    string            `json:"title"`
	Source   string            `json:"source"`
	Params   map[string]string `json:"params"`
	Seeds    string            `json:"seeds"`
	// Interrupted says that not all runs were finished: a program that reads the rest has to know.
	Interrupted bool  `json:"interrupted,omitempty"`
	Runs        []Run `json:"runs"`

	// Rates are those of the case's chart, if it has one, of one property.
	Rates         *SweepTable `json:"-"`
	RatesProperty string      `json:"-"`

	parts []*Document // of a merged document, one a scenario
}

// Run is one run, or the reason why there was none.
type Run struct {
	Scenario      string             `json:"scenario"`
	Lock          string             `json:"lock"`
	Guard         string             `json:"guard"`
	Seed          uint64             `json:"seed"`
	Digest        string             `json:"digest"`
	Grants        checker.Status     `json:"grants"`
	Exclusion     checker.Status     `json:"exclusion"`
	Resource      checker.Status     `json:"resource"`
	Progress      checker.Status     `json:"progress"`
	Tokens        checker.Status     `json:"tokens"`
	Linearizable  Linearizable       `json:"linearizable"`
	Kinds         map[string]string  `json:"kinds,omitempty"`
	NotApplicable string             `json:"not_applicable,omitempty"`
	Bound         string             `json:"bound,omitempty"`
	Expected      map[string]string  `json:"expected"`
	AsExpected    bool               `json:"as_expected"`
	Differs       string             `json:"differs,omitempty"`
	OverlapNanos  int64              `json:"overlap_ns"`
	Evidence      []checker.Evidence `json:"evidence"`
	Story         []string           `json:"story"`
	CauseKind     checker.CauseKind  `json:"cause_kind,omitempty"`
	Cause         string             `json:"cause"`
	Faults        []Fault            `json:"faults"`
	Strikes       []Strike           `json:"strikes,omitempty"`
	BeyondRho     []string           `json:"beyond_rho,omitempty"`
	Events        uint64             `json:"events"`
	EndNanos      int64              `json:"end_ns"`
	Replay        string             `json:"replay"`
}

// Linearizable holds porcupine's two answers.
type Linearizable struct {
	Lock     checker.Status `json:"lock"`
	Resource checker.Status `json:"resource"`
}

// NewDocument opens a document about an instance of a scenario.
func NewDocument(in *scenarios.Instance, seeds sweeps.Seeds) *Document {
	s := in.Scenario
	return &Document{Schema: Schema, Version: Version, Scenario: s.Name, Title: s.Title, Source: s.Source,
		Params: in.Values, Seeds: seeds.String(), Runs: []Run{}}
}

// Of returns the status of a property by name.
func (r *Run) Of(property string) checker.Status {
	v := checker.Verdict{Grants: r.Grants, Exclusion: r.Exclusion, Resource: r.Resource, Progress: r.Progress,
		LinearLock: r.Linearizable.Lock, LinearResource: r.Linearizable.Resource, Tokens: r.Tokens}
	return v.Of(property)
}

// Unknown reports whether a bound left any answer open.
func (r *Run) Unknown() bool {
	for _, p := range checker.Properties {
		if r.Of(p) == checker.Unknown {
			return true
		}
	}
	return false
}

// NewRun reports a run from the trial that has just run it.
func NewRun(t *scenarios.Trial, r scenarios.Result) Run {
	p := t.Plan
	run := newRun(p, r.Seed)
	v := &r.Verdict
	run.Digest = fmt.Sprintf("%016x", r.Digest)
	run.Grants, run.Exclusion, run.Resource, run.Progress, run.Tokens = v.Grants, v.Exclusion, v.Resource, v.Progress, v.Tokens
	run.OverlapNanos = int64(t.Checker.Exclusion.Overlap)
	run.Linearizable = Linearizable{v.LinearLock, v.LinearResource}
	run.Kinds, run.Bound = t.Checker.Kinds(), v.Bound
	run.AsExpected, run.Differs = r.AsExpected(), r.Differs
	run.Evidence = append(run.Evidence, t.Checker.Evidence(t.Recorder)...)
	protected := p.Instance.Resource()
	cause := t.Checker.Cause(t.Recorder, checker.Setting{
		Guard: p.Guard.Name, HasToken: p.Describe.Token != "", Asks: p.Guard.Asks,
		KeepsNoOrder: p.Guard.KeepsNoOrder(), Applies: protected.TakesTime(), ChecksEarly: protected.CheckAtRequest,
		Beside: protected.Kind == resource.Effect && !protected.GuardsEffect, Returns: p.Guard.Protocol.Versions && protected.ContentETag && protected.States > 0,
		Forgets: protected.ForgetsToken, ServiceClock: p.Describe.ServiceClock, Durable: p.Describe.Durable.With(p.Params),
		Renews: t.Renews(), Takeover: p.Describe.Takeover(p.Params), Bound: v.Bound})
	run.Story = tell(t.Recorder, run.Evidence, cause.Text)
	run.CauseKind, run.Cause = cause.Kind, rounded(cause.Text) // told by its exact words before
	for _, e := range t.Ledger() {
		run.Faults = append(run.Faults, newFault(e))
	}
	run.Strikes = strikesOf(t.Recorder)
	run.BeyondRho = t.BeyondRho()
	run.Events, run.EndNanos = r.Events, int64(r.End)
	run.Replay = scenarios.ReplayCommand(p, r.Seed)
	return run
}

// NotRun reports a combination that makes no sense, with the reason.
func NotRun(p *scenarios.Plan, seed uint64) Run {
	run := newRun(p, seed)
	run.NotApplicable, run.AsExpected = p.NotApplicable, true
	run.Grants, run.Exclusion, run.Resource, run.Progress = checker.NotApplicable, checker.NotApplicable, checker.NotApplicable, checker.NotApplicable
	run.Linearizable, run.Tokens = Linearizable{checker.NotApplicable, checker.NotApplicable}, checker.NotApplicable
	run.Cause = "not run: " + p.NotApplicable
	return run
}

func newRun(p *scenarios.Plan, seed uint64) Run {
	run := Run{Scenario: p.Instance.Scenario.Name, Lock: p.Describe.Name, Guard: p.Guard.Name, Seed: seed,
		Expected: map[string]string{}, Evidence: []checker.Evidence{}, Story: []string{}, Faults: []Fault{}}
	for property, status := range p.Expect.Status {
		run.Expected[property] = string(status)
	}
	if p.Expect.Kind != "" {
		run.Expected["kind"] = p.Expect.Kind
	}
	for property, asked := range p.Expect.Evidence {
		run.Expected["evidence."+property] = asked.String()
	}
	if p.Expect.Rejected != nil {
		run.Expected["evidence.rejected"] = strconv.Itoa(*p.Expect.Rejected)
	}
	return run
}

// Merge joins documents of several scenarios into one. For people it is still written one
// scenario after the other.
func Merge(documents []*Document) *Document {
	if len(documents) == 1 {
		return documents[0]
	}
	merged := &Document{Schema: Schema, Version: Version, Params: map[string]string{}, Runs: []Run{}, parts: documents}
	for i, d := range documents {
		if i > 0 {
			merged.Scenario += ","
		}
		merged.Scenario += d.Scenario
		merged.Seeds = d.Seeds
		merged.Runs = append(merged.Runs, d.Runs...)
	}
	return merged
}

// Interrupt marks a document that has not all of its runs; for people, the part that lacks some.
func (d *Document) Interrupt() {
	d.Interrupted = true
	if n := len(d.parts); n > 0 {
		d.parts[n-1].Interrupted = true
	}
}

// interruptedText is what people read of a result that is not whole.
const interruptedText = "Interrupted: only the runs that were finished are here."

// ExpectationText writes what a scenario expects of a lock and a guard.
func ExpectationText(p *scenarios.Plan) string {
	if p.NotApplicable != "" {
		return "n/a: " + p.NotApplicable
	}
	text := ""
	for _, property := range checker.Properties {
		if status, ok := p.Expect.Status[property]; ok {
			if text != "" {
				text += ", "
			}
			text += property + " " + string(status)
			if asked := p.Expect.Evidence[property].String(); asked != "" {
				text += " (" + asked + ")"
			}
		}
	}
	if text == "" {
		return "nothing expected"
	}
	return text
}
