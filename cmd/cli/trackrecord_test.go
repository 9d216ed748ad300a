package cli

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// recordedGuards are the guards that the track record shows.
var recordedGuards = []string{"none", "fence-writes", "fence-reads-writes", "if-match"}

const trackRecordHead = `# Track record

Public reports of locks that failed, and the scenarios that encode them: each is reproduced with
one command, and each is run by the tests, which fail if its verdict is another one. The first
column of a table is the lock systems of which the same is expected:

- **exclusion**: whether two clients believe to hold the lock at once, without a guard.
- The other columns are the resource under each [guard](guards.md).
- **-**: nothing is expected, since the report and the system's documents leave it open, or it
  depends on the seed. **n/a**: the lock has no token for the guard.

A lock that is not in a table cannot have the case; ` + "`fencepost run`" + ` prints why. The lock systems are
models with the defaults of the real ones, so what stands here is what they would do, and not that
their users have seen it. What "chosen" parameters are, the report does not state.

| id | case | seen in | tags |
| --- | --- | --- | --- |
`

// TestTrackRecordInDocs: docs/track-record.md has each scenario of the library that encodes a
// public report. UPDATE_GOLDEN=1 writes the page.
func TestTrackRecordInDocs(t *testing.T) {
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	cases := incidents(t)
	if len(cases) < 56 {
		t.Errorf("%d reports are encoded", len(cases))
	}
	var page bytes.Buffer
	page.WriteString(trackRecordHead)
	for _, s := range cases {
		fmt.Fprintf(&page, "| [%s](#%s) | %s | %s | %s |\n", s.Incident.ID, anchorOf(heading(s)), cell(s.Title), cell(s.Incident.System), strings.Join(s.Tags, ", "))
	}
	for _, s := range cases {
		writeIncident(t, &page, registry, s)
	}
	compareWithDoc(t, "track-record.md", page.Bytes(), "go test ./cmd/cli -run TestTrackRecordInDocs")
}

// incidents are the scenarios that encode a report, by its number.
func incidents(t *testing.T) (list []*scenarios.Scenario) {
	t.Helper()
	for _, name := range scenarios.LibraryNames() {
		s, err := scenarios.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Incident != nil && !strings.Contains(name, "/") {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *scenarios.Scenario) int { return strings.Compare(a.Incident.ID, b.Incident.ID) })
	return list
}

func heading(s *scenarios.Scenario) string { return s.Incident.ID + ": " + s.Title }

var notInAnchor = regexp.MustCompile(`[^a-z0-9 -]`)

// anchorOf is how Markdown pages name a heading in a link.
func anchorOf(heading string) string {
	return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// cell keeps a text in its column.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func writeIncident(t *testing.T, page *bytes.Buffer, registry *models.Registry, s *scenarios.Scenario) {
	t.Helper()
	in := s.Incident
	fmt.Fprintf(page, "\n## %s\n\n", heading(s))
	for _, fact := range [][2]string{
		{"Seen in", in.System}, {"Parameters", in.Parameters}, {"Reported", in.Reported},
		{"The scenario differs", in.Differs}, {"Report", links(in.Links)}, {"Variants", variantsOf(t, s)},
	} {
		if fact[1] != "" {
			fmt.Fprintf(page, "- %s: %s\n", fact[0], fact[1])
		}
	}
	fmt.Fprintf(page, "\n| locks | exclusion | none | fence-writes | fence-reads-writes | if-match |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, row := range expectedRows(t, registry, s) {
		fmt.Fprintf(page, "| %s |\n", strings.Join(row, " | "))
	}
	command := "reproduce " + s.Name
	if !s.Reproducible() { // its variants say what to expect
		command = "run " + s.Name + " --lock all"
	}
	fmt.Fprintf(page, "\n    fencepost %s --guard %s\n", command, strings.Join(recordedGuards, ","))
}

func links(list []string) string {
	var texts []string
	for _, l := range list {
		texts = append(texts, "<"+l+">")
	}
	return strings.Join(texts, ", ")
}

func variantsOf(t *testing.T, s *scenarios.Scenario) string {
	t.Helper()
	var names []string
	for _, name := range s.VariantNames() {
		v, err := scenarios.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprintf("`%s` (%s)", name, v.Title))
	}
	return strings.Join(names, ", ")
}

// expectedRows are the rows of the table: locks of which the same is expected stand in one.
func expectedRows(t *testing.T, registry *models.Registry, s *scenarios.Scenario) (rows [][]string) {
	t.Helper()
	in, err := s.Instantiate(registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	var guards []resource.Guard
	for _, name := range recordedGuards {
		g, _ := resource.FindGuard(name)
		guards = append(guards, g)
	}
	plans, err := in.Plans(registry.Locks(), guards)
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	for i := 0; i < len(plans); i += len(guards) {
		if plans[i].NotApplicable != "" {
			continue
		}
		row := []string{"", orDash(string(plans[i].Expect.Status[checker.Exclusion]))}
		for _, p := range plans[i : i+len(guards)] {
			row = append(row, expectedHarm(p))
		}
		same := slices.IndexFunc(rows, func(r []string) bool { return slices.Equal(r[1:], row[1:]) })
		if same < 0 {
			same = len(rows)
			rows = append(rows, row)
		}
		rows[same][0] = strings.TrimPrefix(rows[same][0]+", "+plans[i].Describe.Name, ", ")
	}
	return rows
}

// expectedHarm is what is expected of the resource.
func expectedHarm(p *scenarios.Plan) string {
	status := p.Expect.Status[checker.ResourceName]
	switch {
	case p.NotApplicable != "":
		return "n/a"
	case status == checker.Violated && p.Expect.Kind != "":
		return p.Expect.Kind
	}
	return orDash(string(status))
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
