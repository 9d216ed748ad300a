package spec

import "github.com/anishathalye/porcupine"

// Semaphore has so many permits, which owners acquire and release in any number.
//
// Inputs are [LockInput] with [Acquire] or [Release] and Permits above 0, whose outputs
// are ignored, or with [Available], whose output is the number of free permits, an int.
// Record as for [Mutex]. Owners release what they hold and no more; for a semaphore that
// anybody may release, give all operations one owner. A permit that is lost for good
// shows in the answers to Available alone, since failed acquires are left out.
func Semaphore(permits int) porcupine.Model {
	return newModel("a semaphore", holders(""), func(s holders, in LockInput, out any) (bool, holders) {
		if in.Op == Available {
			return output[int](out, in, "the number of free permits") == permits-s.size(), s
		}
		if in.Permits < 1 {
			panic(in.foreign("semaphore"))
		}
		switch in.Op {
		case Acquire:
			if in.Permits > permits-s.size() {
				return false, s
			}
			return true, s.add(in.Owner, in.Permits)
		case Release:
			if s.count(in.Owner) < in.Permits {
				return false, s
			}
			return true, s.remove(in.Owner, in.Permits)
		}
		panic(in.foreign("semaphore"))
	})
}
