package client_test

import (
	"slices"
	"testing"
	"time"

	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/rng"
)

var lasting = resource.Settings{Kind: resource.Effect, Lasts: rng.Constant(3 * second)}

// The two programs that there are: the job is done and then recorded, or the other way round. The
// steps are named, and the job is that after the one that was read.
func TestOrderOfEffectAndRecord(t *testing.T) {
	effect := []string{"effect.send", "effect.reply"}
	record := []string{"write.send", "write.sent", "write.reply"}
	for _, recordsFirst := range []bool{false, true} {
		first, second := effect, record
		kinds := []history.Kind{history.Read, history.Perform, history.Write}
		if recordsFirst {
			first, second = record, effect
			kinds = []history.Kind{history.Read, history.Write, history.Perform}
		}
		records, steps := scene{of: resource.Settings{Kind: resource.Effect, RecordsFirst: recordsFirst}}.play(t, &library{}, client.Workload{Cycles: 2})
		want := slices.Concat([]string{"start", "acquired", "read.send", "read.reply"}, first, second)
		if !slices.Equal(steps, slices.Concat(want, want)) {
			t.Errorf("records first %t: %q, want twice %q", recordsFirst, steps, want)
		}
		var got []history.Kind
		var jobs []int64
		for _, r := range records {
			if slices.Contains(kinds, r.Kind) {
				got = append(got, r.Kind)
				jobs = append(jobs, r.Content)
			}
		}
		if !slices.Equal(got, slices.Concat(kinds, kinds)) || !slices.Equal(jobs, []int64{0, 1, 1, 1, 2, 2}) {
			t.Errorf("records first %t: %v of jobs %v", recordsFirst, got, jobs)
		}
	}
}

// The section works as long as the effect goes on: from the reply at 4 ms on for 3 s. Then comes the
// record. If that came first, the section ends with the effect.
func TestSectionLastsAsLongAsTheEffect(t *testing.T) {
	for recordsFirst, want := range map[bool][]time.Duration{
		false: {3 * ms, 3005 * ms, 3006 * ms}, // effect, record, end
		true:  {3 * ms, 5 * ms, 3006 * ms},    // record, effect, end
	} {
		s := scene{of: lasting}
		s.of.RecordsFirst = recordsFirst
		records, _ := s.play(t, &library{}, client.Workload{})
		if got := instants(records, history.Perform, history.Write, history.BeliefEnd); !slices.Equal(got, want) {
			t.Errorf("records first %t: %v, want %v", recordsFirst, got, want)
		}
	}
}

// A loss at 1.05 s is noticed by the timer at the next look, 100 ms after the last: then the section
// stops, and the effect goes on as it was begun. Without a timer it is noticed when the effect is over.
func TestLossWhileTheEffectGoesOn(t *testing.T) {
	for _, c := range []struct {
		check    client.Check
		stops    time.Duration
		recorded bool
	}{
		{client.CheckTimer, 1104 * ms, false},
		{client.CheckEvery, 3004 * ms, false},
		{client.CheckBeforeWrite, 3006 * ms, true}, // it looks before the first request of the two
		{client.CheckNever, 3006 * ms, true},
	} {
		records, _ := scene{of: lasting}.play(t, &library{lostAt: sim.Time(1050 * ms)}, client.Workload{Check: c.check, CheckPeriod: 100 * ms})
		if got := instants(records, history.BeliefEnd); !slices.Equal(got, []time.Duration{c.stops}) {
			t.Errorf("check %s: stopped at %v, want %v", c.check, got, c.stops)
		}
		effects := of(records, history.Perform)
		if len(effects) != 1 || effects[0].Until.Duration() != 3003*ms {
			t.Errorf("check %s: effects %+v, want one until 3.003 s", c.check, effects)
		}
		if got := len(of(records, history.Write)) > 0; got != c.recorded {
			t.Errorf("check %s: recorded: %t", c.check, got)
		}
	}
}

// Another has recorded job 1 between the read and the request for the effect. The record carries back
// the version of the read, and not the one that came with the effect's reply, and is refused.
func TestRecordIsOfTheVersionThatWasRead(t *testing.T) {
	s := scene{guard: "if-match", of: resource.Settings{Kind: resource.Effect}, then: []event{meanwhile(2500*time.Microsecond, 1)}}
	records, _ := s.play(t, &library{}, client.Workload{})
	rejected := of(records, history.Reject)
	if len(rejected) != 1 || rejected[0].Effect != history.WriteEffect || rejected[0].Text != history.VersionDiffers {
		t.Errorf("rejected: %+v", rejected)
	}
	if len(of(records, history.Perform)) != 1 {
		t.Error("nothing stands before the effect")
	}
}

// Alone, a client is refused nothing, in whatever order it works, also if the guard compares its
// requests for the effect.
func TestEffectUnderEachGuard(t *testing.T) {
	for _, g := range resource.Guards {
		if g.Asks {
			continue // there is nobody to ask
		}
		for _, recordsFirst := range []bool{false, true} {
			s := scene{guard: g.Name, of: resource.Settings{Kind: resource.Effect, RecordsFirst: recordsFirst, GuardsEffect: true, Objects: 2}}
			records, _ := s.play(t, &library{}, client.Workload{Cycles: 2})
			if done := of(records, history.Perform); len(done) != 4 || len(of(records, history.Reject)) != 0 || len(of(records, history.Write)) != 4 {
				t.Errorf("%s, records first %t: did %+v, rejected %+v", g.Name, recordsFirst, done, of(records, history.Reject))
			}
		}
	}
}

// The steps of an effect are listed.
func TestEffectStepsAreListed(t *testing.T) {
	_, steps := scene{of: resource.Settings{Kind: resource.Effect}}.play(t, &library{}, client.Workload{})
	for _, s := range client.EffectSteps {
		if !slices.Contains(steps, s.Name) {
			t.Errorf("%s is listed, and not passed", s.Name)
		}
	}
}
