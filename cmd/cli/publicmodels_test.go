package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ownChecker is a program of somebody else that checks what its own lock did.
const ownChecker = `package main

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

func main() {
	history := []porcupine.Operation{
		{ClientId: 0, Input: spec.LockInput{Op: spec.Acquire, Owner: 0}, Call: 10, Return: 20},
		{ClientId: 1, Input: spec.LockInput{Op: spec.Acquire, Owner: 1}, Call: 15, Return: 30},
		{ClientId: 0, Input: spec.LockInput{Op: spec.Release, Owner: 0}, Call: 25, Return: 40},
	}
	fmt.Println(porcupine.CheckOperations(spec.Mutex(), history[:2]))
	history[1].Return = 50
	fmt.Println(spec.Check(spec.Mutex(), history, 1000))
}
`

// TestPublicModels builds a module that imports the models and porcupine, and nothing else
// of ours, in the way of docs/own-lock.md.
func TestPublicModels(t *testing.T) {
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	module := "module ownchecker\n\ngo 1.26.0\n\nrequire fencepost v0.0.0\n\nreplace fencepost => " + checkout + "\n"
	for name, text := range map[string]string{"go.mod": module, "main.go": ownChecker} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	execute(t, "go", "mod", "tidy")
	if got, want := execute(t, "go", "run", "."), "false\nlinearizable\n"; got != want {
		t.Errorf("it prints %q, want %q", got, want)
	}
	for dep := range strings.Lines(execute(t, "go", "list", "-deps", ".")) {
		if own := strings.TrimSpace(dep); within(own, "fencepost") && own != "fencepost/"+publicModels {
			t.Errorf("the public models bring in %s", own)
		}
	}
}
