package redis

import "testing"

// A key that is gone at its unlock leaves the mutex of the process locked: its next thread waits for
// ever, and others go on. The one that is always unlocked lets it in.
func TestMutexOfTheProcess(t *testing.T) {
	for mutex, again := range []bool{true, false, true} {
		r := newRig(t, 2, map[string]int64{mutexParam.Name: int64(mutex)})
		late, next, other := r.use(0, 0, 12*second), r.use(0, 20*second, second), r.use(1, 30*second, second)
		r.Run(200 * second)
		if late.done == 0 || other.done == 0 || other.err != nil {
			t.Fatalf("mutex %d: %+v, %+v", mutex, late, other)
		}
		if got := next.done != 0; got != again {
			t.Errorf("mutex %d: the next thread of the process gets the lock: %v, want %v", mutex, got, again)
		}
	}
	// A release in time unlocks it.
	r := newRig(t, 1, map[string]int64{mutexParam.Name: mutexKeptOnError})
	r.use(0, 0, second)
	next := r.use(0, 2*second, second)
	r.Run(20 * second)
	if next.done == 0 {
		t.Error("the mutex is locked after a release in time")
	}
}
