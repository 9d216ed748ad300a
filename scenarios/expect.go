package scenarios

import (
	"fencepost/checker"
	"fencepost/checker/monitor"
)

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
