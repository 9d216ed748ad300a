package spec_test

import (
	"testing"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

// did is an operation and its output; in a list of them, one follows the other.
func did(in, out any) porcupine.Operation { return porcupine.Operation{Input: in, Output: out} }

// lost is an operation whose outcome is not known.
func lost(in, out any) porcupine.Operation {
	return porcupine.Operation{Input: in, Output: out, Return: spec.Never}
}

func lock(op spec.LockOp, owner spec.Owner) any { return spec.LockInput{Op: op, Owner: owner} }

// sequence gives operations their times: each is called after the one before returned.
func sequence(ops []porcupine.Operation) []porcupine.Operation {
	for i := range ops {
		ops[i].Call = int64(2 * i)
		if ops[i].Return == 0 {
			ops[i].Return = int64(2*i + 1)
		}
	}
	return ops
}

// twins are two histories that hardly differ: the model allows the first one alone.
type twins struct {
	name      string
	model     porcupine.Model
	good, bad []porcupine.Operation
}

type ops = []porcupine.Operation

var lockTwins = []twins{
	{"an unlock frees nobody else", spec.Mutex(),
		ops{did(lock(spec.Acquire, 0), nil), did(lock(spec.Release, 0), nil)},
		ops{did(lock(spec.Acquire, 0), nil), did(lock(spec.Release, 1), nil)}},
	{"a release that does not come back frees", spec.Mutex(),
		ops{did(lock(spec.Acquire, 0), nil), lost(lock(spec.Release, 0), nil), did(lock(spec.Acquire, 1), nil)},
		ops{did(lock(spec.Acquire, 0), nil), did(lock(spec.Acquire, 1), nil), lost(lock(spec.Release, 0), nil)}},
	{"a try fails while somebody holds", spec.StrictMutex(),
		ops{did(lock(spec.Acquire, 0), spec.OK), did(lock(spec.Acquire, 1), spec.Failed)},
		ops{did(lock(spec.Acquire, 1), spec.Failed), did(lock(spec.Acquire, 0), spec.OK)}},
	{"or may hold", spec.StrictMutex(),
		ops{lost(lock(spec.Acquire, 0), spec.Unknown), did(lock(spec.Acquire, 1), spec.Failed)},
		ops{lost(lock(spec.Release, 0), spec.Unknown), did(lock(spec.Acquire, 1), spec.Failed)}},
	{"what may have happened need not have", spec.StrictMutex(),
		ops{lost(lock(spec.Acquire, 0), spec.Unknown), did(lock(spec.Acquire, 1), spec.OK), did(lock(spec.Release, 1), spec.OK), did(lock(spec.Acquire, 1), spec.OK)},
		ops{lost(lock(spec.Acquire, 0), spec.Unknown), did(lock(spec.Acquire, 1), spec.OK), did(lock(spec.Release, 1), spec.Failed), did(lock(spec.Acquire, 1), spec.OK)}},
	{"the holder's release does not fail", spec.StrictMutex(),
		ops{did(lock(spec.Acquire, 0), spec.OK), did(lock(spec.Release, 1), spec.Failed)},
		ops{did(lock(spec.Acquire, 0), spec.OK), did(lock(spec.Release, 0), spec.Failed)}},
	{"each hold is released", spec.ReentrantMutex(2),
		ops{did(lock(spec.Acquire, 0), nil), did(lock(spec.Acquire, 0), nil), did(lock(spec.Release, 0), nil), did(lock(spec.Release, 0), nil), did(lock(spec.Acquire, 1), nil)},
		ops{did(lock(spec.Acquire, 0), nil), did(lock(spec.Acquire, 0), nil), did(lock(spec.Release, 0), nil), did(lock(spec.Acquire, 1), nil)}},
	{"and by its owner", spec.ReentrantMutex(2),
		ops{did(lock(spec.Acquire, 0), nil), did(lock(spec.Release, 0), nil)},
		ops{did(lock(spec.Acquire, 0), nil), did(lock(spec.Release, 1), nil)}},
	{"up to the limit", spec.ReentrantMutex(1),
		ops{did(lock(spec.Acquire, 0), nil)},
		ops{did(lock(spec.Acquire, 0), nil), did(lock(spec.Acquire, 0), nil)}},
	{"tokens rise", spec.FencedMutex(),
		ops{did(lock(spec.Acquire, 0), int64(33)), did(lock(spec.Release, 0), nil), did(lock(spec.Acquire, 1), int64(34))},
		ops{did(lock(spec.Acquire, 0), int64(33)), did(lock(spec.Release, 0), nil), did(lock(spec.Acquire, 1), int64(33))}},
	{"a hold resumes if nobody came between", spec.FencedMutex(),
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Release, 0), nil), did(lock(spec.Resume, 0), int64(1))},
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Release, 0), nil), did(lock(spec.Acquire, 1), int64(2)), did(lock(spec.Release, 1), nil), did(lock(spec.Resume, 0), int64(1))}},
	{"and has been left", spec.FencedMutex(),
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Release, 0), nil), did(lock(spec.Resume, 0), int64(1))},
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Resume, 0), int64(1))}},
	{"by the same owner", spec.FencedMutex(),
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Release, 0), nil), did(lock(spec.Resume, 0), int64(1))},
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Release, 0), nil), did(lock(spec.Resume, 1), int64(1))}},
	{"under the same token", spec.FencedMutex(),
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Release, 0), nil), did(lock(spec.Resume, 0), int64(1))},
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Release, 0), nil), did(lock(spec.Resume, 0), int64(2))}},
	{"a fenced hold is released once", spec.FencedMutex(),
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Release, 0), nil)},
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Release, 0), nil), did(lock(spec.Release, 0), nil)}},
	{"only the holder holds again", spec.ReentrantFencedMutex(2),
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Acquire, 0), int64(1))},
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Acquire, 1), int64(1))}},
	{"a hold within a hold keeps the token", spec.ReentrantFencedMutex(2),
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Acquire, 0), int64(1))},
		ops{did(lock(spec.Acquire, 0), int64(1)), did(lock(spec.Acquire, 0), int64(2))}},
	{"readers share", spec.RWLock(),
		ops{did(lock(spec.AcquireShared, 0), nil), did(lock(spec.AcquireShared, 1), nil)},
		ops{did(lock(spec.AcquireShared, 0), nil), did(lock(spec.Acquire, 1), nil)}},
	{"a reader that reads twice releases twice", spec.RWLock(),
		ops{did(lock(spec.AcquireShared, 0), nil), did(lock(spec.AcquireShared, 0), nil), did(lock(spec.ReleaseShared, 0), nil), did(lock(spec.ReleaseShared, 0), nil), did(lock(spec.Acquire, 1), nil)},
		ops{did(lock(spec.AcquireShared, 0), nil), did(lock(spec.AcquireShared, 0), nil), did(lock(spec.ReleaseShared, 0), nil), did(lock(spec.Acquire, 1), nil)}},
	{"a writer is released by itself", spec.RWLock(),
		ops{did(lock(spec.Acquire, 0), nil), did(lock(spec.Release, 0), nil)},
		ops{did(lock(spec.Acquire, 0), nil), did(lock(spec.Release, 1), nil)}},
	{"an owner gives back its own permits", spec.Semaphore(3),
		ops{did(spec.LockInput{Owner: 0, Permits: 1}, nil), did(spec.LockInput{Owner: 1, Permits: 2}, nil), did(spec.LockInput{Op: spec.Release, Owner: 1, Permits: 2}, nil)},
		ops{did(spec.LockInput{Owner: 0, Permits: 1}, nil), did(spec.LockInput{Owner: 1, Permits: 2}, nil), did(spec.LockInput{Op: spec.Release, Owner: 0, Permits: 2}, nil)}},
	{"a permit that is gone is missed", spec.Semaphore(2),
		ops{did(spec.LockInput{Owner: 0, Permits: 1}, nil), did(spec.LockInput{Op: spec.Available}, 1)},
		ops{did(spec.LockInput{Owner: 0, Permits: 1}, nil), did(spec.LockInput{Op: spec.Release, Owner: 0, Permits: 1}, nil), did(spec.LockInput{Op: spec.Available}, 1)}},
	{"another gets in when the lease may be over", spec.Lease(),
		ops{did(lock(spec.Acquire, 0), spec.OK), lost(lock(spec.Expire, 0), nil), did(lock(spec.Acquire, 1), spec.OK)},
		ops{did(lock(spec.Acquire, 0), spec.OK), did(lock(spec.Acquire, 1), spec.OK), lost(lock(spec.Expire, 0), nil)}},
	{"but the end of one lease is not that of the next", spec.Lease(),
		ops{did(lock(spec.Acquire, 0), spec.OK), did(lock(spec.Release, 0), spec.OK), did(lock(spec.Acquire, 1), spec.OK), lost(lock(spec.Expire, 1), nil), did(lock(spec.Acquire, 2), spec.OK)},
		ops{did(lock(spec.Acquire, 0), spec.OK), did(lock(spec.Release, 0), spec.OK), did(lock(spec.Acquire, 1), spec.OK), lost(lock(spec.Expire, 0), nil), did(lock(spec.Acquire, 2), spec.OK)}},
	{"and then nothing is renewed", spec.Lease(),
		ops{did(lock(spec.Acquire, 0), spec.OK), lost(lock(spec.Expire, 0), nil), did(lock(spec.Acquire, 1), spec.OK), did(lock(spec.Renew, 0), spec.Failed)},
		ops{did(lock(spec.Acquire, 0), spec.OK), lost(lock(spec.Expire, 0), nil), did(lock(spec.Acquire, 1), spec.OK), did(lock(spec.Renew, 0), spec.OK)}},
}

var (
	read  = spec.RegisterInput[string]{}
	write = func(v string) any { return spec.RegisterInput[string]{Write: true, Value: v} }
	get   = spec.ObjectInput[string]{}
)

func put(value, match string) any {
	return spec.ObjectInput[string]{Op: spec.Put, Value: value, IfMatch: match}
}

func object(o spec.Outcome, value, etag string) any {
	return spec.ObjectOutput[string]{Outcome: o, Value: value, ETag: etag}
}

func replace(seen, written int) any {
	return spec.SectionInput[int]{Reads: true, Writes: true, Seen: seen, Written: written}
}

func see(value int) any { return spec.SectionInput[int]{Reads: true, Seen: value} }

func add(n int64) any { return spec.CounterInput{Delta: n} }

func appendTo(v string) any { return spec.LogInput[string]{Append: true, Value: v} }

var resourceTwins = []twins{
	{"a read sees the last write", spec.Register("a"),
		ops{did(read, "a"), did(write("b"), nil), did(read, "b")},
		ops{did(read, "a"), did(write("b"), nil), did(read, "a")}},
	{"a write may come late, but once", spec.Register("a"),
		ops{lost(write("b"), nil), did(read, "a"), did(read, "b")},
		ops{lost(write("b"), nil), did(read, "a"), did(read, "b"), did(read, "a")}},
	{"an addition may go unanswered", spec.Counter(),
		ops{did(add(2), int64(2)), lost(add(3), spec.Unknown), did(add(0), int64(2)), did(add(0), int64(5))},
		ops{did(add(2), int64(2)), lost(add(3), spec.Unknown), did(add(0), int64(4))}},
	{"an index is given once", spec.Log[string](),
		ops{did(appendTo("a"), 0), did(appendTo("b"), 1), did(spec.LogInput[string]{}, []string{"a", "b"})},
		ops{did(appendTo("a"), 0), did(appendTo("b"), 0), did(spec.LogInput[string]{}, []string{"a", "b"})}},
	{"entries keep their order", spec.Log[string](),
		ops{did(appendTo("a"), 0), lost(appendTo("b"), spec.Unknown), did(spec.LogInput[string]{}, []string{"a", "b"})},
		ops{did(appendTo("a"), 0), lost(appendTo("b"), spec.Unknown), did(spec.LogInput[string]{}, []string{"b", "a"})}},
	{"If-Match is for the very ETag", spec.Object[string](),
		ops{did(put("a", ""), object(spec.OK, "", "1")), did(put("b", "1"), object(spec.OK, "", "2")), did(put("c", "1"), object(spec.Failed, "", ""))},
		ops{did(put("a", ""), object(spec.OK, "", "1")), did(put("b", "1"), object(spec.OK, "", "2")), did(put("c", "1"), object(spec.OK, "", "3"))}},
	{"the ETag of a lost put is learned", spec.Object[string](),
		ops{lost(put("a", ""), object(spec.Unknown, "", "")), did(get, object(spec.OK, "a", "1")), did(put("b", "1"), object(spec.OK, "", "2"))},
		ops{lost(put("a", ""), object(spec.Unknown, "", "")), did(get, object(spec.OK, "a", "1")), did(put("b", "0"), object(spec.OK, "", "2"))}},
	{"a get returns the value", spec.Object[string](),
		ops{did(put("a", ""), object(spec.OK, "", "1")), did(get, object(spec.OK, "a", "1"))},
		ops{did(put("a", ""), object(spec.OK, "", "1")), did(get, object(spec.OK, "b", "1"))}},
	{"and the ETag, if it tells one", spec.Object[string](),
		ops{did(put("a", ""), object(spec.OK, "", "1")), did(get, object(spec.OK, "a", ""))},
		ops{did(put("a", ""), object(spec.OK, "", "1")), did(get, object(spec.OK, "a", "2"))}},
	{"which stays once it is told", spec.Object[string](),
		ops{did(put("a", ""), object(spec.OK, "", "")), did(put("b", ""), object(spec.OK, "", "")), did(get, object(spec.OK, "b", "2")), did(get, object(spec.OK, "b", "2"))},
		ops{did(put("a", ""), object(spec.OK, "", "")), did(put("b", ""), object(spec.OK, "", "")), did(get, object(spec.OK, "b", "2")), did(get, object(spec.OK, "b", "3"))}},
	{"a lost put may have failed", spec.Object[string](),
		ops{lost(put("a", "1"), object(spec.Unknown, "", "")), did(get, object(spec.Failed, "", ""))},
		ops{lost(put("a", "1"), object(spec.Unknown, "", "")), did(get, object(spec.OK, "a", "1"))}},
	{"another value has another ETag", spec.Object[string](),
		ops{did(put("a", ""), object(spec.OK, "", "1")), did(put("a", ""), object(spec.OK, "", "1"))},
		ops{did(put("a", ""), object(spec.OK, "", "1")), did(put("b", ""), object(spec.OK, "", "1"))}},
	{"each section replaces what it saw", spec.Section(0),
		ops{did(replace(0, 1), spec.OK), did(replace(1, 2), spec.OK)},
		ops{did(replace(0, 1), spec.OK), did(replace(0, 2), spec.OK)}},
	{"a section that reads nothing replaces anything", spec.Section(0),
		ops{did(replace(0, 1), spec.OK), did(spec.SectionInput[int]{Writes: true, Written: 2}, spec.OK)},
		ops{did(replace(0, 1), spec.OK), did(replace(0, 2), spec.OK)}},
	{"a lost write that nobody saw harms nobody", spec.Section(0),
		ops{lost(replace(0, 1), spec.Unknown), did(replace(0, 2), spec.OK), did(see(2), spec.OK)},
		ops{lost(replace(0, 1), spec.Unknown), did(replace(0, 2), spec.OK), did(see(1), spec.OK)}},
	{"a stale read has no place, though no update is lost", spec.Section(0),
		ops{did(replace(0, 1), spec.OK), did(see(1), spec.OK), did(see(1), spec.OK)},
		ops{did(replace(0, 1), spec.OK), did(see(0), spec.OK), did(see(1), spec.OK)}},
	{"a compare-and-set fails for a reason", spec.Section(0),
		ops{did(replace(0, 1), spec.OK), did(replace(0, 2), spec.Failed)},
		ops{did(replace(0, 1), spec.OK), did(replace(1, 2), spec.Failed)}},
}

func TestTwins(t *testing.T) {
	for _, c := range append(lockTwins, resourceTwins...) {
		if got := spec.Check(c.model, sequence(c.good), maxSteps); got != spec.Linearizable {
			t.Errorf("%s: the good one is %v", c.name, got)
		}
		if got := spec.Check(c.model, sequence(c.bad), maxSteps); got != spec.NotLinearizable {
			t.Errorf("%s: the bad one is %v", c.name, got)
		}
	}
}

// Logs are the same if their entries are, however they came about.
func TestLogStates(t *testing.T) {
	m := spec.Log[string]()
	log := func(values ...string) any {
		state := m.Init()
		for _, v := range values {
			_, state = m.Step(state, appendTo(v), spec.Unknown)
		}
		return state
	}
	for _, c := range []struct {
		a, b any
		same bool
	}{
		{log(), log(), true},
		{log("a", "b"), log("a", "b"), true},
		{log("a", "b"), log("b", "a"), false},
		{log("a", "b"), log("c", "b"), false},
		{log("a"), log("a", "a"), false},
	} {
		if got := m.Equal(c.a, c.b); got != c.same {
			t.Errorf("%v and %v: same is %t", c.a, c.b, got)
		}
	}
}
