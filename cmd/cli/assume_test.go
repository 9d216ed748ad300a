package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/modeltest"
	"fencepost/reports"
	"fencepost/scenarios/assume"
)

// TestAssumptionsInDocs measures every lock, has each difference from its documents explained, and
// compares docs/assumptions.md. UPDATE_GOLDEN=1 writes the page.
func TestAssumptionsInDocs(t *testing.T) {
	modeltest.ManyTrials(t)
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	m := &assume.Measurement{Registry: registry, Locks: registry.Locks(), Workers: runtime.GOMAXPROCS(0)}
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
	compareWithDoc(t, "assumptions.md", page.Bytes(), "fencepost assume --format markdown")
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
