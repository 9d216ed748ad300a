package spec

import "github.com/anishathalye/porcupine"

// Mutex is a lock that one owner holds at a time and that its owner alone can release.
//
// Inputs are [LockInput] with [Acquire] or [Release]; outputs are ignored, because failed
// and unknown acquires are left out and a release that did not come back has the Return
// [Never], as the package comment says. Use it to ask whether two owners ever believed at
// once. An owner who acquires twice without a release is refused: if that is allowed, use
// [ReentrantMutex], or make each hold an owner of its own.
//
// The model knows the owner. One that does not, a single flag, lets a stranger's release
// pass (as the mutex of https://github.com/jepsen-io/knossos does).
func Mutex() porcupine.Model { return newModel("a mutex", Nobody, stepMutex) }

func stepMutex(holder Owner, in LockInput, _ any) (bool, Owner) {
	switch in.Op {
	case Acquire:
		return holder == Nobody, in.Owner
	case Release:
		return holder == in.Owner, Nobody
	}
	panic(in.foreign("mutex"))
}

// StrictMutex is a mutex whose failures count: it is for histories that were recorded
// from outside, by clients who keep what the lock answered.
//
// Inputs are [LockInput] with [Acquire] or [Release]; outputs are an [Outcome]. [Failed]
// says of an acquire that there was an instant in which somebody held the lock, the
// caller included, and of a release that there was one in which the caller did not.
// Leave out operations that failed for other reasons: a full queue, a refused connection,
// an acquire whose answer promises nothing about others. With [Unknown], Return is
// [Never]. Each unknown operation may double the work of the search.
//
// Do not use it for a lock with a lease: there a holder may lose the lock without an
// operation. That is [Lease].
func StrictMutex() porcupine.Model { return newModel("a strict mutex", Nobody, stepStrict) }

func stepStrict(holder Owner, in LockInput, out any) (bool, Owner) {
	answer := outcome(out, in)
	possible, next := stepMutex(holder, in, nil)
	return settle(answer, possible, holder, next)
}
