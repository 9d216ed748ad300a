package spec_test

import (
	"testing"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

// States name owners as whoever recorded them does.
func TestDescribeState(t *testing.T) {
	name := func(o spec.Owner) string { return string(rune('a' + o)) }
	permits := func(o spec.Owner, n int) any { return spec.LockInput{Op: spec.Acquire, Owner: o, Permits: n} }
	for _, c := range []struct {
		model porcupine.Model
		done  ops
		want  string
	}{
		{spec.Mutex(), nil, "nobody holds it"},
		{spec.Mutex(), ops{did(lock(spec.Acquire, 1), nil)}, "the holder is b"},
		{spec.ReentrantMutex(2), ops{did(lock(spec.Acquire, 1), nil), did(lock(spec.Acquire, 1), nil)}, "the holder is b, 2 times"},
		{spec.FencedMutex(), ops{did(lock(spec.Acquire, 1), int64(7))}, "the holder is b, token 7"},
		{spec.FencedMutex(), ops{did(lock(spec.Acquire, 1), int64(7)), did(lock(spec.Release, 1), nil)}, "nobody holds it, last token 7"},
		{spec.RWLock(), nil, "nobody holds it"},
		{spec.RWLock(), ops{did(lock(spec.Acquire, 1), nil)}, "the writer is b"},
		{spec.RWLock(), ops{did(lock(spec.AcquireShared, 1), nil), did(lock(spec.AcquireShared, 0), nil), did(lock(spec.AcquireShared, 1), nil)}, "it is read by a, b (2 times)"},
		{spec.Semaphore(3), nil, "nobody holds a permit"},
		{spec.Semaphore(3), ops{did(permits(1, 2), nil), did(permits(0, 1), nil)}, "permits are held by a, b (2)"},
		{spec.Counter(), ops{did(add(2), int64(2))}, "2"},
	} {
		state := c.model.Init()
		for _, op := range c.done {
			_, state = c.model.Step(state, op.Input, op.Output)
		}
		if got := spec.DescribeState(state, name); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
