//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisk: a sweep that has no room for its batches, wherever that ends, says so, exits with 3, leaves
// nothing but whole batches and at most a torn one, and goes on from them to the files of one that had
// room. The shell's limit for the size of a file stands for a disk that is full: what is written in one
// piece is written in part first.
func TestFullDisk(t *testing.T) {
	skipIfRaced(t)
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	dir := t.TempDir()
	whole, full := filepath.Join(dir, "whole"), filepath.Join(dir, "full")
	sweep := func(out string, more ...string) []string {
		return append(append(append([]string{"sweep"}, oneCell...), "--trials", "4000", "--out", out), more...)
	}
	runs := func(out string) {
		var printed bytes.Buffer
		if code := Run(t.Context(), sweep(out, "--resume"), Streams{&printed, &printed}); code != ExitExpected {
			t.Fatalf("exit %d\n%s", code, printed.String())
		}
	}
	runs(whole)
	kept := -1
	for _, blocks := range []string{"4", "9", "14"} { // of 512 bytes
		limited := exec.Command(shell, append([]string{"-c", `ulimit -f ` + blocks + `; exec "$0" "$@"`, filepath.Join(commandIn(t, t.TempDir()), "fencepost")}, sweep(full, "--resume", "--format", "csv")...)...)
		out, err := limited.CombinedOutput()
		if exitCode(err) != "3" || !strings.Contains(string(out), "cannot write the result: write ") || !strings.Contains(string(out), "go on with the same command and --resume") {
			t.Fatalf("%s blocks: %v\n%s", blocks, err, out)
		}
		lines := strings.Count(journalOf(t, full), "\n")
		if lines <= kept {
			t.Errorf("%s blocks: %d lines are whole, %d with less room", blocks, lines, kept)
		}
		kept = lines
	}
	runs(full)
	for _, name := range []string{"sweep.batches", "sweep.csv", "sweep.json"} {
		want, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(full, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another one than with room (%v)", name, err)
		}
	}
}
