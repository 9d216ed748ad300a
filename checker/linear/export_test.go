package linear_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/checker/external"
	"fencepost/checker/linear"
	"fencepost/checker/linear/recorded"
	"fencepost/sim"
	"fencepost/sim/history"
)

// Lock and token histories that are written as JSON lines and read again are judged as they
// were, however the beliefs lie.
func TestHistoriesOfHoldsRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var count [2]int
	for range 3000 {
		var l linear.Checker
		r := linear.DrawLock(random.IntN, 2+random.IntN(2), 6+random.IntN(20))
		want := l.Lock(r)
		if got := again(t, l.LockHistory(r)); got != want {
			t.Fatalf("%v, want %v", got, want)
		}
		count[want]++
		want = l.Tokens(r)
		if got := again(t, l.TokenHistory(r)); got != want {
			t.Fatalf("tokens: %v, want %v", got, want)
		}
	}
	if min(count[0], count[1]) < 500 {
		t.Errorf("%v histories of each kind are too few", count)
	}
}

// again writes, reads and judges a history.
func again(t *testing.T, h *external.History) linear.Answer {
	t.Helper()
	var text strings.Builder
	if err := external.Write(&text, h); err != nil {
		t.Fatal(err)
	}
	read, err := external.Read("h.jsonl", text.String(), external.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	r, err := recorded.Judge(read, recorded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Verdict
}

// Two sections that both read the first value and both write: as compare-and-sets they are
// no more linearizable than they were.
func TestResourceHistory(t *testing.T) {
	for _, late := range []bool{false, true} {
		r := history.NewRecorder(func() sim.Time { return 0 })
		for i := range 2 {
			r.NewHold(i, history.Executor(i+1))
		}
		add := func(kind history.Kind, hold history.HoldID, value int64) {
			r.Add(history.Record{Kind: kind, Hold: hold, Value: value})
		}
		add(history.Request, 1, 0)
		add(history.Read, 1, 0)
		if !late {
			add(history.Write, 1, 1)
		}
		add(history.Request, 2, 0)
		seen := int64(1)
		if late {
			seen = 0
		}
		add(history.Read, 2, seen)
		add(history.Write, 2, 2)
		audit := int64(2)
		if late {
			add(history.Write, 1, 1)
			audit = 1
		}
		var l linear.Checker
		want := l.Resource(r, audit)
		if (want == linear.NotLinearizable) != late {
			t.Fatalf("late %t: %v", late, want)
		}
		h := l.ResourceHistory(r)
		if len(h.Operations) != 3 || h.Operations[0].Op != "cas" || h.Operations[2].Op != "read" {
			t.Errorf("%+v", h.Operations)
		}
		if got := again(t, h); got != want {
			t.Errorf("late %t: %v, want %v", late, got, want)
		}
	}
}
