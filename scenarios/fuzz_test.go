package scenarios

import (
	"errors"
	"strings"
	"testing"

	"fencepost/models"
	"fencepost/models/resource"
)

// FuzzScenario feeds the loader. Whatever stands in a file, it is taken or refused with
// an error that names the file, and nothing panics; what is taken gives plans for every
// lock and guard, or an error that says why not, and Validate finds something, too.
func FuzzScenario(f *testing.F) {
	f.Add(minimal)
	for i, name := range libraryFiles() {
		if testing.Short() && i%8 != 0 {
			continue
		}
		content, _ := libraryFile(name)
		f.Add(string(content))
	}
	for _, odd := range []string{"", "{}", "[]", "name: x", "name: x\nclients: [{}]", "name: &a x\nclients: *a", "a: b: c", "\ufeffname: x\n",
		"name: x\nclients:\n  - start: $a\nparams: {a: $a}\n", "name: x\nuntil: 9999999h\nclients: [{cycles: 99999999999999999999}]"} {
		f.Add(odd)
	}
	r := registry(f)
	f.Fuzz(func(t *testing.T, content string) { loads(t, r, content) })
}

// FuzzFaultPlan feeds the reader of fault plans: the text stands as the list of faults of
// a scenario that is right otherwise.
func FuzzFaultPlan(f *testing.F) {
	head, faults, _ := strings.Cut(minimal, "faults:\n")
	f.Add(faults)
	seedPlans(f)
	for _, odd := range []string{"  - {}\n", "  - pause: {}\n    at: 1s\n", "  - crash: {server: leader}\n    at: uniform(1s, 2s)\n",
		"  - cut: {client: 1, servers: [1, 2, 9]}\n    when: {client: 2, step: acquired, nth: 3}\n", "  - clock-step: {server: 1, by: -5s}\n    at: 0s\n"} {
		f.Add(odd)
	}
	r := registry(f)
	f.Fuzz(func(t *testing.T, faults string) { loads(t, r, head+"faults:\n"+faults) })
}

// seedPlans adds every list of faults of the library.
func seedPlans(f *testing.F) {
	plans := 0
	for _, name := range LibraryNames() {
		content, _ := libraryFile(name)
		for _, list := range []struct{ key, indent string }{{"\nfaults:\n", ""}, {"\n  faults:\n", "  "}} {
			if _, rest, ok := strings.Cut(string(content), list.key); ok {
				f.Add(upToNextKey(strings.ReplaceAll("\n"+rest, "\n"+list.indent, "\n")[1:]))
				plans++
			}
		}
	}
	if plans < 5 {
		f.Fatalf("the library has only %d lists of faults", plans)
	}
}

// FuzzFaultRun runs whatever plan of faults is accepted, for a few seconds: it ends, and
// no invariant of the simulator breaks.
func FuzzFaultRun(f *testing.F) {
	seedPlans(f)
	const head = "name: fuzzed\nuntil: 20s\nlock: {ttl: 2s}\ndisk: {fsync: 1ms}\nclients: [{cycles: 4, between: 500ms, renew: 1s}, {cycles: 4, between: 500ms}]\nfaults:\n"
	r := registry(f)
	f.Fuzz(func(t *testing.T, faults string) {
		s, err := Parse("fuzzed.yaml", []byte(head+faults))
		if err != nil {
			return
		}
		in, err := s.Instantiate(r, nil)
		if err != nil {
			return
		}
		plans, err := in.Plans(r.Locks(), resource.Guards[:1])
		if err != nil {
			return
		}
		for _, p := range plans {
			if p.NotApplicable != "" {
				continue
			}
			trial := NewTrial(p)
			trial.world.MaxEvents = 100_000
			if _, err := trial.RunSafely(1); err != nil {
				t.Fatal(err)
			}
			trial.Close()
		}
	})
}

// upToNextKey is the beginning of a YAML text, up to the next line that is not indented.
func upToNextKey(text string) string {
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		if line != "" && line[0] != ' ' && line[0] != '-' {
			break
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// loads takes a file as far as the command line does before it runs anything.
func loads(t *testing.T, r *models.Registry, content string) {
	s, err := Parse("fuzzed.yaml", []byte(content))
	if err == nil {
		var in *Instance
		if in, err = s.Instantiate(r, nil); err == nil {
			_, err = in.Plans(r.Locks(), resource.Guards)
		}
	}
	mistakes := Validate(r, "fuzzed.yaml", []byte(content))
	if err == nil {
		return // a variant may be wrong
	}
	if len(mistakes) == 0 {
		t.Fatalf("%v, and nothing to validate finds", err)
	}
	var located *Error
	if !errors.As(err, &located) || located.File != "fuzzed.yaml" || strings.TrimSpace(located.Message) == "" {
		t.Fatalf("%T %v does not name the file", err, err)
	}
	// YAML ends lines with carriage returns too.
	if lines := strings.Count(content, "\n") + strings.Count(content, "\r") + 1; located.Line < 0 || located.Line > lines {
		t.Fatalf("%v: the file has %d lines", err, lines)
	}
}
