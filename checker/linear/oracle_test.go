package linear

import (
	"fmt"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"fencepost/sim/history"
)

// drawLock draws what executors do with a lock that keeps nobody out.
func drawLock(t *rapid.T, most int) script {
	s := newScript(0)
	state, hold := map[history.Executor]history.Kind{}, map[history.Executor]history.HoldID{}
	next := map[history.Kind][]history.Kind{
		0:                   {history.Attempt},
		history.GiveUp:      {history.Attempt},
		history.ReleaseEnd:  {history.Attempt},
		history.Attempt:     {history.BeliefBegin, history.BeliefBegin, history.BeliefBegin, history.GiveUp, history.Crash},
		history.BeliefBegin: {history.BeliefEnd, history.BeliefEnd, history.BeliefEnd, history.BeliefEnd, history.Crash},
		history.BeliefEnd:   {history.ReleaseEnd, history.ReleaseEnd, history.BeliefBegin, history.Crash},
	}
	e := history.Executor(1)
	for range rapid.IntRange(0, most).Draw(t, "steps") {
		if rapid.IntRange(0, 3).Draw(t, "switch") == 0 {
			e = history.Executor(rapid.IntRange(1, 4).Draw(t, "executor"))
		}
		if state[e] == history.Crash {
			continue
		}
		k := rapid.SampledFrom(next[state[e]]).Draw(t, "kind")
		state[e] = k
		switch k {
		case history.Attempt:
			hold[e] = s.NewHold(int(e), e)
		case history.Crash:
			s.Add(history.Record{Kind: k, Executor: e})
			continue
		}
		s.do(k, hold[e])
	}
	return s
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

// Beliefs overlap exactly if the lock history is not linearizable.
func TestBeliefsOverlapIfNotLinearizable(t *testing.T) {
	var l Checker
	seen := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := drawLock(t, 60)
		overlap := beliefsOverlap(s.Records)
		seen[overlap]++
		if got := l.Lock(s.Recorder); (got == NotLinearizable) != overlap || got == Unknown {
			t.Fatalf("beliefs overlap: %t, but the history is %v", overlap, got)
		}
	})
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("the histories are of one kind: %v", seen)
	}
}

// drawSections draws sections that read once and may write once after that; requests
// arrive whenever they want.
func drawSections(t *rapid.T, holds, most int) (script, int64) {
	var events []string
	next := make([]int, holds+1)
	const section = "srsw"
	hold := 1
	for range rapid.IntRange(0, most).Draw(t, "steps") {
		if rapid.IntRange(0, 2).Draw(t, "switch") == 0 {
			hold = rapid.IntRange(1, holds).Draw(t, "hold")
		}
		if next[hold] < len(section) {
			events = append(events, fmt.Sprintf("%c%d", section[next[hold]], hold))
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
func ordered(operations []porcupine.Operation, done []bool, state any, step func(state, input any) (bool, any)) bool {
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
		ok, after := step(state, op.Input)
		if !first || !ok {
			continue
		}
		done[i] = true
		found := ordered(operations, done, after, step)
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
	rapid.Check(t, func(t *rapid.T) {
		s := drawLock(t, 12)
		if answer := l.Lock(s.Recorder); len(l.operations) <= small {
			if found := ordered(l.operations, make([]bool, small), history.HoldID(0), stepMutex); found != (answer == Linearizable) {
				t.Fatalf("lock: an order exists: %t, but it is %v", found, answer)
			}
		}
		r, audit := drawSections(t, small-1, 20)
		answer := l.Resource(r.Recorder, audit)
		if found := ordered(l.operations, make([]bool, small), int64(0), stepRegister); found != (answer == Linearizable) {
			t.Fatalf("resource: an order exists: %t, but it is %v", found, answer)
		}
	})
}
