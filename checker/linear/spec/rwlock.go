package spec

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// RWLock is a lock that one writer or any number of readers hold.
//
// Inputs are [LockInput]: a writer's [Acquire] and [Release], a reader's [AcquireShared]
// and [ReleaseShared]; outputs are ignored. Record as for [Mutex]. An owner may read
// several times at once and has to release each time. A reader does not become a writer,
// nor a writer a reader, without a release in between.
func RWLock() porcupine.Model { return newModel("a read-write lock", rwState{writer: Nobody}, stepRW) }

func stepRW(s rwState, in LockInput, _ any) (bool, rwState) {
	switch in.Op {
	case Acquire:
		return s.writer == Nobody && s.readers == "", rwState{writer: in.Owner}
	case Release:
		return s.writer == in.Owner, rwState{writer: Nobody}
	case AcquireShared:
		return s.writer == Nobody, rwState{Nobody, s.readers.add(in.Owner, 1)}
	case ReleaseShared:
		if s.readers.count(in.Owner) == 0 {
			return false, s
		}
		return true, rwState{Nobody, s.readers.remove(in.Owner, 1)}
	}
	panic(in.foreign("read-write lock"))
}

type rwState struct {
	writer  Owner
	readers holders
}

// String writes who holds the lock and how.
func (s rwState) String() string {
	if s.readers == "" {
		return "writer " + s.writer.String()
	}
	return fmt.Sprintf("readers %v", s.readers)
}
