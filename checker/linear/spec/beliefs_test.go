package spec_test

import (
	"math/rand/v2"
	"testing"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

// hold is one hold that was recorded by the rules: four instants that rise.
type hold struct {
	called, returned, released, answered int64
	shared                               bool
	permits                              int
}

// drawHolds gives holds their instants from one shuffled list, so that no two are equal.
func drawHolds(random *rand.Rand, n int) []hold {
	all := make([]hold, n)
	step := make([]int, n)
	for now := int64(1); now <= int64(4*n); {
		i := random.IntN(n)
		h := &all[i]
		switch step[i]++; step[i] {
		case 1:
			*h = hold{called: now, shared: random.IntN(3) > 0, permits: 1 + random.IntN(2)}
		case 2:
			h.returned = now
		case 3:
			h.released = now
		case 4:
			h.answered = now
		default:
			continue
		}
		now++
	}
	return all
}

// record writes holds down as operations of a lock; some do not come back, or never end.
func record(random *rand.Rand, all []hold, input func(spec.Owner, hold, bool) spec.LockInput) (history []porcupine.Operation) {
	for i, h := range all {
		o := spec.Owner(i)
		history = append(history, porcupine.Operation{Input: input(o, h, false), Call: h.called, Return: h.returned})
		switch random.IntN(6) {
		case 0:
			all[i].released = spec.Never
		case 1:
			history = append(history, porcupine.Operation{Input: input(o, h, true), Call: h.released, Return: spec.Never})
		default:
			history = append(history, porcupine.Operation{Input: input(o, h, true), Call: h.released, Return: h.answered})
		}
	}
	return history
}

// tooMany asks at each instant at which a belief begins whether all that are open then may
// be open together.
func tooMany(all []hold, allowed func([]hold) bool) bool {
	for _, h := range all {
		var open []hold
		for _, other := range all {
			if other.returned <= h.returned && h.returned < other.released {
				open = append(open, other)
			}
		}
		if !allowed(open) {
			return true
		}
	}
	return false
}

func oneWriterOrReaders(open []hold) bool {
	writers := 0
	for _, h := range open {
		if !h.shared {
			writers++
		}
	}
	return writers == 0 || len(open) == 1
}

func withinPermits(open []hold) bool {
	sum := 0
	for _, h := range open {
		sum += h.permits
	}
	return sum <= permits
}

func readOrWrite(o spec.Owner, h hold, release bool) spec.LockInput {
	op := map[[2]bool]spec.LockOp{{true, true}: spec.ReleaseShared, {true, false}: spec.AcquireShared,
		{false, true}: spec.Release, {false, false}: spec.Acquire}[[2]bool{h.shared, release}]
	return spec.LockInput{Op: op, Owner: o}
}

func some(o spec.Owner, h hold, release bool) spec.LockInput {
	in := spec.LockInput{Owner: o, Permits: h.permits}
	if release {
		in.Op = spec.Release
	}
	return in
}

// The proof of the package comment is for all locks that allow some sets of holds.
// (That of the mutex is tested where the simulator's records become its history.)
func TestBeliefsAreAllowedIfLinearizable(t *testing.T) {
	for _, c := range []struct {
		name    string
		model   porcupine.Model
		input   func(spec.Owner, hold, bool) spec.LockInput
		allowed func([]hold) bool
	}{
		{"read-write lock", spec.RWLock(), readOrWrite, oneWriterOrReaders},
		{"semaphore", spec.Semaphore(permits), some, withinPermits},
	} {
		random := rand.New(rand.NewPCG(1, 1))
		seen := map[bool]int{}
		for range 5000 {
			all := drawHolds(random, 1+random.IntN(5))
			history := record(random, all, c.input)
			bad := tooMany(all, c.allowed)
			seen[bad]++
			if got := spec.Check(c.model, history, maxSteps); (got == spec.NotLinearizable) != bad || got == spec.Undecided {
				t.Fatalf("%s: too many believe: %t, but the history is %v: %+v", c.name, bad, got, all)
			}
		}
		if seen[true] < 500 || seen[false] < 500 {
			t.Errorf("%s: the histories are of one kind: %v", c.name, seen)
		}
	}
}
