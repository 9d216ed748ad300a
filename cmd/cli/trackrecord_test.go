package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/modeltest"
	"fencepost/models/resource"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// recordedGuards are the guards that the track record shows.
var recordedGuards = []string{"none", "fence-writes", "fence-reads-writes", "mark", "if-match", "random-token-cas"}

// seenSeeds are those under which it is looked what becomes of what nobody expects something of.
var seenSeeds = sweeps.Seeds{{First: 1, Last: 3}}

const trackRecordHead = `# Track record

Public reports of locks that failed, and the scenarios that encode them, each with the command that
reproduces it. The first column of a table is the lock systems that have the same row:

- **exclusion**: whether two clients believe to hold the lock at once, without a guard.
- The other columns are the resource under each [guard](guards.md): ` + "`ok`" + `, or the kind of harm.
- A verdict as it stands is expected: it was written down from the report and the system's documents
  before the run, and the tests run it and fail if it is another one. One in parentheses is not:
  the sources leave it open, and so it came out under the seeds 1 to 3; (n/3) of them were violated if
  they differ. **n/a**: the lock has no token for the guard.

A lock that is not in a table cannot have the case; ` + "`fencepost run`" + ` prints why. The guard ask-service is
Chubby's alone and is left out. The lock systems are models with the defaults of the real ones, so what
stands here is what they would do, and not that their users have seen it. What "chosen" parameters are,
the report does not state.

| id | case | seen in | tags |
| --- | --- | --- | --- |
`

// TestTrackRecordInDocs: docs/track-record.md has each scenario of the library that encodes a
// public report. Each eighth is run to see what comes of it, or all with -every-lock; UPDATE_GOLDEN=1
// with that flag writes the page.
func TestTrackRecordInDocs(t *testing.T) {
	modeltest.ManyTrials(t)
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
	shown, err := os.ReadFile(filepath.Join(root, "docs", "track-record.md"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(&page, othersHead)
	for _, s := range withoutReport(t) {
		fmt.Fprintf(&page, "| `%s` | %s | %s |\n", s.Name, cell(s.Title), cell(strings.TrimSpace(s.Source)))
	}
	if !*everyLock && !bytes.HasPrefix(shown, page.Bytes()) {
		t.Error("the head of docs/track-record.md is another one; UPDATE_GOLDEN=1 with -every-lock writes the page anew")
	}
	for i, s := range cases {
		if !*everyLock && i%8 != 0 {
			continue
		}
		var section bytes.Buffer
		writeIncident(t, &section, registry, s)
		if !*everyLock && !bytes.Contains(shown, section.Bytes()) {
			t.Errorf("docs/track-record.md has something else of %s; UPDATE_GOLDEN=1 with -every-lock writes the page anew:\n%s", s.Name, section.String())
		}
		page.Write(section.Bytes())
	}
	if *everyLock {
		compareWithDoc(t, "track-record.md", page.Bytes(), "go test ./cmd/cli -run TestTrackRecordInDocs -every-lock")
	}
}

const othersHead = `
Cases that no numbered report stands behind: counterexamples and replies that have a name, what the
documents of a system say of itself, and what shows one property of fencepost. ` + "`fencepost run NAME`" + ` runs
one, and ` + "`fencepost reproduce --list`" + ` says what is expected of each.

| case | shows | source |
| --- | --- | --- |
`

// withoutReport are the scenarios of the library that encode no report.
func withoutReport(t *testing.T) (list []*scenarios.Scenario) {
	t.Helper()
	for _, name := range scenarios.LibraryNames() {
		s, err := scenarios.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Incident == nil && !strings.Contains(name, "/") {
			list = append(list, s)
		}
	}
	return list
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
	fmt.Fprintf(page, "\n| locks | exclusion | %s |\n| --- | --- |%s\n", strings.Join(recordedGuards, " | "), strings.Repeat(" --- |", len(recordedGuards)))
	for _, row := range recordedRows(t, registry, s) {
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

// recordedRows are the rows of the table: locks that have the same one stand in one.
func recordedRows(t *testing.T, registry *models.Registry, s *scenarios.Scenario) (rows [][]string) {
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
	seen := lookAt(t, plans)
	for i := 0; i < len(plans); i += len(guards) {
		if plans[i].NotApplicable != "" {
			continue
		}
		row := []string{"", shownOf(plans[i], checker.Exclusion, seen)}
		for _, p := range plans[i : i+len(guards)] {
			row = append(row, shownOf(p, checker.ResourceName, seen))
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

// outcome is what became of a property in some runs.
type outcome struct {
	violated int
	kind     string
}

// lookAt runs the plans of which something is not expected, and returns what became of them, by plan
// and property.
func lookAt(t *testing.T, plans []*scenarios.Plan) map[*scenarios.Plan]map[string]outcome {
	t.Helper()
	seen := map[*scenarios.Plan]map[string]outcome{}
	var open []*scenarios.Plan
	for _, p := range plans {
		if p.NotApplicable == "" && (expected(p, checker.ResourceName) == "" || expected(p, checker.Exclusion) == "") {
			open = append(open, p)
			seen[p] = map[string]outcome{}
		}
	}
	n := int(seenSeeds.Len())
	jobs := sweeps.Jobs{Len: len(open) * n, At: func(i int) sweeps.Job { return sweeps.Job{Plan: open[i/n], Seed: seenSeeds.At(uint64(i % n))} }}
	var mutex sync.Mutex
	err := sweeps.RunAll(t.Context(), jobs, runtime.GOMAXPROCS(0), func(i int, trial *scenarios.Trial, r scenarios.Result) {
		mutex.Lock()
		defer mutex.Unlock()
		for _, property := range []string{checker.Exclusion, checker.ResourceName} {
			o := seen[open[i/n]][property]
			if r.Verdict.Of(property) == checker.Violated {
				kind := trial.Checker.Kinds()[property]
				if o.violated++; o.violated > 1 && o.kind != kind {
					kind = "several kinds"
				}
				o.kind = kind
			}
			seen[open[i/n]][property] = o
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// shownOf is what is expected of a property, or, in parentheses, what was seen of it.
func shownOf(p *scenarios.Plan, property string, seen map[*scenarios.Plan]map[string]outcome) string {
	if p.NotApplicable != "" {
		return "n/a"
	}
	if text := expected(p, property); text != "" {
		return text
	}
	o := seen[p][property]
	what := string(checker.Violated)
	if property == checker.ResourceName {
		what = o.kind
	}
	switch o.violated {
	case 0:
		return "(ok)"
	case int(seenSeeds.Len()):
		return "(" + what + ")"
	}
	return fmt.Sprintf("(%d/%d %s)", o.violated, seenSeeds.Len(), what)
}

// expected is what is expected of a property; empty if nothing is.
func expected(p *scenarios.Plan, property string) string {
	status := p.Expect.Status[property]
	if property == checker.ResourceName && status == checker.Violated && p.Expect.Kind != "" {
		return p.Expect.Kind
	}
	return string(status)
}
