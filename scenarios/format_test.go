package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryKeyIsDescribed: what a type says of its keys names each of them, in their order,
// and no other, and says something.
func TestEveryKeyIsDescribed(t *testing.T) {
	seen := 0
	for _, of := range mappings() {
		m, ok := describedBy(of)
		if !ok || m.name == "" || m.about == "" {
			t.Errorf("%v does not say what it is: give it a method describe", of)
			continue
		}
		var names []string
		for _, k := range m.keys {
			names = append(names, k.name)
			seen++
			if strings.TrimSpace(k.doc) == "" {
				t.Errorf("%s: nothing is said of `%s`", m.name, k.name)
			}
			if k.needed && k.def != "" {
				t.Errorf("%s: `%s` is required and has a default", m.name, k.name)
			}
		}
		read := keysOf(of)
		slices.Sort(names)
		slices.Sort(read)
		if !slices.Equal(names, read) {
			t.Errorf("%s: the keys %v are described, and %v are read (%v)", m.name, names, read, of)
		}
	}
	if seen < 120 {
		t.Errorf("only %d keys were seen", seen)
	}
}

// A key takes a value exactly if it is read as one, and not as a mapping.
func TestKeysTakeWhatIsRead(t *testing.T) {
	for _, of := range mappings() {
		m, _ := describedBy(of)
		for _, k := range m.keys {
			_, holds := inside("", fieldType(of, k.name))
			if leaf := holds == reflect.TypeFor[scalar](); leaf != (k.takes.name != "") {
				t.Errorf("%s: `%s` takes %q and is read as %v", m.name, k.name, k.takes.name, holds)
			}
		}
	}
}

// TestKindsOfTheFileAreTheKinds: each key of a fault that names a kind is one.
func TestKindsOfTheFileAreTheKinds(t *testing.T) {
	keys := keysOf(reflect.TypeFor[kindsPart]())
	if fmt.Sprint(keys) != fmt.Sprint(kindNames()) {
		t.Errorf("the file has %v, the table %v", keys, kindNames())
	}
}

// The examples of a form of values are of that form.
func TestExamplesOfValues(t *testing.T) {
	for _, v := range valueForms {
		for _, example := range v.examples {
			if v.form.pattern != "" && !regexp.MustCompile(`^(?:`+v.form.pattern+`)$`).MatchString(example) {
				t.Errorf("%s: %q is none", v.name, example)
			}
		}
		if v.written == "" || len(v.examples) == 0 {
			t.Errorf("%s is not valueForms", v.name)
		}
	}
}

// TestFormatReference: docs/scenario-format.md is what the types say. UPDATE_GOLDEN=1 writes
// it.
func TestFormatReference(t *testing.T) {
	golden(t, filepath.Join("..", "docs", "scenario-format.md"), []byte(formatReference()))
}

// golden compares with a file, which UPDATE_GOLDEN=1 writes anew.
func golden(t *testing.T, file string, made []byte) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(kept) != string(made) {
		t.Errorf("%s is not what the types of the format say; UPDATE_GOLDEN=1 writes it anew", file)
	}
}

// formatReference writes the reference page.
func formatReference() string {
	var page strings.Builder
	page.WriteString(`# The scenario format

Every key of a scenario file, what it takes and what holds without it. [Scenarios](scenarios.md) is
the guide: it begins with a complete example. This page is made of what the loader itself says of
its keys, and so are the lists in its error messages and the JSON Schema by which an editor
completes and checks a file while it is written: see [editors](scenarios.md#editors).

A key without a value is an error. So is an unknown key.

## Values

Every value in a file is one YAML scalar. It may name parameters, as in ` + "`$ttl` or `uniform(0s, $ttl)`" + `,
except where a table says *fixed*: what stands there is read before parameters have values.

| value | written | examples |
| --- | --- | --- |
`)
	for _, v := range valueForms {
		fmt.Fprintf(&page, "| %s | %s | `%s` |\n", v.name, v.written, strings.Join(v.examples, "`, `"))
	}
	page.WriteString("| words | one of those that are listed with the key | `before-write` |\n")
	for _, of := range mappings() {
		writeMapping(&page, of)
		if of == reflect.TypeFor[actionPart]() {
			writeKinds(&page)
		}
	}
	return page.String()
}

func writeMapping(page *strings.Builder, of reflect.Type) {
	m, ok := describedBy(of)
	if !ok {
		return // which another test tells
	}
	fmt.Fprintf(page, "\n## %s%s\n\n", strings.ToUpper(m.name[:1]), m.name[1:])
	var stands []string
	for _, p := range places() {
		if p.of == of && p.path != "" && of != reflect.TypeFor[actionPart]() {
			stands = append(stands, "`"+p.path+"`")
		}
	}
	if len(stands) > 0 {
		fmt.Fprintf(page, "Stands under %s.\n", strings.Join(stands, ", "))
	}
	fmt.Fprintf(page, "%s\n", m.about)
	if of == reflect.TypeFor[kindsPart]() {
		return
	}
	page.WriteString("\n| key | takes | without it | meaning |\n| --- | --- | --- | --- |\n")
	for _, k := range m.keys {
		if under(fieldType(of, k.name)) == reflect.TypeFor[actionPart]() {
			continue // the table of kinds has them
		}
		without := k.def
		if k.needed {
			without = "required"
		}
		takes := k.cell(fieldType(of, k.name))
		if k.fixed && k.takes.name != "" {
			takes += ", *fixed*"
		}
		fmt.Fprintf(page, "| `%s` | %s | %s | %s |\n", k.name, takes, without, k.doc)
	}
}

// writeKinds writes the table of the kinds of faults.
func writeKinds(page *strings.Builder) {
	page.WriteString("\n## Kinds of faults\n\n| kind | needs | may have | peers | effect |\n| --- | --- | --- | --- | --- |\n")
	cell := func(names []string) string {
		if len(names) == 0 {
			return ""
		}
		return "`" + strings.Join(names, "`, `") + "`"
	}
	for _, k := range FaultKinds {
		peers := ""
		if k.hasPeers() {
			peers = "yes"
		}
		fmt.Fprintf(page, "| `%s` | %s | %s | %s | %s |\n", k.Name, cell(k.Needs), cell(k.Takes), peers, k.Doc)
	}
}
