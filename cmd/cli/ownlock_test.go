package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnLock builds the module of docs/own-lock.md, with this checkout in the place of
// ../fencepost, and runs its commands.
func TestOwnLock(t *testing.T) {
	skipIfRaced(t)
	content, err := os.ReadFile(filepath.Join(root, "docs", "own-lock.md"))
	if err != nil {
		t.Fatal(err)
	}
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	files := 0
	for _, b := range blocks(string(content)) {
		first, text, _ := strings.Cut(b.text, "\n")
		name, ok := strings.CutPrefix(first, "// file: ")
		if !ok {
			continue
		}
		files++
		text = strings.Replace(text, "=> ../fencepost", "=> "+checkout, 1)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(text, "\n"); name == "desk.go" && lines >= 60 {
			t.Errorf("the lock has %d lines", lines)
		}
	}
	if files != 3 {
		t.Fatalf("%d files on the page, want go.mod, desk.go and main.go", files)
	}
	if unformatted := execute(t, "go", "run", "cmd/gofmt", "-l", "."); unformatted != "" {
		t.Errorf("not formatted: %s", unformatted)
	}
	execute(t, "go", "mod", "tidy")
	execute(t, "go", "vet", ".")
	execute(t, "go", "build", "-o", "mylock", ".")
	for _, b := range blocks(string(content)) {
		if b.kind != "console" {
			continue
		}
		command, want, _ := strings.Cut(strings.TrimPrefix(b.text, "$ "), "\n")
		args := words(command)
		got := execute(t, args[0], args[1:]...)
		if want = strings.TrimRight(want, "\n"); !matches(want, strings.TrimRight(got, "\n")) {
			t.Errorf("line %d: $ %s\nprints\n%s\nthe page says\n%s", b.line, command, got, want)
		}
	}
	if info, err := os.Stat("rates.svg"); err != nil || info.Size() == 0 {
		t.Errorf("the chart was not drawn: %v", err)
	}
}

// execute runs a program and returns what it prints to standard output.
func execute(t *testing.T, name string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	c := exec.Command(name, args...)
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, &out, &errs)
	}
	return out.String()
}
