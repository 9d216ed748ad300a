package linear

import (
	"testing"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
)

// script makes a record of what happens, one thing after the other.
type script struct{ *history.Recorder }

func newScript(holds int) script {
	s := script{history.NewRecorder(func() sim.Time { return 0 })}
	for i := range holds {
		s.NewHold(i, history.Executor(i+1))
	}
	return s
}

func (s script) do(k history.Kind, hold history.HoldID) { s.Add(history.Record{Kind: k, Hold: hold}) }

// deadline is why a belief ends whose program has seen that its lease is over.
const deadline = "its deadline passed"

// locks runs kinds for holds: "a1" is the attempt of hold 1, and so on. With "d1" a
// deadline ends the belief in it, with "u1" its release begins, and "x1" is the crash of
// its executor.
func locks(holds int, events ...string) script {
	s := newScript(holds)
	kinds := map[byte]history.Kind{'a': history.Attempt, 'g': history.GiveUp, 'b': history.BeliefBegin,
		'e': history.BeliefEnd, 'u': history.ReleaseBegin, 'r': history.ReleaseEnd}
	for _, e := range events {
		hold := history.HoldID(e[1] - '0')
		switch e[0] {
		case 'x':
			s.Add(history.Record{Kind: history.Crash, Executor: history.Executor(hold)})
		case 'd':
			s.Add(history.Record{Kind: history.BeliefEnd, Hold: hold, Text: deadline})
		default:
			s.do(kinds[e[0]], hold)
		}
	}
	return s
}

// requests serves requests of holds from a register: "s1" sends a request of hold 1,
// "r1" serves its read, "w1" its write. It returns the register's value at the end.
func requests(holds int, events ...string) (s script, audit int64) {
	s = newScript(holds)
	for _, e := range events {
		hold := history.HoldID(e[1] - '0')
		switch e[0] {
		case 's':
			s.Add(history.Record{Kind: history.Request, Hold: hold})
		case 'r':
			s.Add(history.Record{Kind: history.Read, Effect: history.ReadEffect, Hold: hold, Value: audit})
		case 'w':
			v := s.NextValue()
			s.Add(history.Record{Kind: history.Write, Effect: history.WriteEffect, Hold: hold, Value: v, Base: audit})
			audit = v
		}
	}
	return s, audit
}

// manyHistories is how many random ones a proof is tried on.
func manyHistories() int {
	if testing.Short() || modeltest.Raced {
		return 20_000
	}
	return 1_000_000
}
