package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// TestGuardsInDocs: docs/guards.md says of every guard what it says of itself, and what the
// library expects of it. UPDATE_GOLDEN=1 writes those parts of the page.
func TestGuardsInDocs(t *testing.T) {
	const begin, end = "<!-- guards -->\n", "<!-- /guards -->\n"
	const beginTable, endTable = "<!-- expected -->\n", "<!-- /expected -->\n"
	file := filepath.Join(root, "docs", "guards.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("docs/guards.md has no part between %q and %q", begin, end)
	}
	want := before + begin + guardsPart() + end + after
	before, rest, ok = strings.Cut(want, beginTable)
	_, after, closed = strings.Cut(rest, endTable)
	if !ok || !closed {
		t.Fatalf("docs/guards.md has no part between %q and %q", beginTable, endTable)
	}
	want = before + beginTable + expectedOfGuards(t) + endTable + after
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(page) != want {
		t.Error("docs/guards.md is not what the guards say of themselves; UPDATE_GOLDEN=1 writes it anew")
	}
}

func guardsPart() string {
	var part strings.Builder
	for i := range resource.Guards {
		g := &resource.Guards[i]
		fmt.Fprintf(&part, "\n## %s\n\n%s%s.\n\n", g.Name, strings.ToUpper(g.Doc[:1]), g.Doc[1:])
		for _, line := range explainedLines(g) {
			fmt.Fprintf(&part, "- %s: %s\n", line[0], line[1])
		}
		fmt.Fprintf(&part, "- needs: %s\n", needs(g))
	}
	return part.String() + "\n"
}

// needs is what a lock has to have for a guard.
func needs(g *resource.Guard) string {
	switch {
	case g.Asks:
		return "a fencing token that the lock service can be asked about"
	case g.NeedsToken:
		return "a fencing token"
	}
	return "nothing of the lock"
}

// tellApart are the scenarios that were made to tell guards apart.
var tellApart = []string{"stale-write-in-between", "stale-when-it-takes-effect", "token-forgotten", "equal-tokens-after-failover",
	"coarse-token", "answer-older-than-effect", "write-applied-twice", "request-sent-again", "job-done-twice", "job-outlives-its-holder",
	"prune-deletes-what-is-needed", "state-gone-once-round", "two-objects"}

// expectedOfGuards is a table of what becomes of the resource in them. TestDigests runs
// them.
func expectedOfGuards(t *testing.T) string {
	var table strings.Builder
	table.WriteString("\n| scenario | " + strings.Join(resource.GuardNames(), " | ") + " |\n|" + strings.Repeat(" --- |", len(resource.Guards)+1) + "\n")
	for _, name := range scenarios.LibraryNames() {
		if of, _, _ := strings.Cut(name, "/"); !slices.Contains(tellApart, of) {
			continue
		}
		cells := expectedOf(t, name)
		fmt.Fprintf(&table, "| `%s` |", name)
		for _, g := range resource.Guards {
			fmt.Fprintf(&table, " %s |", cells[g.Name])
		}
		table.WriteString("\n")
	}
	return table.String() + "\n"
}

// expectedOf is the status of the resource that a scenario expects, by guard: of all locks that
// it speaks of, "-" if it speaks of none.
func expectedOf(t *testing.T, name string) map[string]string {
	t.Helper()
	s, err := scenarios.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Instantiate(registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := in.Plans(registry.Locks(), resource.Guards)
	if err != nil {
		t.Fatal(err)
	}
	cells := map[string]string{}
	for _, g := range resource.Guards {
		cells[g.Name] = "-"
	}
	for _, p := range plans {
		status, ok := p.Expect.Status[checker.ResourceName]
		switch cell := cells[p.Guard.Name]; {
		case !ok || p.NotApplicable != "":
		case cell == "-":
			cells[p.Guard.Name] = string(status)
		case cell != string(status):
			cells[p.Guard.Name] = "depends on the lock"
		}
	}
	return cells
}
