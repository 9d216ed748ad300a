package spec_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

func keyed(key string, op spec.LockOp, owner spec.Owner) any {
	return spec.LockInput{Key: key, Op: op, Owner: owner}
}

// Locks with different keys have nothing to do with each other.
func TestKeys(t *testing.T) {
	for other, want := range map[string]spec.Answer{"b": spec.Linearizable, "a": spec.NotLinearizable} {
		history := sequence(ops{
			did(keyed("a", spec.Acquire, 0), nil), did(keyed(other, spec.Acquire, 1), nil), did(keyed("a", spec.Release, 0), nil)})
		if got := spec.Check(spec.Mutex(), history, maxSteps); got != want {
			t.Errorf("a and %s: %v, want %v", other, got, want)
		}
		if got := porcupine.CheckOperations(spec.Mutex(), history); got != (want == spec.Linearizable) {
			t.Errorf("a and %s, by porcupine: %t", other, got)
		}
		var events []porcupine.Event
		for id, op := range history {
			events = append(events, porcupine.Event{Kind: porcupine.CallEvent, Value: op.Input, Id: id},
				porcupine.Event{Kind: porcupine.ReturnEvent, Value: op.Output, Id: id})
		}
		if got := porcupine.CheckEvents(spec.Mutex(), events); got != (want == spec.Linearizable) {
			t.Errorf("a and %s, as events: %t", other, got)
		}
	}
}

// Two steps are needed, and the bound is for all keys together.
func TestBound(t *testing.T) {
	history := sequence(ops{did(keyed("a", spec.Acquire, 0), nil), did(keyed("b", spec.Acquire, 0), nil)})
	for bound, want := range map[int]spec.Answer{0: spec.Undecided, 1: spec.Undecided, 2: spec.Linearizable} {
		if got := spec.Check(spec.Mutex(), history, bound); got != want {
			t.Errorf("%d steps: %v, want %v", bound, got, want)
		}
	}
	if got := spec.Check(spec.Mutex(), nil, 0); got != spec.Linearizable {
		t.Errorf("no history: %v", got)
	}
}

// What a lock does not have is no question about it.
func TestForeignOperation(t *testing.T) {
	for name, c := range map[string]struct {
		model porcupine.Model
		in    any
	}{
		"mutex":                  {spec.Mutex(), lock(spec.Renew, 1)},
		"reentrant mutex":        {spec.ReentrantMutex(2), lock(spec.Resume, 1)},
		"fenced mutex":           {spec.FencedMutex(), lock(spec.Expire, 1)},
		"reentrant fenced mutex": {spec.ReentrantFencedMutex(2), lock(spec.Expire, 1)},
		"read-write lock":        {spec.RWLock(), lock(spec.Renew, 1)},
		"semaphore":              {spec.Semaphore(1), lock(spec.Acquire, 1)},
		"object":                 {spec.Object[int](), spec.ObjectInput[int]{Op: 9}},
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, name) {
					t.Errorf("%s: %q", name, text)
				}
			}()
			out := any(spec.ObjectOutput[int]{})
			c.model.Step(c.model.Init(), c.in, out)
		}()
	}
}

// Operations and states are told as the documentation of porcupine's picture shows them.
func TestDescriptions(t *testing.T) {
	for _, c := range []struct {
		model     porcupine.Model
		op        porcupine.Operation
		want      string
		wantState string
	}{
		{spec.Mutex(), did(keyed("disk", spec.Acquire, 1), nil), "acquire(disk, 1)", "1"},
		{spec.StrictMutex(), did(lock(spec.Release, 1), spec.Failed), "release(1) -> failed", "nobody"},
		{spec.ReentrantMutex(2), did(lock(spec.Acquire, 1), nil), "acquire(1)", "1"},
		{spec.FencedMutex(), did(lock(spec.Acquire, 1), int64(34)), "acquire(1) -> 34", "1, token 34"},
		{spec.RWLock(), did(lock(spec.AcquireShared, 1), nil), "acquire-shared(1)", "readers [1]"},
		{spec.RWLock(), did(lock(spec.Acquire, 1), nil), "acquire(1)", "writer 1"},
		{spec.Semaphore(3), did(spec.LockInput{Owner: 1, Permits: 2}, nil), "acquire(1, 2)", "[1 1]"},
		{spec.Semaphore(3), did(spec.LockInput{Op: spec.Available}, 3), "available() -> 3", "[]"},
		{spec.Register("a"), did(write("b"), nil), "write(b)", "b"},
		{spec.Register("a"), did(read, "a"), "read() -> a", "a"},
		{spec.Counter(), did(add(2), int64(2)), "add(2) -> 2", "2"},
		{spec.Counter(), did(add(0), int64(0)), "read() -> 0", "0"},
		{spec.Log[string](), did(appendTo("a"), 0), "append(a) -> 0", "[a]"},
		{spec.Log[string](), did(spec.LogInput[string]{}, []string{}), "read() -> []", "[]"},
		{spec.Object[string](), did(put("a", ""), object(spec.OK, "", "1")), `put(a) -> ETag "1"`, `a, ETag "1"`},
		{spec.Object[string](), did(put("a", "1"), object(spec.Failed, "", "")), `put(a, if match "1") -> failed`, "absent"},
		{spec.Object[string](), did(spec.ObjectInput[string]{Op: spec.Put, Value: "a", IfAbsent: true}, object(spec.Unknown, "", "")),
			`put(a, if absent) -> unknown`, `a, ETag ""`},
		{spec.Section(0), did(replace(0, 1), spec.OK), "replace(0, 1) -> ok", "1"},
		{spec.Section(0), did(spec.SectionInput[int]{Writes: true, Written: 1}, spec.OK), "write(1) -> ok", "1"},
		{spec.Section(0), did(spec.SectionInput[int]{Reads: true}, spec.OK), "read(0) -> ok", "0"},
	} {
		result, info := porcupine.CheckOperationsVerbose(c.model, sequence(ops{c.op}), time.Minute)
		if result != porcupine.Ok {
			t.Errorf("%s: %v", c.want, result)
		}
		var page bytes.Buffer
		if err := porcupine.Visualize(c.model, info, &page); err != nil {
			t.Error(err)
		}
		if got := c.model.DescribeOperation(c.op.Input, c.op.Output); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if quoted := strings.ReplaceAll(c.wantState, `"`, `\"`); !strings.Contains(page.String(), quoted) {
			t.Errorf("%s: the page does not show the state %q", c.want, c.wantState)
		}
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		spec.Undecided.String(): "unknown", spec.Answer(9).String(): "Answer(9)",
		spec.Unknown.String(): "unknown", spec.Outcome(9).String(): "Outcome(9)",
		spec.Available.String(): "available", spec.LockOp(99).String(): "LockOp(99)",
		spec.Delete.String(): "delete", spec.ObjectOp(9).String(): "ObjectOp(9)",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
