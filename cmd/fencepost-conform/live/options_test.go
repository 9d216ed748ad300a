//go:build linux

package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOptions: what cannot be is said before anything is played.
func TestOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("no marks\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	good := Options{Runs: 1, Parallel: 1, Seeds: 1, Only: "kleppmann redis", List: true}
	var names strings.Builder
	if err := Run(t.Context(), &names, good); err != nil || names.String() != "kleppmann redis none\n" {
		t.Errorf("%q, %v", names.String(), err)
	}
	for want, change := range map[string]func(o *Options){
		"--runs 0":          func(o *Options) { o.Runs = 0 },
		"--parallel -1":     func(o *Options) { o.Parallel = -1 },
		"--seeds 0":         func(o *Options) { o.Seeds = 0 },
		"--late -1s":        func(o *Options) { o.Late = -time.Second },
		"--page writes the": func(o *Options) { o.Page = file },
		"has no place for":  func(o *Options) { o.Page, o.Only = file, "" },
		"--histories":       func(o *Options) { o.Histories = file },
		"--list":            func(o *Options) { o.Only = "nonsense" },
	} {
		o := good
		change(&o)
		if err := Run(t.Context(), &names, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
