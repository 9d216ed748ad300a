package spec_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

// Of a good history the longest order has all, of a bad one all but what has no place.
func TestLongest(t *testing.T) {
	for _, c := range append(lockTwins, resourceTwins...) {
		good, bad := sequence(c.good), sequence(c.bad)
		if got := spec.Longest(c.model, good, maxSteps); len(got) != len(good) {
			t.Errorf("%s: %d of the %d operations of the good one are in order", c.name, len(got), len(good))
		}
		got := spec.Longest(c.model, bad, maxSteps)
		if len(got) >= len(bad) {
			t.Errorf("%s: all operations of the bad one are in order", c.name)
		}
		if again := spec.Longest(c.model, bad, maxSteps); len(again) != len(got) {
			t.Errorf("%s: %d operations, then %d", c.name, len(got), len(again))
		}
		if answer := spec.Check(c.model, got, maxSteps); answer != spec.Linearizable {
			t.Errorf("%s: the longest order is %v", c.name, answer)
		}
	}
	overlap := sequence(ops{did(lock(spec.Acquire, 0), nil), did(lock(spec.Acquire, 1), nil)})
	if got := spec.Longest(spec.Mutex(), overlap, maxSteps); len(got) != 1 || got[0].Call != overlap[0].Call {
		t.Errorf("the longest order is %v, want the first acquire", got)
	}
	if got := spec.Longest(spec.Mutex(), overlap, 0); len(got) != 0 {
		t.Errorf("without a step the order is %v", got)
	}
}

// The page of a history with two keys names what was done to both.
func TestWritePage(t *testing.T) {
	history := sequence([]porcupine.Operation{
		did(spec.LockInput{Key: "disk", Op: spec.Acquire}, nil),
		did(spec.LockInput{Key: "mail", Op: spec.Acquire, Owner: 1}, nil),
		did(spec.LockInput{Key: "mail", Op: spec.Acquire, Owner: 2}, nil)})
	for _, steps := range []int{0, maxSteps} {
		var page bytes.Buffer
		if err := spec.WritePage(&page, spec.Mutex(), history, steps); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"<html", "acquire(disk, 0)", "acquire(mail, 2)"} {
			if !strings.Contains(page.String(), want) {
				t.Errorf("%d steps: the page does not have %s", steps, want)
			}
		}
	}
}
