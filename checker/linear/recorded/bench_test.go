package recorded

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
)

// turns is a lock that five clients take in turns, in so many operations: while one has it another
// tries in vain. With twice, the last of them is let in though the lock is held.
func turns(operations int, twice bool) string {
	var b strings.Builder
	line := func(process int, op, outcome string, call int) {
		fmt.Fprintf(&b, `{"process": %d, "op": %q, "outcome": %q, "call": %d, "return": %d}`+"\n", process, op, outcome, call, call+15)
	}
	for i := range operations / 4 {
		at, holder := 100*i, i%5
		line(holder, "acquire", "ok", at)
		line((holder+1)%5, "acquire", "fail", at+10)
		if twice && i == operations/4-1 {
			line((holder+2)%5, "acquire", "ok", at+30)
		} else {
			line((holder+2)%5, "acquire", "fail", at+30)
		}
		line(holder, "release", "ok", at+50)
	}
	return b.String()
}

// BenchmarkTenThousandOperations reads and judges a history of a mutex, one that has an order and one
// whose last round leaves none, with the evidence.
func BenchmarkTenThousandOperations(b *testing.B) {
	for _, c := range []struct {
		name  string
		twice bool
		want  spec.Answer
	}{{"linearizable", false, spec.Linearizable}, {"not-linearizable", true, spec.NotLinearizable}} {
		text := turns(10_000, c.twice)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				h, err := external.Read("h.jsonl", text, external.Options{})
				if err != nil {
					b.Fatal(err)
				}
				r, err := Judge(h, Options{Model: "mutex"})
				if err != nil || r.Verdict != c.want || r.Keys[0].Operations != 10_000 {
					b.Fatalf("%v, %v", r, err)
				}
			}
		})
	}
}
