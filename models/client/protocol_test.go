package client_test

import (
	"slices"
	"testing"

	"fencepost/models"
	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim/history"
	"fencepost/sim/rng"
)

// What a guard asks of the program: the order of its steps, and of what it sends.
func TestStepsUnderEachGuard(t *testing.T) {
	plain := []string{"start", "acquired", "read.send", "read.reply", "write.send", "write.sent", "write.reply"}
	marked := slices.Insert(slices.Clone(plain), 2, "mark.send", "mark.reply")
	for _, g := range resource.Guards {
		if g.Asks {
			continue // there is nobody to ask
		}
		records, steps := playWith(t, &library{}, client.Workload{}, g.Name, 1)
		want := plain
		if g.Protocol.Marks {
			want = marked
		}
		if !slices.Equal(steps, want) {
			t.Errorf("%s: %q, want %q", g.Name, steps, want)
		}
		if rejected := instants(records, history.Reject); len(rejected) != 0 || len(instants(records, history.Write)) != 1 {
			t.Errorf("%s: alone, it has %d requests rejected", g.Name, len(rejected))
		}
	}
}

// The steps that are listed are those that there are.
func TestStepsAreListed(t *testing.T) {
	_, steps := playWith(t, &library{}, client.Workload{Check: client.CheckBeforeWrite}, "mark", 1)
	listed := slices.Concat(client.Steps, client.MarkSteps)
	for _, s := range steps {
		if !slices.ContainsFunc(listed, func(l models.Step) bool { return l.Name == s }) {
			t.Errorf("%s is not listed", s)
		}
	}
	if len(steps) != len(listed) {
		t.Errorf("%d steps, %d are listed", len(steps), len(listed))
	}
}

// The mark comes before any work, and a client that checks before each request checks before it.
func TestMarkComesFirst(t *testing.T) {
	w := client.Workload{BeforeRead: rng.Constant(second), Check: client.CheckEvery}
	records, steps := playWith(t, &library{}, w, "mark", 1)
	if got := instants(records, history.Mark, history.Read); len(got) != 2 || got[0] != ms || got[1] != second+3*ms {
		t.Errorf("marked and read at %v", got)
	}
	if i := slices.Index(steps, "mark.send"); i < 1 || steps[i-1] != "check" {
		t.Errorf("%q", steps)
	}
}

// tokens are those of the requests of a run, each once.
func tokens(records []history.Record) (of []int64) {
	for _, r := range records {
		if r.Kind == history.Request && !slices.Contains(of, r.Token) {
			of = append(of, r.Token)
		}
	}
	return of
}

// A token of the program's own is drawn for each hold, and by the seed; otherwise it is the lock's.
func TestTokenOfARequest(t *testing.T) {
	w := client.Workload{Cycles: 3}
	if records, _ := playWith(t, &library{}, w, "mark", 1); !slices.Equal(tokens(records), []int64{7}) {
		t.Errorf("tokens %v, want the lock's, 7", tokens(records))
	}
	records, _ := playWith(t, &library{}, w, "random-token-cas", 1)
	same, _ := playWith(t, &library{}, w, "random-token-cas", 1)
	other, _ := playWith(t, &library{}, w, "random-token-cas", 2)
	if got := tokens(records); len(got) != 3 || slices.Contains(got, 7) || slices.Min(got) < 1 {
		t.Errorf("tokens %v, want three of its own", got)
	}
	if !slices.Equal(tokens(records), tokens(same)) || slices.Equal(tokens(records), tokens(other)) {
		t.Errorf("tokens %v, %v and, under another seed, %v", tokens(records), tokens(same), tokens(other))
	}
}

// With if-match each cycle writes upon the version that it has read.
func TestVersionIsCarriedBack(t *testing.T) {
	records, _ := playWith(t, &library{}, client.Workload{Cycles: 3}, "if-match", 1)
	if n := len(instants(records, history.Write)); n != 3 {
		t.Errorf("%d writes were served, want 3", n)
	}
}
