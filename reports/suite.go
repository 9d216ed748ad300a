package reports

import (
	"io"
	"slices"
	"sync"

	"fencepost/checker"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// Suite is what came of the scenarios of a suite.
type Suite struct {
	Version string `json:"version"`
	Seeds   string `json:"seeds"`
	// Interrupted says that not all runs were finished.
	Interrupted bool        `json:"interrupted,omitempty"`
	Scenarios   []SuiteCase `json:"scenarios"`
	// Coverage is of each lock, in their order.
	Coverage []LockCoverage `json:"coverage"`

	mutex    sync.Mutex
	coverage map[string]*scenarios.Coverage
}

// SuiteCase is what came of one scenario.
type SuiteCase struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	Tags  []string `json:"tags,omitempty"`
	// Ran are the locks and guards that it was run with, in their order.
	Ran []SuiteRuns `json:"ran"`
	// Expected counts the runs that were to have an expected verdict and had it, Surprises those
	// that had another one.
	Expected  int        `json:"as_expected"`
	Surprises []Surprise `json:"surprises"`
	// Unjudged counts the runs of which nothing was expected, Unknown those of them that ended at a bound.
	Unjudged int `json:"nothing_expected"`
	Unknown  int `json:"unknown"`
	// NotApplicable are the locks and guards that cannot have the scenario.
	NotApplicable []Skipped `json:"not_applicable"`
}

// SuiteRuns counts the runs of a scenario with one lock and guard, each in one of the numbers.
type SuiteRuns struct {
	Lock      string `json:"lock"`
	Guard     string `json:"guard"`
	Expected  int    `json:"as_expected"`
	Surprises int    `json:"surprises"`
	Unjudged  int    `json:"nothing_expected"`
	// Violated counts, by property, the runs in which it was violated.
	Violated map[string]int `json:"violated,omitempty"`
}

// Surprise is a run that was not as expected.
type Surprise struct {
	Lock    string `json:"lock"`
	Guard   string `json:"guard"`
	Seed    uint64 `json:"seed"`
	Differs string `json:"differs"`
	Cause   string `json:"cause"`
	Replay  string `json:"replay"`
}

// Skipped is a lock and guard that a scenario is not run with, and why.
type Skipped struct {
	Lock   string `json:"lock"`
	Guard  string `json:"guard"`
	Reason string `json:"reason"`
}

// NewSuite begins the report of a suite.
func NewSuite(seeds sweeps.Seeds, cases int) *Suite {
	return &Suite{Version: Version, Seeds: seeds.String(), Scenarios: make([]SuiteCase, cases), coverage: map[string]*scenarios.Coverage{}}
}

// Begin enters a scenario at its place, with what it is not run with.
func (s *Suite) Begin(i int, in *scenarios.Instance, plans []*scenarios.Plan) {
	c := &s.Scenarios[i]
	c.Name, c.Title, c.Tags = in.Scenario.Name, in.Scenario.Title, in.Scenario.Tags
	c.Ran, c.Surprises, c.NotApplicable = []SuiteRuns{}, []Surprise{}, []Skipped{}
	for _, p := range plans {
		if p.NotApplicable != "" {
			c.NotApplicable = append(c.NotApplicable, Skipped{p.Describe.Name, p.Guard.Name, p.NotApplicable})
		} else {
			c.Ran = append(c.Ran, SuiteRuns{Lock: p.Describe.Name, Guard: p.Guard.Name})
		}
	}
}

// Ran enters a run of the scenario at a place. It may be called from several workers at once.
func (s *Suite) Ran(i int, t *scenarios.Trial, r scenarios.Result) {
	var surprise *Surprise
	differs := r.Differs
	if !t.Plan.Expects() {
		differs = t.Idle() // whatever is expected, a fault that does nothing shows nothing
	}
	if differs != "" {
		run := NewRun(t, r)
		surprise = &Surprise{run.Lock, run.Guard, r.Seed, differs, brief(run.Cause), run.Replay}
	}
	covered := t.Covered()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	c := &s.Scenarios[i]
	ran := c.ran(t.Plan.Describe.Name, t.Plan.Guard.Name)
	ran.count(&r.Verdict)
	switch {
	case surprise != nil:
		c.Surprises = append(c.Surprises, *surprise)
		ran.Surprises++
	case t.Plan.Expects():
		c.Expected++
		ran.Expected++
	default:
		c.Unjudged++
		ran.Unjudged++
		if r.Verdict.Bound != "" {
			c.Unknown++
		}
	}
	if covered != nil {
		s.cover(covered)
	}
}

func (c *SuiteCase) ran(lock, guard string) *SuiteRuns {
	i := slices.IndexFunc(c.Ran, func(r SuiteRuns) bool { return r.Lock == lock && r.Guard == guard })
	return &c.Ran[i]
}

func (r *SuiteRuns) count(v *checker.Verdict) {
	for _, property := range checker.Properties {
		if v.Of(property) != checker.Violated {
			continue
		}
		if r.Violated == nil {
			r.Violated = map[string]int{}
		}
		r.Violated[property]++
	}
}

// brief cuts a cause that names too much to be read in a list; `fencepost explain` tells all of it.
func brief(cause string) string {
	const most = 400
	if words := []rune(cause); len(words) > most {
		return string(words[:most]) + "…"
	}
	return cause
}

func (s *Suite) cover(c *scenarios.Coverage) {
	all := s.coverage[c.Lock]
	if all == nil {
		all = scenarios.NewCoverage(c.Lock)
		s.coverage[c.Lock] = all
	}
	all.Add(c)
}

// Surprised reports whether some run was not as expected.
func (s *Suite) Surprised() bool {
	for i := range s.Scenarios {
		if len(s.Scenarios[i].Surprises) > 0 {
			return true
		}
	}
	return false
}

// Judged counts the runs of which something was expected.
func (s *Suite) Judged() (n int) {
	for i := range s.Scenarios {
		n += s.Scenarios[i].Expected + len(s.Scenarios[i].Surprises)
	}
	return n
}

// Finish puts everything into an order that does not depend on the workers. Locks are the names of
// those that ran, in their order.
func (s *Suite) Finish(locks []string) {
	for i := range s.Scenarios {
		sortSurprises(s.Scenarios[i].Surprises)
	}
	for _, lock := range locks {
		if c := s.coverage[lock]; c != nil {
			s.Coverage = append(s.Coverage, lockCoverage(c))
		}
	}
}

// WriteSuiteJSON writes a suite as one JSON object.
func WriteSuiteJSON(w io.Writer, s *Suite) error {
	return encode(w, s)
}
