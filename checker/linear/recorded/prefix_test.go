package recorded

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
)

// drawn makes a random history of a model: each process does one operation after the other,
// none at the instant in which the one before returned, with any outcome.
func drawn(t *rapid.T, ops []string) *external.History {
	h := &external.History{File: "h.jsonl"}
	for p := range 3 {
		now := int64(0)
		for range rapid.IntRange(0, 5).Draw(t, "operations") {
			op := external.Operation{Line: len(h.Operations) + 1, Process: fmt.Sprint(p), Owner: fmt.Sprint(p),
				Op: rapid.SampledFrom(ops).Draw(t, "op")}
			op.End = op.Line
			op.Call = now + rapid.Int64Range(1, 9).Draw(t, "wait")
			now = op.Call + rapid.Int64Range(0, 9).Draw(t, "time")
			op.Return = now
			if op.Op == "read" || op.Op == "write" {
				op.Value = fmt.Sprint(rapid.IntRange(0, 1).Draw(t, "value"))
			}
			if op.Outcome = external.Outcome(rapid.IntRange(0, 2).Draw(t, "outcome")); op.Outcome == external.Info {
				op.Return = external.Never
			}
			h.Operations = append(h.Operations, op)
		}
	}
	return h
}

// The prefix that is found is the first that has no order, and none that is longer has one.
func TestShortestPrefix(t *testing.T) {
	for _, c := range []struct {
		ops     []string
		options Options
	}{
		{[]string{"acquire", "release"}, Options{Model: "mutex"}},
		{[]string{"acquire", "release"}, Options{Model: "mutex", Failures: Nothing}},
		{[]string{"acquire", "release"}, Options{Model: "reentrant-mutex", Limit: 2}},
		{[]string{"acquire", "release"}, Options{Model: "semaphore", Permits: 2}},
		{[]string{"acquire", "release", "renew"}, Options{Model: "lease", TTL: 12}},
		{[]string{"read", "write"}, Options{Model: "register", Initial: "0"}},
	} {
		t.Run(c.options.Model, rapid.MakeCheck(func(t *rapid.T) {
			h := drawn(t, c.ops)
			r, err := Judge(h, c.options)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Keys) == 0 {
				return
			}
			_, byKey, err := r.judge.model.prepare(h)
			if err != nil {
				t.Fatal(err)
			}
			var returns []int64
			for _, op := range h.Operations {
				if op.Return != external.Never {
					returns = append(returns, op.Return)
				}
			}
			slices.Sort(returns)
			bad := false
			for _, until := range returns {
				now := r.judge.check(r.judge.record(byKey[""], until)) == spec.NotLinearizable
				if bad && !now {
					t.Fatalf("up to %d there is an order, and up to an instant before there is none", until)
				}
				if now && !bad && r.Keys[0].Evidence.At != until {
					t.Fatalf("the evidence is up to %d, want %d", r.Keys[0].Evidence.At, until)
				}
				bad = now
			}
			if verdict := r.Keys[0].Verdict; bad != (verdict == spec.NotLinearizable) {
				t.Fatalf("the history is %v, its last prefix is bad: %t", verdict, bad)
			}
		}))
	}
}

// Without failures and without beliefs, the two readings of a mutex agree where each holder
// releases what it acquired and no outcome is unknown.
func TestReadingsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &external.History{}
		for p := range 4 {
			from := rapid.Int64Range(0, 30).Draw(t, "call")
			for _, op := range []string{"acquire", "release"} {
				to := from + rapid.Int64Range(0, 9).Draw(t, "time")
				h.Operations = append(h.Operations, external.Operation{Line: 1, Process: fmt.Sprint(p), Owner: fmt.Sprint(p), Op: op, Call: from, Return: to})
				from = to + rapid.Int64Range(0, 9).Draw(t, "hold")
			}
		}
		answers, err := Judge(h, Options{Failures: Answers})
		if err != nil {
			t.Fatal(err)
		}
		beliefs, err := Judge(h, Options{Failures: Nothing})
		if err != nil {
			t.Fatal(err)
		}
		if answers.Verdict != beliefs.Verdict {
			t.Fatalf("%v as answers, %v as beliefs", answers.Verdict, beliefs.Verdict)
		}
	})
}
