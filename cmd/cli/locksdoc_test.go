package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/models"
	"fencepost/models/all"
)

// TestLocksInDocs: docs/locks.md says of every lock system what it says of itself.
// UPDATE_GOLDEN=1 writes the page.
func TestLocksInDocs(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# The lock systems

What each lock system is and promises, and the parameters that a scenario may set under ` + "`lock:`" + `.
The defaults are the real system's. ` + "`fencepost list locks --long`" + ` prints the same; what each model
leaves out is in [validity.md](validity.md).

| lock | what it is | clock of its leases | token | takeover |
| --- | --- | --- | --- | --- |
`)
	for _, l := range all.Locks() {
		d := l.Describe()
		fmt.Fprintf(&page, "| [%s](#%s) | %s | %s | %s | %v |\n", d.Name, d.Name, d.Summary, clockOf(&d),
			tokenOf(&d, models.Defaults(d.Params)), d.Takeover(models.Defaults(d.Params)))
	}
	for _, l := range all.Locks() {
		writeLock(&page, l.Describe())
	}
	file := filepath.Join(root, "docs", "locks.md")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shown, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(shown) != page.String() {
		t.Error("docs/locks.md is not what the lock systems say of themselves; UPDATE_GOLDEN=1 writes it anew")
	}
}

func writeLock(page *strings.Builder, d models.Description) {
	fmt.Fprintf(page, "\n## %s\n\n%s%s.\n\n", d.Name, strings.ToUpper(d.Summary[:1]), d.Summary[1:])
	for _, fact := range factsOf(&d) {
		fmt.Fprintf(page, "- %s: %s\n", fact[0], fact[1])
	}
	if len(d.Params) == 0 {
		return
	}
	page.WriteString("\n| parameter | default | accepted | meaning |\n| --- | --- | --- | --- |\n")
	for _, p := range d.Params {
		fmt.Fprintf(page, "| `%s` | %s | %s | %s |\n", p.Name, p.Format(p.Default), accepted(p), p.Doc)
	}
}
