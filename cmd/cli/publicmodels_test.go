package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ownChecker is a program of somebody else that checks what its own locks, and what they protect,
// did. Each history repeats its last operation, so that without that the model allows it.
const ownChecker = `package main

import (
	"bytes"
	"fmt"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

type row struct{ id, version int }

func acquire(o spec.Owner) spec.LockInput { return spec.LockInput{Op: spec.Acquire, Owner: o} }

func main() {
	first, second := row{1, 1}, row{1, 2}
	for _, c := range []struct {
		model   porcupine.Model
		in, out any
	}{
		{spec.Mutex(), acquire(0), nil},
		{spec.StrictMutex(), acquire(0), spec.OK},
		{spec.ReentrantMutex(1), acquire(0), nil},
		{spec.FencedMutex(), acquire(0), int64(1)},
		{spec.ReentrantFencedMutex(1), acquire(0), int64(1)},
		{spec.RWLock(), acquire(0), nil},
		{spec.Semaphore(1), spec.LockInput{Op: spec.Acquire, Permits: 1}, nil},
		{spec.Lease(), acquire(0), spec.OK},
		{spec.Counter(), spec.CounterInput{Delta: 1}, int64(1)},
		{spec.Log[row](), spec.LogInput[row]{Append: true, Value: first}, 0},
		{spec.Object[row](), spec.ObjectInput[row]{Op: spec.Put, Value: first, IfAbsent: true}, spec.ObjectOutput[row]{Outcome: spec.OK}},
		{spec.Section(first), spec.SectionInput[row]{Reads: true, Writes: true, Seen: first, Written: second}, spec.OK},
	} {
		history := []porcupine.Operation{
			{ClientId: 0, Input: c.in, Output: c.out, Call: 10, Return: 20},
			{ClientId: 1, Input: c.in, Output: c.out, Call: 30, Return: 40},
		}
		var page bytes.Buffer
		err := spec.WritePage(&page, c.model, history, 1000)
		fmt.Println(spec.Check(c.model, history[:1], 1000), spec.Check(c.model, history, 1000),
			porcupine.CheckOperations(c.model, history), len(spec.Longest(c.model, history, 1000)), bytes.Contains(page.Bytes(), []byte("<html")), err)
	}
	reads := []porcupine.Operation{{Input: spec.RegisterInput[row]{}, Output: second, Call: 1, Return: 2}}
	fmt.Println(spec.Check(spec.Register(second), reads, 1000), spec.Check(spec.Register(first), reads, 1000))
}
`

// TestPublicModels builds a module that imports the models and porcupine, and nothing else
// of ours, in the way of docs/own-lock.md. It has every model, the generic ones of a type of its own.
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
	if got, want := execute(t, "go", "run", "."),
		strings.Repeat("linearizable not linearizable false 1 true <nil>\n", 12)+"linearizable not linearizable\n"; got != want {
		t.Errorf("it prints %q, want %q", got, want)
	}
	for dep := range strings.Lines(execute(t, "go", "list", "-deps", ".")) {
		if own := strings.TrimSpace(dep); within(own, "fencepost") && own != "fencepost/"+publicModels {
			t.Errorf("the public models bring in %s", own)
		}
	}
}
