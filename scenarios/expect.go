package scenarios

import (
	"fencepost/checker"
	"fencepost/checker/monitor"
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
			{name: "kind", takes: words(monitor.ResourceKinds...), doc: "the first harm to the resource"},
			{name: "linearizable", doc: "the same, of the two histories"},
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
// guard: a status for each property that it speaks of, and the kind of harm.
type Expectation struct {
	Status map[string]checker.Status // by property
	Kind   string                    // of the violation of "resource"
}

// expectation merges the entries that apply to a lock and a guard; later ones win.
func (in *Instance) expectation(r *reader, lock, guard string, guards []string) Expectation {
	e := Expectation{Status: map[string]checker.Status{}}
	for i := range in.Scenario.file.Expect {
		part := &in.Scenario.file.Expect[i]
		forLock := in.applies(r, part.Locks, lock, in.registry.Names())
		forGuard := in.applies(r, part.Guards, guard, guards)
		if !forLock || !forGuard {
			continue
		}
		for _, p := range part.properties() {
			if p.value.set() {
				e.Status[p.name] = checker.Status(r.word(p.value, "", checker.Statuses))
			}
		}
		if part.Kind.set() {
			e.Kind = r.word(part.Kind, "", monitor.ResourceKinds)
		}
	}
	return e
}

// empty reports whether nothing is expected.
func (e Expectation) empty() bool { return len(e.Status) == 0 && e.Kind == "" }

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

// Differs names the first thing in which a verdict is not as expected; empty if
// nothing is.
func (e Expectation) Differs(v *checker.Verdict, kinds map[string]string) string {
	for _, p := range checker.Properties {
		want, ok := e.Status[p]
		if got := v.Of(p); ok && got != want {
			return p + " is " + string(got) + ", expected " + string(want)
		}
	}
	if got := kinds[checker.ResourceName]; e.Kind != "" && got != e.Kind {
		return "resource: the harm is " + orNone(got) + ", expected " + e.Kind
	}
	return ""
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
