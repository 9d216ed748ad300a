package reports

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"fencepost/checker"
	"fencepost/sim"
	"fencepost/sim/history"
)

// record is a run in which client 1 is paused past its lease and rejected after it.
func record() *history.Recorder {
	now := sim.Time(0)
	r := history.NewRecorder(func() sim.Time { return now })
	add := func(at time.Duration, rec history.Record) {
		now = sim.Time(at)
		r.Add(rec)
	}
	one, two := r.NewHold(0, 1), r.NewHold(1, 2)
	s := time.Second
	add(0, history.Record{Kind: history.Attempt, Hold: one})
	add(0, history.Record{Kind: history.Grant, Hold: one, Token: 33, Until: sim.Time(10 * s)})
	add(0, history.Record{Kind: history.BeliefBegin, Hold: one, Token: 33})
	add(1*s, history.Record{Kind: history.Read, Effect: history.ReadEffect, Hold: one, Token: 33})
	add(2*s, history.Record{Kind: history.Fault, Executor: 1, Until: sim.Time(17 * s), Text: "pause client 1 for 15s"})
	add(2*s, history.Record{Kind: history.Fault, Text: "clock-step redis/1 by 1s"})
	add(11*s, history.Record{Kind: history.Grant, Hold: two, Token: 34, Until: sim.Time(21 * s)})
	add(11*s, history.Record{Kind: history.BeliefBegin, Hold: two, Token: 34})
	add(12*s, history.Record{Kind: history.Request, Effect: history.WriteEffect, Hold: two, Token: 34, Value: 1})
	add(12*s, history.Record{Kind: history.Write, Effect: history.WriteEffect, Hold: two, Token: 34, Value: 1})
	add(17*s, history.Record{Kind: history.Request, Effect: history.WriteEffect, Hold: one, Token: 33, Value: 2})
	add(18*s, history.Record{Kind: history.Reject, Effect: history.WriteEffect, Hold: one, Token: 33, Base: 34})
	add(18*s, history.Record{Kind: history.BeliefEnd, Hold: one, Text: "its request was rejected"})
	return r
}

// TestStory: one sentence for each stretch in which one actor acts, faults of one
// instant in one.
func TestStory(t *testing.T) {
	want := []string{
		"Client 1 acquires the lock at 0.000 s (token 33, promised until 10.000 s) and reads v0.",
		"At 2.000 s a fault: pause client 1 for 15s; clock-step redis/1 by 1s.",
		"Client 2 acquires the lock at 11.000 s (token 34, promised until 21.000 s) and writes v1 over v0 at 12.000 s.",
		"Client 1 has its write, sent at 17.000 s (token 33), rejected at 18.000 s, since token 34 has been seen and gives up at 18.000 s (its request was rejected).",
	}
	if got := tell(record(), nil, ""); !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

// TestOfManyFaultsTheLastBeforeAViolationAreTold, and how many others there were.
func TestOfManyFaultsTheLastBeforeAViolationAreTold(t *testing.T) {
	var all []stretch
	for second := range sim.Time(10) {
		all = append(all, stretch{text: "fault", from: second * 1e9, to: second * 1e9, fault: true})
	}
	evidence := []checker.Evidence{{Property: checker.Exclusion, At: 6_500_000_000, From: 6_500_000_000}}
	told := faultsToTell(all, evidence, "")
	if want := map[int]bool{5: true, 6: true}; !reflect.DeepEqual(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	if got, want := shorten(all, evidence, ""), []string{"fault", "fault", "(8 faults are left out.)"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := faultsToTell(all[:5], nil, ""); len(got) != 5 {
		t.Errorf("of five faults %v are told, want all", got)
	}
}

// What the cause names by its instant is told, and the read that a lost update rests on.
func TestWhatTheCauseRestsOnIsTold(t *testing.T) {
	var all []stretch
	for i := range 10 {
		at := sim.Time(i) * 1e9
		all = append(all, stretch{text: "Client 1 releases at " + checker.Seconds(at) + ".", from: at, to: at})
	}
	all[4].read = []read{{hold: 7, value: 3}}
	all[3].read = []read{{hold: 8, value: 3}}
	evidence := []checker.Evidence{{Property: checker.ResourceName, At: 20e9, From: 20e9,
		Holds: []checker.HoldFacts{{Hold: 8}, {Hold: 7}}, Values: &checker.ValueFacts{Replaced: 4, Seen: 3}}}
	got := shorten(all, evidence, "A client: client 1 released it at 7.000 s.")
	for _, i := range []int{0, 4, 7} {
		if !slices.Contains(got, all[i].text) {
			t.Errorf("%q is left out of %q", all[i].text, got)
		}
	}
	if slices.Contains(got, all[3].text) {
		t.Errorf("the read of another hold is told: %q", got)
	}
}
