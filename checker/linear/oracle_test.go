package linear

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"fencepost/sim/history"
)

// chooser picks one of n things, by their number.
type chooser func(n int) int

// move is what an executor may do.
type move struct {
	kind history.Kind
	text string
}

// moves are what an executor may do after what it did last. An executor that crashes is
// followed by another, which has done nothing.
var moves = map[history.Kind][]move{
	0:                    {{kind: history.Attempt}},
	history.Attempt:      {{kind: history.BeliefBegin}, {kind: history.GiveUp}, {kind: history.Crash}},
	history.GiveUp:       {{kind: history.Attempt}},
	history.BeliefBegin:  {{kind: history.BeliefEnd}, {kind: history.BeliefEnd, text: deadline}, {kind: history.Crash}},
	history.BeliefEnd:    {{kind: history.ReleaseBegin}, {kind: history.BeliefBegin}, {kind: history.Crash}},
	history.ReleaseBegin: {{kind: history.ReleaseEnd}, {kind: history.Crash}},
	history.ReleaseEnd:   {{kind: history.Attempt}},
}

// drawLock makes a record, in the place of the last one, of what clients do with a lock
// that keeps nobody out.
func (s script) drawLock(pick chooser, clients, steps int) { s.drawMoves(pick, clients, steps, false) }

// client is one of those that draw.
type client struct {
	life int
	last history.Kind
	hold history.HoldID
}

func believes(c client) bool { return c.last == history.BeliefBegin }

// drawMoves is drawLock, for a lock that may keep beliefs apart.
func (s script) drawMoves(pick chooser, clients, steps int, apart bool) {
	s.Reset()
	all := make([]client, clients)
	for range steps {
		n := pick(clients)
		c := &all[n]
		e := history.ExecutorOf(n, c.life)
		m := moves[c.last][pick(len(moves[c.last]))]
		if apart && m.kind == history.BeliefBegin && slices.ContainsFunc(all, believes) {
			continue
		}
		c.last = m.kind
		switch m.kind {
		case history.Attempt:
			c.hold = s.NewHold(n, e)
		case history.Crash:
			s.Add(history.Record{Kind: m.kind, Executor: e})
			*c = client{life: c.life + 1}
			continue
		}
		s.Add(history.Record{Kind: m.kind, Hold: c.hold, Executor: e, Text: m.text})
	}
}

// beliefsOverlap compares all beliefs, as intervals of positions, with each other.
func beliefsOverlap(records []history.Record) bool {
	type interval struct{ begin, end int }
	var all []interval
	for i, r := range records {
		if r.Kind != history.BeliefBegin {
			continue
		}
		end := i
		for end < len(records) && !(records[end].Kind == history.BeliefEnd && records[end].Hold == r.Hold) &&
			!(records[end].Kind == history.Crash && records[end].Executor == r.Executor) {
			end++
		}
		all = append(all, interval{i, end})
	}
	for i, a := range all {
		for _, b := range all[:i] {
			if a.begin < b.end && b.begin < a.end {
				return true
			}
		}
	}
	return false
}

// Beliefs overlap exactly if the lock history is not linearizable. The histories are
// small, where what can go wrong does, and many.
func TestBeliefsOverlapIfNotLinearizable(t *testing.T) {
	count := manyHistories()
	var l Checker
	s := newScript(0)
	random := rand.New(rand.NewPCG(1, 1))
	seen := map[bool]int{}
	for range count {
		s.drawLock(random.IntN, 2+random.IntN(2), 4+random.IntN(10))
		overlap := beliefsOverlap(s.Records)
		seen[overlap]++
		if got := l.Lock(s.Recorder); (got == NotLinearizable) != overlap || got == Unknown {
			t.Fatalf("beliefs overlap: %t, but the history is %v: %+v", overlap, got, s.Records)
		}
	}
	if least := count / 10; seen[true] < least || seen[false] < least {
		t.Errorf("the histories are of one kind: %v", seen)
	}
}

// ordered tries all orders of operations that respect who had returned before whom.
func ordered(m porcupine.Model, operations []porcupine.Operation, done []bool, state any) bool {
	finished := true
	for i, op := range operations {
		if done[i] {
			continue
		}
		finished = false
		first := true
		for j, other := range operations {
			first = first && (done[j] || other.Return >= op.Call)
		}
		ok, after := m.Step(state, op.Input, op.Output)
		if !first || !ok {
			continue
		}
		done[i] = true
		found := ordered(m, operations, done, after)
		done[i] = false
		if found {
			return true
		}
	}
	return finished
}

// On small histories, porcupine finds an order exactly if one of all orders is one.
func TestPorcupineAgainstAllOrders(t *testing.T) {
	const small = 6
	var l Checker
	s := newScript(0)
	rapid.Check(t, func(t *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
		s.drawLock(pick, 4, rapid.IntRange(0, 14).Draw(t, "steps"))
		if answer := l.Lock(s.Recorder); len(l.operations) <= small {
			if found := ordered(mutex, l.operations, make([]bool, small), mutex.Init()); found != (answer == Linearizable) {
				t.Fatalf("lock: an order exists: %t, but it is %v", found, answer)
			}
		}
		d := sections{script: s, pick: pick, objects: 1, stale: true}
		answer := l.Resource(s.Recorder, d.draw(small-1, pick(20))...)
		if len(l.operations) > small {
			return // copies are operations too
		}
		if found := ordered(register, l.operations, make([]bool, small), register.Init()); found != (answer == Linearizable) {
			t.Fatalf("resource: an order exists: %t, but it is %v", found, answer)
		}
	})
}
