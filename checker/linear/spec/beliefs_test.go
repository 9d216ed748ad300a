package spec_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

// hold is one hold that was recorded by the rules: four instants that rise.
type hold struct {
	called, returned, released, answered int64
	shared                               bool
	permits                              int
	owner                                spec.Owner // of a lock that may be acquired again
	token                                int64
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
			*h = hold{called: now, shared: random.IntN(3) > 0, permits: 1 + random.IntN(2), owner: spec.Owner(random.IntN(2))}
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
	for i := range all {
		switch random.IntN(6) {
		case 0:
			all[i].released = spec.Never
		case 1:
			all[i].answered = spec.Never
		}
	}
	giveTokens(all)
	for i, h := range all {
		o := spec.Owner(i)
		history = append(history, porcupine.Operation{Input: input(o, h, false), Output: h.token, Call: h.called, Return: h.returned})
		if h.released != spec.Never {
			history = append(history, porcupine.Operation{Input: input(o, h, true), Call: h.released, Return: h.answered})
		}
	}
	return history
}

// giveTokens gives each hold that begins alone a token of its own, higher than those before, and
// others the token that is there.
func giveTokens(all []hold) {
	order := make([]*hold, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	slices.SortFunc(order, func(a, b *hold) int { return cmp.Compare(a.returned, b.returned) })
	token := int64(0)
	for _, h := range order {
		if len(open(all, h.returned)) == 1 {
			token++
		}
		h.token = token
	}
}

// open are the holds that are believed in at an instant.
func open(all []hold, at int64) (open []hold) {
	for _, h := range all {
		if h.returned <= at && at < h.released {
			open = append(open, h)
		}
	}
	return open
}

// tooMany asks at each instant at which a belief begins whether all that are open then may
// be open together.
func tooMany(all []hold, allowed func([]hold) bool) bool {
	for _, h := range all {
		if !allowed(open(all, h.returned)) {
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

// depth is how often the holder of a reentrant lock may have it.
const depth = 3

func oneOwner(open []hold) bool {
	for _, h := range open {
		if h.owner != open[0].owner {
			return false
		}
	}
	return len(open) <= depth
}

func oneHold(open []hold) bool { return len(open) <= 1 }

func again(_ spec.Owner, h hold, release bool) spec.LockInput { return once(h.owner, h, release) }

func once(o spec.Owner, _ hold, release bool) spec.LockInput {
	in := spec.LockInput{Owner: o}
	if release {
		in.Op = spec.Release
	}
	return in
}

func readOrWrite(o spec.Owner, h hold, release bool) spec.LockInput {
	op := map[[2]bool]spec.LockOp{{true, true}: spec.ReleaseShared, {true, false}: spec.AcquireShared,
		{false, true}: spec.Release, {false, false}: spec.Acquire}[[2]bool{h.shared, release}]
	return spec.LockInput{Op: op, Owner: o}
}

func some(o spec.Owner, h hold, release bool) spec.LockInput {
	in := once(o, h, release)
	in.Permits = h.permits
	return in
}

// The proof of the package comment is for all locks that allow some sets of holds.
// (That of the mutex is tested where the simulator's records become its history, and so is what
// the tokens of a fenced one have to be; here they rise.)
func TestBeliefsAreAllowedIfLinearizable(t *testing.T) {
	for _, c := range []struct {
		name    string
		model   porcupine.Model
		input   func(spec.Owner, hold, bool) spec.LockInput
		allowed func([]hold) bool
	}{
		{"read-write lock", spec.RWLock(), readOrWrite, oneWriterOrReaders},
		{"semaphore", spec.Semaphore(permits), some, withinPermits},
		{"reentrant mutex", spec.ReentrantMutex(depth), again, oneOwner},
		{"fenced mutex", spec.FencedMutex(), once, oneHold},
		{"reentrant fenced mutex", spec.ReentrantFencedMutex(depth), again, oneOwner},
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
