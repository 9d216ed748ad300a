package linear

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"fencepost/models/modeltest"
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
func (s script) drawLock(pick chooser, clients, steps int) {
	s.Reset()
	type client struct {
		life int
		last history.Kind
		hold history.HoldID
	}
	all := make([]client, clients)
	for range steps {
		n := pick(clients)
		c := &all[n]
		e := history.ExecutorOf(n, c.life)
		m := moves[c.last][pick(len(moves[c.last]))]
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
	count := 1_000_000
	if testing.Short() || modeltest.Raced {
		count = 20_000
	}
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

// drawSections draws sections that read, once or twice, and may write once after that;
// requests arrive whenever they want.
func drawSections(t *rapid.T, holds, most int) (script, int64) {
	var events []string
	next := make([]int, holds+1)
	sections := make([]string, holds+1)
	for i := range sections {
		sections[i] = rapid.SampledFrom([]string{"srsw", "srsrsw"}).Draw(t, "section")
	}
	hold := 1
	for range rapid.IntRange(0, most).Draw(t, "steps") {
		if rapid.IntRange(0, 2).Draw(t, "switch") == 0 {
			hold = rapid.IntRange(1, holds).Draw(t, "hold")
		}
		if next[hold] < len(sections[hold]) {
			events = append(events, fmt.Sprintf("%c%d", sections[hold][next[hold]], hold))
			next[hold]++
		}
	}
	return requests(holds, events...)
}

// updateLost asks of each write whether another was served since its hold's read.
func updateLost(records []history.Record) bool {
	for k, w := range records {
		if w.Kind != history.Write {
			continue
		}
		for j := k - 1; !(records[j].Kind == history.Read && records[j].Hold == w.Hold); j-- {
			if records[j].Kind == history.Write {
				return true
			}
		}
	}
	return false
}

// An update is lost exactly if the history of the sections is not linearizable.
func TestUpdateLostIfNotLinearizable(t *testing.T) {
	var l Checker
	seen := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		s, audit := drawSections(t, 6, 40)
		lost := updateLost(s.Records)
		seen[lost]++
		if got := l.Resource(s.Recorder, audit); (got == NotLinearizable) != lost || got == Unknown {
			t.Fatalf("update lost: %t, but the history is %v", lost, got)
		}
	})
	if seen[true] == 0 || seen[false] == 0 {
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
		s.drawLock(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }, 4, rapid.IntRange(0, 14).Draw(t, "steps"))
		if answer := l.Lock(s.Recorder); len(l.operations) <= small {
			if found := ordered(mutex, l.operations, make([]bool, small), mutex.Init()); found != (answer == Linearizable) {
				t.Fatalf("lock: an order exists: %t, but it is %v", found, answer)
			}
		}
		r, audit := drawSections(t, small-1, 20)
		answer := l.Resource(r.Recorder, audit)
		if found := ordered(register, l.operations, make([]bool, small), register.Init()); found != (answer == Linearizable) {
			t.Fatalf("resource: an order exists: %t, but it is %v", found, answer)
		}
	})
}
