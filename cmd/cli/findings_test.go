package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestFindingsAreTests: each test that docs/findings.md names is one of its model's.
func TestFindingsAreTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "findings.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`([a-z0-9]+)` (Test[A-Za-z0-9]+)").FindAllSubmatch(page, -1)
	if len(names) < 25 {
		t.Errorf("%d tests are named", len(names))
	}
	for _, n := range names {
		model, test := string(n[1]), string(n[2])
		files, err := filepath.Glob(filepath.Join(root, "models", model, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range files {
			source, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			found = found || regexp.MustCompile(`(?m)^func `+test+`\(`).Match(source)
		}
		if !found {
			t.Errorf("models/%s has no %s", model, test)
		}
	}
}
