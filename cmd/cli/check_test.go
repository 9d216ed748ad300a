package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/checker/linear/spec"
)

// A history that is too large for porcupine is judged, with evidence, and not drawn.
func TestCheckLargeHistory(t *testing.T) {
	for name, want := range map[string]int{"good": ExitExpected, "bad": ExitUnexpected} {
		dir := t.TempDir()
		var text strings.Builder
		n := spec.Large + 2
		for i := range n {
			process := i / 2 % 5
			if name == "bad" && i == n-1 {
				process = 7
			}
			fmt.Fprintf(&text, `{"process": %d, "op": %q, "outcome": "ok", "call": %d, "return": %d}`+"\n", process, []string{"acquire", "release"}[i%2], 2*i, 2*i+1)
		}
		file := filepath.Join(dir, "h.jsonl")
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := Run(context.Background(), []string{"check", file, "--out", filepath.Join(dir, "out")}, Streams{&out, &errs}); code != want {
			t.Errorf("%s: exit code %d, want %d: %s%s", name, code, want, out.String(), errs.String())
		}
		if want := "history.html is left out: it shows at most 10000 operations of one key\n"; errs.String() != want {
			t.Errorf("%s: %q, want %q", name, errs.String(), want)
		}
		if _, err := os.Stat(filepath.Join(dir, "out", "history.html")); err == nil {
			t.Errorf("%s: there is a page", name)
		}
		if told := strings.Contains(out.String(), fmt.Sprintf("line %d: release by 7 ", n)); told != (name == "bad") {
			t.Errorf("%s: %s", name, out.String())
		}
	}
}
