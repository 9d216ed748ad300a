package reports

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/checker"
	"fencepost/checker/monitor"
)

// described are the structs that the documents describe, each by the table that follows a line.
var described = []struct {
	of    any
	after string
}{
	{Document{}, "Names that end in `_ns` are nanoseconds."}, {Run{}, "Each run:"}, {checker.Evidence{}, "Each piece of evidence:"},
	{checker.HoldFacts{}, "Each hold:"}, {checker.RequestFacts{}, "Each request:"}, {Fault{}, "Each line of the ledger:"},
	{sweepJSON{}, "### `rates.json` and `sweep.json`"}, {sweepRowJSON{}, "Each row:"},
}

// TestFieldsInDocs: docs/results.md has a row for each field of each document, and none for another.
// What has no table of its own is described in the row of the field that holds it.
func TestFieldsInDocs(t *testing.T) {
	page := resultsPage(t)
	tables := map[reflect.Type]bool{}
	for _, d := range described {
		tables[reflect.TypeOf(d.of)] = true
	}
	for _, d := range described {
		rows := rowsAfter(t, page, d.after)
		fields := fieldsOf(reflect.TypeOf(d.of))
		for name, typ := range fields {
			if typ.Name() == "Linearizable" {
				name = "linearizable.lock"
			}
			row, ok := rows[name]
			if !ok {
				t.Errorf("%T: no row for %s", d.of, name)
			}
			if typ.Kind() == reflect.Struct && !tables[typ] {
				for inner := range fieldsOf(typ) {
					if !strings.Contains(row, inner+"`") {
						t.Errorf("%T: the row of %s does not name %s: %s", d.of, name, inner, row)
					}
				}
			}
		}
		for name := range rows {
			if _, ok := fields[name]; !ok && !strings.HasPrefix(name, "linearizable.") {
				t.Errorf("%T: a row for %s, which is no field", d.of, name)
			}
		}
	}
}

// TestColumnsInDocs: the page names the columns of result.csv in their order.
func TestColumnsInDocs(t *testing.T) {
	var b bytes.Buffer
	if err := WriteCSV(&b, &Document{}); err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(resultsPage(t), "### `result.csv`")
	section, _, _ = strings.Cut(section, "\n### ")
	var named []string
	for _, m := range word.FindAllStringSubmatch(section, -1) {
		named = append(named, m[1])
	}
	if want := strings.Split(strings.TrimSpace(b.String()), ","); !slices.Equal(named, want) {
		t.Errorf("the page names %v, the file has %v", named, want)
	}
}

// TestCausesInDocs: the page has the list of causes.
func TestCausesInDocs(t *testing.T) {
	page := resultsPage(t)
	want := "| cause | meaning |\n| --- | --- |\n"
	for _, c := range checker.Causes {
		want += fmt.Sprintf("| `%s` | %s |\n", c.Kind, c.Meaning)
	}
	if !strings.Contains(page, want+"\n") {
		t.Errorf("docs/results.md has not this table:\n%s", want)
	}
}

// TestKindsInDocs: the page names every kind of harm to a resource that can be evidence.
func TestKindsInDocs(t *testing.T) {
	row := rowsAfter(t, resultsPage(t), "Each piece of evidence:")["kind"]
	for _, kind := range monitor.ResourceKinds {
		if !strings.Contains(row, "`"+kind+"`") {
			t.Errorf("the row of kind does not name %s: %s", kind, row)
		}
	}
}

var word = regexp.MustCompile("`([a-z_.]+)`")

func resultsPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// rowsAfter are the rows of the first table after a line, by each field that their first cell names.
func rowsAfter(t *testing.T, page, line string) map[string]string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n"+line)
	if !ok {
		t.Fatalf("docs/results.md has no line %q", line)
	}
	rows := map[string]string{}
	_, rest, _ = strings.Cut(rest, "| --- |")
	for _, row := range strings.Split(rest, "\n")[1:] {
		if !strings.HasPrefix(row, "|") {
			break
		}
		first, _, _ := strings.Cut(row[1:], "|")
		for _, m := range word.FindAllStringSubmatch(first, -1) {
			rows[m[1]] = row
		}
	}
	return rows
}

// fieldsOf are the names of a struct's fields in JSON, with the type that they or their elements have.
func fieldsOf(typ reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		of := typ.Field(i).Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		fields[name] = of
	}
	return fields
}
