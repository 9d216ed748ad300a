package spec_test

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

// Two clients hold a lock one after the other. Client 1's acquire had begun before, which
// harms nobody. If client 0 believes until 60 instead, the beliefs overlap.
func ExampleMutex() {
	history := func(end int64) []porcupine.Operation {
		return []porcupine.Operation{
			{ClientId: 0, Input: spec.LockInput{Op: spec.Acquire, Owner: 0}, Call: 10, Return: 20},
			{ClientId: 0, Input: spec.LockInput{Op: spec.Release, Owner: 0}, Call: end, Return: end + 5},
			{ClientId: 1, Input: spec.LockInput{Op: spec.Acquire, Owner: 1}, Call: 15, Return: 50},
			{ClientId: 1, Input: spec.LockInput{Op: spec.Release, Owner: 1}, Call: 70, Return: spec.Never},
		}
	}
	fmt.Println(porcupine.CheckOperations(spec.Mutex(), history(40)))
	fmt.Println(porcupine.CheckOperations(spec.Mutex(), history(60)))
	// Output:
	// true
	// false
}

// A try that fails says that somebody has the lock. Here nobody can have it, unless the
// request of client 0, whose answer was lost, did get it.
func ExampleStrictMutex() {
	try := porcupine.Operation{ClientId: 1, Input: spec.LockInput{Op: spec.Acquire, Owner: 1}, Output: spec.Failed, Call: 30, Return: 40}
	lost := porcupine.Operation{ClientId: 0, Input: spec.LockInput{Op: spec.Acquire, Owner: 0}, Output: spec.Unknown, Call: 10, Return: spec.Never}
	fmt.Println(porcupine.CheckOperations(spec.StrictMutex(), []porcupine.Operation{try}))
	fmt.Println(porcupine.CheckOperations(spec.StrictMutex(), []porcupine.Operation{lost, try}))
	// Output:
	// false
	// true
}

// A thread that acquired twice has to release twice before another gets in.
func ExampleReentrantMutex() {
	in := func(op spec.LockOp, owner spec.Owner, at int64) porcupine.Operation {
		return porcupine.Operation{ClientId: int(owner), Input: spec.LockInput{Op: op, Owner: owner}, Call: at, Return: at + 5}
	}
	once := []porcupine.Operation{in(spec.Acquire, 0, 10), in(spec.Acquire, 0, 20), in(spec.Release, 0, 30), in(spec.Acquire, 1, 50)}
	twice := append(once, in(spec.Release, 0, 40))
	fmt.Println(porcupine.CheckOperations(spec.ReentrantMutex(2), once))
	fmt.Println(porcupine.CheckOperations(spec.ReentrantMutex(2), twice))
	// Output:
	// false
	// true
}

// A lock that forgets its counter when it moves to another server hands out a token again.
func ExampleFencedMutex() {
	history := func(second int64) []porcupine.Operation {
		return []porcupine.Operation{
			{ClientId: 0, Input: spec.LockInput{Op: spec.Acquire, Owner: 0}, Output: int64(33), Call: 10, Return: 20},
			{ClientId: 0, Input: spec.LockInput{Op: spec.Release, Owner: 0}, Call: 30, Return: 35},
			{ClientId: 1, Input: spec.LockInput{Op: spec.Acquire, Owner: 1}, Output: second, Call: 40, Return: 50},
		}
	}
	fmt.Println(porcupine.CheckOperations(spec.FencedMutex(), history(34)))
	fmt.Println(porcupine.CheckOperations(spec.FencedMutex(), history(33)))
	// Output:
	// true
	// false
}

// A hold within a hold keeps the token.
func ExampleReentrantFencedMutex() {
	history := func(inner int64) []porcupine.Operation {
		return []porcupine.Operation{
			{Input: spec.LockInput{Op: spec.Acquire}, Output: int64(33), Call: 10, Return: 20},
			{Input: spec.LockInput{Op: spec.Acquire}, Output: inner, Call: 30, Return: 40},
		}
	}
	fmt.Println(porcupine.CheckOperations(spec.ReentrantFencedMutex(2), history(33)))
	fmt.Println(porcupine.CheckOperations(spec.ReentrantFencedMutex(2), history(34)))
	// Output:
	// true
	// false
}

// Two readers read at once; a writer that gets in beside one of them is one too many.
func ExampleRWLock() {
	history := func(second spec.LockOp) []porcupine.Operation {
		return []porcupine.Operation{
			{ClientId: 0, Input: spec.LockInput{Op: spec.AcquireShared, Owner: 0}, Call: 10, Return: 20},
			{ClientId: 1, Input: spec.LockInput{Op: second, Owner: 1}, Call: 30, Return: 40},
			{ClientId: 0, Input: spec.LockInput{Op: spec.ReleaseShared, Owner: 0}, Call: 50, Return: 60},
		}
	}
	fmt.Println(porcupine.CheckOperations(spec.RWLock(), history(spec.AcquireShared)))
	fmt.Println(porcupine.CheckOperations(spec.RWLock(), history(spec.Acquire)))
	// Output:
	// true
	// false
}

// Of three permits, two are taken and then asked for again. That takes four.
func ExampleSemaphore() {
	history := []porcupine.Operation{
		{ClientId: 0, Input: spec.LockInput{Op: spec.Acquire, Owner: 0, Permits: 2}, Call: 10, Return: 20},
		{ClientId: 1, Input: spec.LockInput{Op: spec.Acquire, Owner: 1, Permits: 2}, Call: 30, Return: 40},
	}
	fmt.Println(porcupine.CheckOperations(spec.Semaphore(4), history))
	fmt.Println(porcupine.CheckOperations(spec.Semaphore(3), history))
	// Output:
	// true
	// false
}

// A lease of 100 that was asked for at 10 may end from 110 on. The next holder may get in
// after that, but not before.
func ExampleLease() {
	history := func(next int64) []porcupine.Operation {
		return []porcupine.Operation{
			{ClientId: 0, Input: spec.LockInput{Op: spec.Acquire, Owner: 0}, Output: spec.OK, Call: 10, Return: 20},
			{ClientId: 0, Input: spec.LockInput{Op: spec.Expire, Owner: 0}, Call: 10 + 100, Return: spec.Never},
			{ClientId: 1, Input: spec.LockInput{Op: spec.Acquire, Owner: 1}, Output: spec.OK, Call: next, Return: next + 10},
			{ClientId: 0, Input: spec.LockInput{Op: spec.Renew, Owner: 0}, Output: spec.Failed, Call: 150, Return: 160},
		}
	}
	fmt.Println(porcupine.CheckOperations(spec.Lease(), history(120)))
	fmt.Println(porcupine.CheckOperations(spec.Lease(), history(90)))
	// Output:
	// true
	// false
}
