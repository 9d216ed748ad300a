package spec

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// ReentrantMutex is a mutex that its holder may acquire again, up to limit holds at a
// time. It is free when each of them has been released.
//
// Inputs are [LockInput] with [Acquire] or [Release]; outputs are ignored. Record as for
// [Mutex], with one pair for each hold. The owner is what the lock takes for one holder: a
// thread for a lock like java.util.concurrent.locks.ReentrantLock, not the hold.
func ReentrantMutex(limit int) porcupine.Model {
	return newModel("a reentrant mutex", reentrant{holder: Nobody}, func(s reentrant, in LockInput, _ any) (bool, reentrant) {
		switch in.Op {
		case Acquire:
			return s.admits(in.Owner, limit), reentrant{in.Owner, s.depth + 1}
		case Release:
			return s.releases(in.Owner)
		}
		panic(in.foreign("reentrant mutex"))
	})
}

// reentrant is who holds a lock and how many times.
type reentrant struct {
	holder Owner
	depth  int
}

func (s reentrant) admits(o Owner, limit int) bool {
	return s.depth == 0 || s.holder == o && s.depth < limit
}

func (s reentrant) releases(o Owner) (bool, reentrant) {
	if s.depth == 0 || s.holder != o {
		return false, s
	}
	if s.depth == 1 {
		return true, reentrant{holder: Nobody}
	}
	return true, reentrant{o, s.depth - 1}
}

// String writes the holder and the depth.
func (s reentrant) String() string {
	if s.depth < 2 {
		return s.holder.String()
	}
	return fmt.Sprintf("%v, %d times", s.holder, s.depth)
}
