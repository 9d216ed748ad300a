package spec

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/anishathalye/porcupine"
)

// randomHistory makes a history of a few clients whose instants are all different, of any outcome.
func randomHistory(random *rand.Rand, input func() (in, out any)) (history []porcupine.Operation) {
	clients := 1 + random.IntN(4)
	open := map[int]*porcupine.Operation{}
	now := int64(0)
	for range random.IntN(24) {
		now++
		c := random.IntN(clients)
		if op := open[c]; op != nil {
			if op.Return = now; random.IntN(8) == 0 {
				op.Return = Never - random.Int64N(1000)
			}
			history = append(history, *op)
			delete(open, c)
			continue
		}
		in, out := input()
		open[c] = &porcupine.Operation{ClientId: c, Input: in, Output: out, Call: now}
	}
	random.Shuffle(len(history), func(a, b int) { history[a], history[b] = history[b], history[a] })
	return history
}

// The search takes the steps that porcupine takes, and so finds what it finds: of locks, of a
// value, and of a model whose states are compared by a function of its own.
func TestSearchIsPorcupines(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	owner := func() Owner { return Owner(random.IntN(3)) }
	for name, c := range map[string]struct {
		model porcupine.Model
		input func() (in, out any)
	}{
		"strict mutex": {StrictMutex(), func() (any, any) {
			return LockInput{Op: LockOp(random.IntN(2)), Owner: owner()}, Outcome(random.IntN(3))
		}},
		"read-write lock": {RWLock(), func() (any, any) { return LockInput{Op: LockOp(random.IntN(4)), Owner: owner()}, nil }},
		"register": {Register(0), func() (any, any) {
			return RegisterInput[int]{Write: random.IntN(2) == 0, Value: random.IntN(2)}, random.IntN(2)
		}},
		"log": {Log[int](), func() (any, any) { return LogInput[int]{Append: true, Value: random.IntN(2)}, random.IntN(6) }},
	} {
		seen := map[bool]int{}
		for range 4000 {
			history := randomHistory(random, c.input)
			want, wantSteps := counted(c.model, func(m porcupine.Model) bool { return porcupine.CheckOperations(m, history) })
			var s *search
			got, steps := counted(c.model, func(m porcupine.Model) bool {
				s = newSearch(m, history)
				return s.run(m.Init())
			})
			if got != want || steps != wantSteps {
				t.Fatalf("%s: %t in %d steps, porcupine %t in %d: %+v", name, got, steps, want, wantSteps, history)
			}
			if longest := len(Longest(c.model, history, 1_000_000)); len(s.longest) != longest {
				t.Fatalf("%s: the longest order has %d, porcupine's %d: %+v", name, len(s.longest), longest, history)
			}
			seen[got]++
		}
		if seen[true] < 300 || seen[false] < 300 {
			t.Errorf("%s: the histories are of one kind: %v", name, seen)
		}
	}
}

// counted counts the steps of a search.
func counted(model porcupine.Model, search func(porcupine.Model) bool) (ok bool, steps int) {
	step := model.Step
	model.Partition = nil
	model.Step = func(state, in, out any) (bool, any) {
		steps++
		return step(state, in, out)
	}
	return search(model), steps
}

// largeHistory is one hold after the other, and at the end, if it is bad, one that is not free.
func largeHistory(n int, bad bool) (history []porcupine.Operation) {
	for i := range n {
		in := LockInput{Op: LockOp(i % 2), Owner: Owner(i / 2 % 5)}
		history = append(history, porcupine.Operation{Input: in, Call: int64(2 * i), Return: int64(2*i + 1)})
	}
	if bad {
		history[n-2].Input = LockInput{Op: Release, Owner: 7}
	}
	return history
}

// A large history needs memory in proportion to its operations: as a square it would be 200 MB for 40 000.
func TestLargeHistories(t *testing.T) {
	const n, most = 40_000, 60_000_000
	for bad, want := range map[bool]Answer{false: Linearizable, true: NotLinearizable} {
		history := largeHistory(n, bad)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if got := Check(Mutex(), history, 1_000_000); got != want {
			t.Errorf("bad %t: %v", bad, got)
		}
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > most {
			t.Errorf("bad %t: %d MB", bad, (after.TotalAlloc-before.TotalAlloc)/1_000_000)
		}
		if got := len(Longest(Mutex(), history, 1_000_000)); bad && got != n-2 || !bad && got != n {
			t.Errorf("bad %t: the longest order has %d", bad, got)
		}
		if got := Check(Mutex(), history, n/2); got != Undecided {
			t.Errorf("bad %t: %v at the bound", bad, got)
		}
	}
}

func TestDrawable(t *testing.T) {
	for _, n := range []int{0, Large, Large + 1} {
		history := largeHistory(n, false)
		if got := Drawable(Mutex(), history); got != (n <= Large) {
			t.Errorf("%d operations: %t", n, got)
		}
		for i := range history {
			in := history[i].Input.(LockInput)
			in.Key = fmt.Sprint(i / 2 % 2)
			history[i].Input = in
		}
		if !Drawable(Mutex(), history) {
			t.Errorf("%d operations of two keys are not drawn", n)
		}
	}
}
