package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/models/resource"
)

// TestGuardsInDocs: docs/guards.md says of every guard what it says of itself.
// UPDATE_GOLDEN=1 writes that part of the page.
func TestGuardsInDocs(t *testing.T) {
	const begin, end = "<!-- guards -->\n", "<!-- /guards -->\n"
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
