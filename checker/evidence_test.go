package checker

import (
	"encoding/json"
	"testing"

	"fencepost/sim"
	"fencepost/sim/history"
)

// Two holders overlap from 12 to 14 s; the second one acts. The first one's lease ended
// at 10 s, the second one's would have at 20 s.
func overlap() *run {
	x := newRun().fault(s, 1, "pause of client 1").fault(s, 2, "pause of client 2").fault(2*s, 3, "pause of client 3")
	x.hold(3*s, 1, 10*s, 33).fault(4*s, 0, "clock-rate redis/1").hold(12*s, 2, 20*s, 34)
	return x.send(13*s, 2, history.ReadEffect).at(14*s, history.BeliefEnd, 1).at(15*s, history.BeliefEnd, 2).fault(16*s, 1, "late")
}

func TestEvidence(t *testing.T) {
	all := overlap()
	e := all.Evidence(all.r)
	if len(e) != 1 {
		t.Fatalf("evidence %+v", e)
	}
	got, err := json.Marshal(e[0])
	if err != nil {
		t.Fatal(err)
	}
	// Local instants are an hour ahead. Client 3 is not concerned, and a fault after
	// the overlap began explains nothing.
	want := `{"property":"exclusion","kind":"overlap","at_ns":12000000000,"from_ns":12000000000,"to_ns":14000000000,"holds":[` +
		`{"hold":1,"client":1,"token":33,"acted":false,"granted_ns":3000000000,"promised_until_ns":10000000000,` +
		`"believed_from_ns":3000000000,"believed_from_local_ns":3603000000000,"believed_until_ns":14000000000},` +
		`{"hold":2,"client":2,"token":34,"acted":true,"granted_ns":12000000000,"promised_until_ns":20000000000,` +
		`"believed_from_ns":12000000000,"believed_from_local_ns":3612000000000,"believed_until_ns":15000000000}],` +
		`"faults":[{"fault":"pause of client 1","at_ns":1000000000},{"fault":"pause of client 2","at_ns":1000000000},` +
		`{"fault":"clock-rate redis/1","at_ns":4000000000}],` +
		`"text":"client 1 (token 33) and client 2 (token 34) both believed to hold the lock from 12.000 s for 2.000 s; only client 2 (token 34) acted on it"}`
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestSentences(t *testing.T) {
	endless := sim.Forever
	for _, c := range []struct {
		run  *run
		want string
	}{
		{newRun().hold(0, 1, 10*s, 0).at(9*s, history.BeliefEnd, 1).hold(9*s, 2, 19*s, 0),
			"client 2 was let in at 9.000 s, 1.000 s before the promise to client 1 was over"},
		{newRun().hold(0, 1, endless, 0).at(9*s, history.BeliefEnd, 1).hold(9*s, 2, endless, 0),
			"client 2 was let in at 9.000 s, when the promise to client 1, which has no end, still ran"},
		{newRun().hold(0, 1, s, 0).hold(9*s, 2, 19*s, 0),
			"client 1 and client 2 both believed to hold the lock from 9.000 s to the end of the run; neither acted on it"},
		{newRun().read(0, 1, 0).read(0, 2, 0).write(s, 1, 1, 0).write(2*s, 2, 2, 1),
			"at 2.000 s client 2 wrote v2 over v1 of client 1, having read v0"},
		{newRun(history.WriteEffect).hold(0, 1, s, 1).release(s, 1).hold(s, 2, 9*s, 2).write(2*s, 2, 1, 0).write(3*s, 1, 2, 1),
			"at 3.000 s the resource served client 1 (token 1) after it had served the later client 2 (token 2)"},
		{newRun().at(0, history.Attempt, 1).at(12*s, history.GiveUp, 1),
			"client 1 was trying and nobody held the lock from 0.000 s to 12.000 s"},
		{newRun().hold(0, 1, 10*s, 0).at(9*s, history.ServiceEnd, 1),
			"the service ended the lock of client 1 at 9.000 s, 1.000 s before its promise was over"},
		{newRun().hold(0, 1, endless, 0).at(9*s, history.ServiceEnd, 1),
			"the service ended the lock of client 1 at 9.000 s, which it had promised without end"},
		{newRun().hold(0, 3, endless, 0).hold(0, 1, endless, 0).at(0, history.Attempt, 2).at(s, history.BeliefEnd, 1).at(s, history.ReleaseBegin, 1).at(13*s, history.ServiceEnd, 1),
			"the service kept the lock of client 1 until 13.000 s, 12.000 s after its owner had ended"},
	} {
		all := c.run.Evidence(c.run.r)
		if len(all) == 0 || all[len(all)-1].Text != c.want {
			t.Errorf("got %+v\nwant %s", all, c.want)
		}
	}
}

// A crash ends a belief; what a lost update replaced is told; holds of one client are
// told apart; promises and beliefs without an end have none.
func TestFacts(t *testing.T) {
	x := newRun()
	second := x.r.NewHold(0, 1)
	x.hold(0, 1, sim.Forever, 0).read(0, 1, 0).hold(0, second, sim.Forever, 0).read(0, second, 0)
	x.write(s, 1, 1, 0).write(2*s, second, 2, 1).add(3*s, history.Record{Kind: history.Crash, Executor: 1})
	all := x.Evidence(x.r)
	e := all[len(all)-1]
	if e.Property != ResourceName || *e.Values != (ValueFacts{Replaced: 1, Seen: 0, Written: 2}) {
		t.Errorf("%+v, values %+v", e, e.Values)
	}
	for _, h := range e.Holds {
		if h.PromisedUntil != nil || h.BelievedUntil == nil || *h.BelievedUntil != int64(3*s) || h.Acted != nil {
			t.Errorf("%+v", h)
		}
	}
	if want := "at 2.000 s client 1 (hold 4) wrote v2 over v1 of client 1 (hold 1), having read v0"; e.Text != want {
		t.Errorf("%q, want %q", e.Text, want)
	}
}

// The reason that the service gave for an early end is told.
func TestWhyAHoldEndedEarly(t *testing.T) {
	for text, want := range map[string]string{
		"expired": "The service: the service ended the lock of client 1 at 4.000 s (expired), 6.000 s before its promise was over.",
		"":        "The service: the service ended the lock of client 1 at 4.000 s, 6.000 s before its promise was over.",
	} {
		x := newRun().hold(0, 1, 10*s, 0).add(4*s, history.Record{Kind: history.ServiceEnd, Hold: 1, Text: text}).at(5*s, history.BeliefEnd, 1)
		if got := x.Cause(x.r, Setting{Guard: "none"}); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
