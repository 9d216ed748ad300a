package scenarios

import (
	"fmt"

	"fencepost/checker"
	"fencepost/checker/monitor"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/history"
)

// expectPart says which verdict the sources lead to, for some locks and guards.
type expectPart struct {
	Locks        []*scalar   `yaml:"locks"`
	Guards       []*scalar   `yaml:"guards"`
	Grants       *scalar     `yaml:"grants"`
	Exclusion    *scalar     `yaml:"exclusion"`
	Resource     *scalar     `yaml:"resource"`
	Progress     *scalar     `yaml:"progress"`
	Tokens       *scalar     `yaml:"tokens"`
	Kind         *scalar     `yaml:"kind"`
	Linearizable *linearPart `yaml:"linearizable"`

	Evidence *evidencePart `yaml:"evidence"`
	at       spot
}

type linearPart struct {
	Lock     *scalar `yaml:"lock"`
	Resource *scalar `yaml:"resource"`
}

func (expectPart) describe() mapping {
	status := words(checker.Statuses...)
	return mapping{
		name: "expectation",
		about: "What is expected of some locks and guards. Entries are read in order, and later ones win. " +
			"What no entry speaks of may come out in any way. A scenario without `expect:` cannot be reproduced with `reproduce`, but run and swept.",
		keys: []key{
			{name: "locks", takes: lockName, def: "all", doc: "locks that the entry is about"},
			{name: "guards", takes: guardName, def: "all", doc: "guards that the entry is about"},
			{name: checker.Grants, takes: status, doc: "the service kept its promises"},
			{name: checker.Exclusion, takes: status, doc: "no two holders believed at the same time"},
			{name: checker.ResourceName, takes: status, doc: "what the lock protects was not harmed"},
			{name: checker.Progress, takes: status, doc: "the lock moved on as it should"},
			{name: checker.Tokens, takes: status, doc: "the tokens rise from hold to hold"},
			{name: "kind", takes: words(monitor.ResourceKinds...), doc: "the first harm to the resource: short for `evidence: {resource: {kind: …}}`"},
			{name: "linearizable", doc: "the same, of the two histories"},
			{name: "evidence", doc: "what the violations have to be like"},
		},
	}
}

func (linearPart) describe() mapping {
	return mapping{name: "linearizable", about: "The answers of porcupine.", keys: []key{
		{name: "lock", takes: words(checker.Statuses...), doc: "the lock history"},
		{name: "resource", takes: words(checker.Statuses...), doc: "the resource history"},
	}}
}

// Expectation is the verdict that a scenario's sources lead to, for one lock and one
// guard: a status for each property that it speaks of, and what the violations have to be like.
type Expectation struct {
	Status   map[string]checker.Status // by property
	Kind     string                    // of the violation of "resource"
	Evidence map[string]Demand         // of the first violation, by property, and of the run as a whole
	Rejected *int                      // requests that the guard rejected
}

// expectation merges the entries that apply to a lock and a guard; later ones win.
func (in *Instance) expectation(r *reader, lock, guard string, guards []string) Expectation {
	e := Expectation{Status: map[string]checker.Status{}, Evidence: map[string]Demand{}}
	for i := range in.Scenario.file.Expect {
		part := &in.Scenario.file.Expect[i]
		forLock := in.applies(r, part.Locks, lock, in.registry.Names())
		forGuard := in.applies(r, part.Guards, guard, guards)
		if !forLock || !forGuard {
			continue
		}
		e.merge(r, part)
	}
	return e
}

// merge adds what an entry expects.
func (e *Expectation) merge(r *reader, part *expectPart) {
	for _, p := range part.properties() {
		if p.value.set() {
			e.Status[p.name] = checker.Status(r.word(p.value, "", checker.Statuses))
		}
		switch asked := part.Evidence.of(p.name); {
		case asked == nil && p.value.set() && e.Status[p.name] != checker.Violated:
			delete(e.Evidence, p.name)
		case asked == nil:
		case p.value.set() && e.Status[p.name] != checker.Violated:
			r.fail(p.value, "`evidence:` asks for a violation of %s, and the same entry expects that it is %s", p.name, e.Status[p.name])
		default:
			e.Status[p.name] = checker.Violated
			e.Evidence[p.name] = r.demand(e.Evidence[p.name], asked, p.name)
		}
	}
	if part.Kind.set() {
		if s := part.Resource; s.set() && e.Status[checker.ResourceName] != checker.Violated {
			r.fail(part.Kind, "`kind:` asks for a violation of resource, and the same entry expects that it is %s", e.Status[checker.ResourceName])
		}
		e.Kind = r.word(part.Kind, "", monitor.ResourceKinds)
		if asked := part.Evidence.of(checker.ResourceName); asked != nil && asked.Kind.set() {
			r.fail(part.Kind, "the kind of harm is asked for twice: `kind:` is short for that of `evidence: {resource: …}`")
		}
	}
	if part.Evidence == nil {
		return
	}
	if part.Evidence.Rejected.set() {
		n := r.count(part.Evidence.Rejected, 0, 0)
		e.Rejected = &n
	}
	r.ofRun(e.Evidence, part.Evidence)
}

// empty reports whether an entry expects nothing.
func (p *expectPart) empty() bool {
	for _, property := range p.properties() {
		if property.value.set() {
			return false
		}
	}
	return !p.Kind.set() && p.Evidence == nil
}

// checkExpectations fails for entries of a scenario that no plan can come out by: those that expect
// nothing, and those whose locks and guards are all n/a.
func (in *Instance) checkExpectations(r *reader, plans []*Plan) {
	for i := range in.Scenario.file.Expect {
		part := &in.Scenario.file.Expect[i]
		if part.empty() {
			r.fail(part.at.scalar(), "this entry expects nothing: give it a property, such as `exclusion: ok`")
			continue
		}
		why, before := "", len(r.mistakes)
		for _, p := range plans {
			if !in.applies(r, part.Locks, p.Describe.Name, in.registry.Names()) || !in.applies(r, part.Guards, p.Guard.Name, resource.GuardNames()) {
				continue
			}
			if why = p.NotApplicable; why == "" {
				break
			}
		}
		if why != "" && len(r.mistakes) == before { // unless it names what there is not
			r.fail(part.at.scalar(), "this entry is about no run: what it names is not applicable (%s)", why)
		}
	}
}

// Empty reports whether nothing is expected.
func (e *Expectation) Empty() bool {
	return len(e.Status) == 0 && e.Kind == "" && e.Rejected == nil && len(e.Evidence) == 0
}

// applies reports whether a list names an element; an absent list names all.
func (in *Instance) applies(r *reader, list []*scalar, name string, known []string) bool {
	found := len(list) == 0
	for _, s := range list {
		found = r.word(s, "", known) == name || found
	}
	return found
}

type expectedProperty struct {
	name  string
	value *scalar
}

func (p *expectPart) properties() []expectedProperty {
	list := []expectedProperty{
		{checker.Grants, p.Grants}, {checker.Exclusion, p.Exclusion},
		{checker.ResourceName, p.Resource}, {checker.Progress, p.Progress}, {checker.Tokens, p.Tokens},
	}
	if p.Linearizable != nil {
		list = append(list, expectedProperty{checker.LinearLock, p.Linearizable.Lock},
			expectedProperty{checker.LinearResource, p.Linearizable.Resource})
	}
	return list
}

// Differs names the first thing in which a run that ended at an instant is not as expected;
// empty if nothing is.
func (e *Expectation) Differs(v *checker.Verdict, c *checker.Checker, r *history.Recorder, end sim.Time) string {
	for _, p := range checker.Properties {
		want, ok := e.Status[p]
		if got := v.Of(p); ok && got != want {
			return p + " is " + string(got) + ", expected " + string(want)
		}
	}
	if got := c.Kinds()[checker.ResourceName]; e.Kind != "" && got != e.Kind {
		return "resource: the harm is " + orNone(got) + ", expected " + e.Kind
	}
	for _, p := range checker.Properties {
		asked, ok := e.Evidence[p]
		if first, found := c.First(r, p, end); ok && found { // it is violated, or has differed above
			if why := asked.differs(first); why != "" {
				return p + ": the first violation " + why
			}
		}
	}
	if e.Rejected != nil {
		if got := checker.Rejected(r); got != *e.Rejected {
			return fmt.Sprintf("the guard rejected %d requests, expected %d", got, *e.Rejected)
		}
	}
	return runDiffers(e.Evidence, r, end)
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
