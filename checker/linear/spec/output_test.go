package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

// What a model cannot read stops the caller, not the process, with what would be right.
func TestWrongTypes(t *testing.T) {
	for _, c := range []struct {
		model   porcupine.Model
		in, out any
		want    string
	}{
		{spec.Mutex(), "acquire", nil, `an input of a mutex has to be spec.LockInput, not acquire, of type string`},
		{spec.StrictMutex(), lock(spec.Acquire, 1), nil, "the output of acquire(1) has to be OK, Failed or Unknown, of type spec.Outcome, not nil"},
		{spec.StrictMutex(), lock(spec.Release, 1), true, "the output of release(1) has to be OK, Failed or Unknown, of type spec.Outcome, not true, of type bool"},
		{spec.StrictMutex(), lock(spec.Acquire, 1), spec.Outcome(7), "the output of acquire(1) has to be OK, Failed or Unknown, not Outcome(7)"},
		{spec.Lease(), lock(spec.Renew, 1), 3, "the output of renew(1) has to be OK, Failed or Unknown"},
		{spec.FencedMutex(), lock(spec.Acquire, 1), 33, "the output of acquire(1) has to be the token, of type int64, not 33, of type int"},
		{spec.FencedMutex(), lock(spec.Resume, 1), nil, "the output of resume(1) has to be the token, of type int64, not nil"},
		{spec.ReentrantFencedMutex(2), lock(spec.Acquire, 1), spec.OK, "the output of acquire(1) has to be the token"},
		{spec.Semaphore(1), spec.LockInput{Op: spec.Available}, nil, "the output of available() has to be the number of free permits, of type int, not nil"},
		{spec.Register("a"), read, spec.OK, "the output of read() has to be the value, of type string, not ok, of type spec.Outcome"},
		{spec.Counter(), add(1), 1, "the output of add(1) has to be Unknown or the number afterwards, of type int64, not 1, of type int"},
		{spec.Log[string](), appendTo("a"), nil, "the output of append(a) has to be Unknown or the index of the entry, of type int, not nil"},
		{spec.Log[string](), spec.LogInput[string]{}, "a", "the output of read() has to be the entries, of type []string, not a, of type string"},
		{spec.Object[string](), get, spec.Failed, "the output of get() has to be the answer, of type spec.ObjectOutput[string], not failed"},
		{spec.Section(0), replace(0, 1), nil, "the output of replace(0, 1) has to be OK, Failed or Unknown"},
		{spec.Section(0), read, spec.OK, "an input of a section has to be spec.SectionInput[int], not read(), of type spec.RegisterInput[string]"},
	} {
		history := sequence(ops{did(c.in, c.out)})
		for name, ask := range map[string]func(){
			"Check":   func() { spec.Check(c.model, history, maxSteps) },
			"Longest": func() { spec.Longest(c.model, history, maxSteps) },
		} {
			if got := panics(ask); !strings.HasPrefix(got, "spec: ") || !strings.Contains(got, c.want) {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
	}
}

// An operation that the search does not reach is looked at, too.
func TestWrongTypesBehindABadOperation(t *testing.T) {
	history := sequence(ops{did(lock(spec.Release, 1), spec.OK), did(lock(spec.Acquire, 1), nil)})
	if got := panics(func() { spec.Check(spec.StrictMutex(), history, maxSteps) }); !strings.Contains(got, "not nil") {
		t.Errorf("%q", got)
	}
}

func panics(do func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	do()
	return ""
}

// A counter does not come round to where it began.
func TestCounterDoesNotWrap(t *testing.T) {
	const most = int64(1<<63 - 1)
	for _, c := range []struct {
		adds []int64
		want spec.Answer
	}{
		{[]int64{most}, spec.Linearizable}, {[]int64{most, 1}, spec.NotLinearizable}, {[]int64{-most, -1}, spec.Linearizable}, {[]int64{-most, -1, -1}, spec.NotLinearizable},
	} {
		var history ops
		for _, n := range c.adds {
			history = append(history, did(add(n), spec.Unknown))
		}
		if got := spec.Check(spec.Counter(), sequence(history), maxSteps); got != c.want {
			t.Errorf("%v: %v, want %v", c.adds, got, c.want)
		}
	}
}
