package spec

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// FencedMutex is a mutex that hands out a fencing token with each hold, and each token is
// higher than all before it (M. Kleppmann, How to do distributed locking, 2016,
// https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html).
//
// Inputs are [LockInput] with [Acquire], [Release] or [Resume]; the output of an acquire
// and of a resume is the token, an int64 above 0, and that of a release is ignored.
// Record as for [Mutex]. A history that a mutex allows and this model does not shows a
// token that came twice or fell.
//
// Resume is for libraries that block their caller while they do not know whether the
// lock is still theirs: such a time is a release, and a resume under the same token if
// the hold turned out to be there still. It is allowed if nobody had the lock in between.
func FencedMutex() porcupine.Model { return fencedModel("fenced mutex", 1) }

// ReentrantFencedMutex is a [FencedMutex] that its holder may acquire again, up to limit
// holds at a time; a hold within a hold has the token of the first. It is the promise of
// Hazelcast's FencedLock (https://docs.hazelcast.com/hazelcast/latest/data-structures/fencedlock).
//
// Inputs and outputs are those of [FencedMutex], and each acquire has the token as its
// output, also where it is known already. The owner is a thread, as in [ReentrantMutex].
func ReentrantFencedMutex(limit int) porcupine.Model {
	return fencedModel("reentrant fenced mutex", limit)
}

func fencedModel(name string, limit int) porcupine.Model {
	return newModel("a "+name, fenced{owner: Nobody}, func(s fenced, in LockInput, out any) (bool, fenced) {
		switch in.Op {
		case Acquire:
			return s.acquire(in.Owner, output[int64](out, in, "the token"), limit)
		case Resume:
			token := output[int64](out, in, "the token")
			return s.depth == 0 && s.owner == in.Owner && s.token == token, fenced{in.Owner, 1, s.token}
		case Release:
			return s.depth > 0 && s.owner == in.Owner, fenced{s.owner, s.depth - 1, s.token}
		}
		panic(in.foreign(name))
	})
}

// fenced is the last owner of a lock, how many times it holds the lock, which may be not
// at all, and its token.
type fenced struct {
	owner Owner
	depth int
	token int64
}

func (s fenced) acquire(o Owner, token int64, limit int) (bool, fenced) {
	if s.depth == 0 {
		return token > s.token, fenced{o, 1, token}
	}
	return s.owner == o && s.depth < limit && token == s.token, fenced{o, s.depth + 1, token}
}

// String writes the holder, the depth and the token.
func (s fenced) String() string {
	if s.depth == 0 {
		return fmt.Sprintf("nobody, last token %d", s.token)
	}
	return fmt.Sprintf("%v, token %d", reentrant{s.owner, s.depth}, s.token)
}
