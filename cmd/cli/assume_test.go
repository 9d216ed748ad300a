package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/modeltest"
	"fencepost/reports"
	"fencepost/scenarios/assume"
)

var everyLock = flag.Bool("every-lock", false, "measure the assumptions of every lock, and not of redis alone: a minute of processor time")

// TestAssumptionsInDocs measures locks, has each difference from their documents explained, and
// compares docs/assumptions.md: the whole page with -every-lock, or else redis' part of it.
// UPDATE_GOLDEN=1 with -every-lock writes the page.
func TestAssumptionsInDocs(t *testing.T) {
	modeltest.ManyTrials(t)
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	redis, _ := registry.Find("redis")
	locks := []models.Lock{redis}
	if *everyLock {
		locks = registry.Locks()
	}
	m := &assume.Measurement{Registry: registry, Locks: locks, Workers: runtime.GOMAXPROCS(0)}
	rows, err := m.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		differencesExplained(t, &rows[i])
	}
	var page bytes.Buffer
	if err := reports.WriteAssumptionsMarkdown(&page, rows); err != nil {
		t.Fatal(err)
	}
	if *everyLock {
		compareWithDoc(t, "assumptions.md", page.Bytes(), "fencepost assume --format markdown")
		return
	}
	shown, err := os.ReadFile(filepath.Join(root, "docs", "assumptions.md"))
	if err != nil {
		t.Fatal(err)
	}
	if part := sectionOf(page.String(), "redis"); part == "" || sectionOf(string(shown), "redis") != part {
		t.Error("redis' part of docs/assumptions.md is not what `fencepost assume --lock redis --format markdown` makes now; UPDATE_GOLDEN=1 with -every-lock writes the page anew")
	}
}

// sectionOf is the part of a page under a heading.
func sectionOf(page, heading string) string {
	_, after, _ := strings.Cut(page, "\n## "+heading+"\n")
	section, _, _ := strings.Cut(after, "\n## ")
	return strings.TrimSpace(section)
}

// differencesExplained fails for each kind that broke a lock whose documents do not say so, or did not though
// they do, without a note; and for each note that nothing needs.
func differencesExplained(t *testing.T, l *assume.LockRows) {
	t.Helper()
	d, _ := assume.Of(l.Lock.Name)
	for i := range l.Rows {
		r := &l.Rows[i]
		if differs, why := r.Broke() != d.Admits(r.Kind.Name), d.Explains(r.Kind.Name); differs != (why != "") {
			t.Errorf("%s, %s: broke it: %v, documented: %v, explained by %q", l.Lock.Name, r.Kind.Name, r.Broke(), d.Admits(r.Kind.Name), why)
		}
	}
}

// compareWithDoc compares a generated page with the one in docs, or writes it there.
func compareWithDoc(t *testing.T, name string, page []byte, made string) {
	t.Helper()
	file := filepath.Join(root, "docs", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shown, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(shown, page) {
		t.Errorf("docs/%s is not what `%s` makes now; UPDATE_GOLDEN=1 writes it anew", name, made)
	}
}
