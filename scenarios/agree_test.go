package scenarios

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"fencepost/checker"
	"fencepost/models/modeltest"
	"fencepost/models/resource"
	"fencepost/sim/history"
)

// weather is three clients in a storm of every kind of fault that all locks can have, which
// some get past and others do not.
const weather = `name: weather
until: 2m
lock: {ttl: 5s}
clients:
  - {cycles: 12, between: "uniform(200ms, 2s)", check: %s}
  - {cycles: 12, between: "uniform(200ms, 2s)", on-loss: %s}
  - {cycles: 12, between: "uniform(200ms, 2s)"}
random:
  swarm: %t
  faults:
    - pause: {client: holder, for: exponential(8s)}
      every: exponential(10s)
    - crash: {client: random, restart: 2s}
      every: exponential(30s)
    - crash: {server: random, restart: exponential(1s), lose: unsynced}
      every: exponential(30s)
    - cut: {server: random, clients: [random], for: exponential(4s)}
      every: exponential(20s)
`

// Whole random runs: on each of them porcupine agrees with the monitors, or the run is an
// internal error, and the monitors agree with a comparison of all pairs in the record.
func TestCheckersAgreeOnRandomRuns(t *testing.T) {
	modeltest.ManyTrials(t)
	plans := weatherPlans(t)
	trials := map[*Plan]*Trial{}
	defer func() {
		for _, trial := range trials {
			trial.Close()
		}
	}()
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SampledFrom(plans).Draw(rt, "plan")
		if trials[p] == nil {
			trials[p] = NewTrial(p)
		}
		trial := trials[p]
		first := rapid.Uint64Range(1, 1<<20).Draw(rt, "seed")
		for seed := first; seed < first+4; seed++ {
			for _, what := range agrees(rt, trial, seed) {
				seen[what]++
			}
		}
	})
	t.Log(seen)
	if len(seen) < 7 {
		t.Errorf("the runs are of few kinds: %v", seen)
	}
}

// agrees compares what is said of one run, and returns what was seen.
func agrees(t rapid.TB, trial *Trial, seed uint64) (seen []string) {
	name := fmt.Sprintf("%s, seed %d", trial.Plan.Name(), seed)
	r, err := trial.RunSafely(seed)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c, records := trial.Checker, trial.Recorder.Records
	overlap, lost, low := overlapsIn(records), lossesIn(records), lowTokensIn(records)
	if overlap != c.Exclusion.Total() || overlap > 0 != (r.Verdict.LinearLock == checker.Violated) {
		t.Errorf("%s: %d pairs of beliefs overlap, the monitor says %d, porcupine %s", name, overlap, c.Exclusion.Total(), r.Verdict.LinearLock)
	}
	linear := r.Verdict.LinearResource
	if lost != c.Resource.LostUpdates || linear != checker.NotApplicable && lost > 0 != (linear == checker.Violated) {
		t.Errorf("%s: %d updates are lost, the monitor says %d, porcupine %s", name, lost, c.Resource.LostUpdates, linear)
	}
	if low != c.Tokens.BeliefOrder {
		t.Errorf("%s: %d tokens are too low, the monitor says %d", name, low, c.Tokens.BeliefOrder)
	}
	if doubled, dangling := doubledIn(records), danglingIn(records); doubled+dangling != otherHarms(records) {
		t.Errorf("%s: %d effects are doubled and %d references dangle, the monitor says %d", name, doubled, dangling, otherHarms(records))
	} else {
		seen = append(seen, fmt.Sprintf("doubled %t", doubled > 0), fmt.Sprintf("dangling %t", dangling > 0))
	}
	seen = append(seen, fmt.Sprintf("overlap %t", overlap > 0), fmt.Sprintf("lost %t", lost > 0))
	if c.Tokens.Seen > 0 && overlap == 0 {
		seen = append(seen, "tokens compared")
	}
	return seen
}

// weatherPlans are the plans of the storm for all locks and guards, with several policies.
func weatherPlans(t *testing.T) (all []*Plan) {
	t.Helper()
	for i, check := range []string{"never", "before-write", "timer"} {
		all = append(all, plansOfText(t, fmt.Sprintf(weather, check, []string{"stop", "ignore", "stop"}[i], i > 0))...)
	}
	return all
}

// plansOfText are the plans of a scenario for all locks and guards that have it.
func plansOfText(t *testing.T, text string) (all []*Plan) {
	t.Helper()
	s, err := Parse("weather.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Instantiate(registry(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := in.Plans(registry(t).Locks(), resource.Guards)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		if p.NotApplicable == "" {
			all = append(all, p)
		}
	}
	return all
}

// span is a belief, as positions in the record.
type span struct {
	history.Record
	begin, end int
}

func beliefsIn(records []history.Record) (all []span) {
	for i, r := range records {
		if r.Kind != history.BeliefBegin {
			continue
		}
		end := i + 1
		for end < len(records) && (records[end].Executor != r.Executor || records[end].Kind != history.Crash &&
			(records[end].Kind != history.BeliefEnd || records[end].Hold != r.Hold)) {
			end++
		}
		all = append(all, span{r, i, end})
	}
	return all
}

func overlapsIn(records []history.Record) (pairs int) {
	beliefs := beliefsIn(records)
	for i, b := range beliefs {
		for _, a := range beliefs[:i] {
			if a.end > b.begin {
				pairs++
			}
		}
	}
	return pairs
}

// lossesIn counts writes that replace another hold's, or append to it, which their own hold has
// not read.
func lossesIn(records []history.Record) (n int) {
	for i, w := range records {
		if w.Kind != history.Write || w.Change != history.Replaces && w.Change != history.Counts && w.Change != history.Appends {
			continue
		}
		var seen int64
		read := false
		var newest history.Record
		for j := range records[:i] {
			switch r := &records[j]; {
			case r.Object != w.Object:
			case r.Kind == history.Write:
				newest = *r
				if r.Hold == w.Hold {
					seen = r.Value
				}
			case r.Kind == history.Read && r.Hold == w.Hold:
				seen, read = r.Value, true
			}
		}
		if read && seen != newest.Value && newest.Hold != w.Hold {
			n++
		}
	}
	return n
}

// lowTokensIn counts beliefs with a token that is not above that of a belief of another hold
// which had ended, or below that of its own.
func lowTokensIn(records []history.Record) (n int) {
	beliefs := beliefsIn(records)
	for _, b := range beliefs {
		low := false
		for _, a := range beliefs {
			if a.end <= b.begin && b.Token != 0 {
				low = low || a.Token > b.Token || a.Token == b.Token && a.Hold != b.Hold
			}
		}
		if low {
			n++
		}
	}
	return n
}
