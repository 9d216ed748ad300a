package scenarios

import (
	"fmt"
	"testing"

	"fencepost/checker/monitor"
	"fencepost/models/modeltest"
	"fencepost/sim/history"
)

// storm is three clients that send again what is not answered, to objects of a kind that serve what
// comes twice and forget their guards' tokens when they crash.
const storm = `name: storm
until: 2m
lock: {ttl: 5s}
resource: {kind: %s, objects: %d, apply: "%s", idempotency: no, token: forgotten%s}
clients:
  - {cycles: 12, between: "uniform(200ms, 2s)", check: never, request-timeout: 1s, request-attempts: 3}
  - {cycles: 12, between: "uniform(200ms, 2s)", request-timeout: 1s, request-attempts: 3, on-loss: ignore}
  - {cycles: 12, between: "uniform(200ms, 2s)", request-timeout: 4s, request-attempts: 2%s}
random:
  swarm: true
  faults:
    - pause: {client: holder, for: 8s} # while nobody refers to anything
      at: uniform(0s, 1s)
    - pause: {client: holder, for: exponential(8s)}
      every: exponential(10s)
    - crash: {client: random, restart: 2s}
      every: exponential(30s)
    - crash: {host: resource, restart: exponential(1s)}
      every: exponential(15s)
    - duplicate: {client: random, share: 30%%, later: exponential(6s)}
      every: exponential(10s)
      for: exponential(10s)
    - cut: {client: random, hosts: [resource], direction: in, resend: false, for: exponential(2s)}
      every: exponential(10s)
`

// stormPlans are its plans for several kinds, all locks and all guards.
func stormPlans(t *testing.T) (all []*Plan) {
	t.Helper()
	const more = ", order: %s, guarded: %t, lasts: exponential(2s)"
	for _, text := range []string{
		fmt.Sprintf(storm, "counter", 1, "0s", "", ""),
		fmt.Sprintf(storm, "log", 1, "exponential(100ms)", "", ""),
		fmt.Sprintf(storm, "object", 3, "0s", "", ""),
		fmt.Sprintf(storm, "object", 2, "exponential(500ms)", ", check: request, etag: content, states: 3", ""),
		fmt.Sprintf(storm, "references", 2, "exponential(100ms)", "", ", prunes: true"),
		fmt.Sprintf(storm, "effect", 1, "0s", fmt.Sprintf(more, "effect-first", true), ""),
		fmt.Sprintf(storm, "effect", 2, "exponential(100ms)", fmt.Sprintf(more, "record-first", false), ""),
	} {
		all = append(all, plansOfText(t, text)...)
	}
	return all
}

// The checkers agree on resources of every kind, with all that can go wrong with a request.
func TestCheckersAgreeOnEveryKind(t *testing.T) {
	modeltest.ManyTrials(t)
	const runs = 4 // of each plan
	seen := map[string]int{}
	seed := uint64(0)
	for _, p := range stormPlans(t) {
		trial := NewTrial(p)
		for range runs {
			seed++
			for _, what := range agrees(t, trial, seed) {
				seen[what]++
			}
		}
		trial.Close()
	}
	t.Log(seen)
	for _, what := range []string{"lost true", "lost false", "doubled true", "doubled false", "dangling true", "dangling false"} {
		if seen[what] == 0 {
			t.Errorf("%s was never seen: %v", what, seen)
		}
	}
}

// otherHarms is how many harms a monitor finds beside lost updates, if no order is promised and
// nobody asks for the newest value.
func otherHarms(records []history.Record) int {
	var m monitor.Resource
	for i := range records {
		m.Observe(&records[i])
	}
	return m.Total() - m.LostUpdates
}

// doubledIn counts jobs that were done before, or that began while another's went on, and entries
// that stood there already.
func doubledIn(records []history.Record) (n int) {
	for i, r := range records {
		again, goesOn := false, false
		for _, b := range records[:i] {
			switch {
			case b.Kind != r.Kind || b.Object != r.Object:
			case r.Kind == history.Perform:
				again = again || b.Content == r.Content
				goesOn = goesOn || b.Hold != r.Hold && b.Until > r.At
			case r.Kind == history.Write && r.Change == history.Appends:
				again = again || b.Value == r.Value
			}
		}
		if again || goesOn {
			n++
		}
	}
	return n
}

// danglingIn counts deletions of what somebody refers to, and references to what is gone; one that
// is broken counts once.
func danglingIn(records []history.Record) (n int) {
	var referred, gone [history.MaxObjects]bool
	for _, r := range records {
		refers := r.Kind == history.Write && r.Change == history.Refers
		deletes := r.Kind == history.Write && r.Change == history.Deletes
		is, was := &referred[r.Object], &gone[r.Object]
		switch {
		case refers && r.Content != history.Gone:
			*is, *was = true, false
		case refers && *was, deletes && *is:
			n++
			*is, *was = false, true
		case refers:
			*is = true
		case deletes:
			*was = true
		}
	}
	return n
}
