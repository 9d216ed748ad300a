package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What a process that was killed has left is removed by the next that writes there; what one
// that runs is writing stays, and so does what is of another machine or of nobody known.
func TestLeftovers(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	stay := map[string]bool{
		newPrefix(ended.Process.Pid) + "123":      false,
		newPrefix(os.Getppid()) + "123":           true,
		newPrefix(os.Getpid()) + "of-another-one": true,
		newOfMachine() + "none":                   true,
		newOfMachine() + "1":                      true,
		".new-elsewhere.example-1-123":            true,
		".new-123456789":                          true,
		"result.json":                             true,
	}
	for name := range stay {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := newPrefix(ended.Process.Pid) + "sweep.json"
	if err := os.WriteFile(filepath.Join(dir, file), []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	stay[file] = false
	nothing := func(io.Writer) error { return nil }
	if err := writeDirectory(dir, map[string]func(io.Writer) error{"report.md": nothing}); err != nil {
		t.Fatal(err)
	}
	for name, want := range stay {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", name, err == nil, want)
		}
	}
	if own, err := filepath.Glob(filepath.Join(dir, newPrefix(os.Getpid())+"*")); err != nil || len(own) != 1 {
		t.Errorf("left are %v, %v", own, err)
	}
}
