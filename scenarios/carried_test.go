package scenarios

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCarriedScenario: a scenario that was carried to where its file is not is the same one, as a variant
// too, and of the library.
func TestCarriedScenario(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	text := "name: mine\nclients: [{}]\nvariants:\n  twice: {clients: [{cycles: 2}]}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var carried []*Carried
	var want []*Scenario
	for _, name := range []string{file, file + "/twice", "kleppmann", "kleppmann/beyond-takeover"} {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Carry()
		if err != nil {
			t.Fatal(err)
		}
		carried, want = append(carried, c), append(want, s)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	for i, c := range carried {
		got, err := c.Load()
		if err != nil {
			t.Fatal(err)
		}
		if w := want[i]; got.Name != w.Name || got.Hash != w.Hash || got.Path() != w.Path() || got.File != w.File || got.Library != w.Library {
			t.Errorf("%s came back as %s of %s", w.Name, got.Name, got.File)
		}
	}
}
