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
// lock and guard, or an error that says why not.
func FuzzScenario(f *testing.F) {
	f.Add(minimal)
	for _, name := range LibraryNames() {
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
	for _, name := range LibraryNames() {
		content, _ := libraryFile(name)
		if _, rest, ok := strings.Cut(string(content), "\nfaults:\n"); ok {
			f.Add(upToNextKey(rest))
		}
	}
	for _, odd := range []string{"  - {}\n", "  - pause: {}\n    at: 1s\n", "  - crash: {server: leader}\n    at: uniform(1s, 2s)\n",
		"  - cut: {client: 1, servers: [1, 2, 9]}\n    when: {client: 2, step: acquired, nth: 3}\n", "  - clock-step: {server: 1, by: -5s}\n    at: 0s\n"} {
		f.Add(odd)
	}
	r := registry(f)
	f.Fuzz(func(t *testing.T, faults string) { loads(t, r, head+"faults:\n"+faults) })
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
	if err == nil {
		return
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
