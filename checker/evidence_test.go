package checker

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

// Two holders overlap from 12 to 14 s; the second one acts. The first one's lease ended
// at 10 s, the second one's would have at 20 s.
func overlap() *run {
	x := newRun().fault(s, 1, "pause client/1 for 1s").fault(s, 0, "pause redis/1 for 1s").fault(s, 2, "pause client/2 for 3s").fault(2*s, 3, "pause client/3 for 9s")
	x.hold(3*s, 1, 10*s, 33).fault(4*s, 0, "clock-rate redis/1").fault(5*s, 0, "crash resource").hold(12*s, 2, 20*s, 34)
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
	// Local instants are an hour ahead. Client 3 is not concerned; what was over before the first
	// hold was asked for, or came after the overlap began, explains nothing.
	want := `{"property":"exclusion","kind":"overlap","at_ns":12000000000,"from_ns":12000000000,"to_ns":14000000000,"holds":[` +
		`{"hold":1,"client":1,"token":33,"acted":false,"granted_ns":3000000000,"promised_until_ns":10000000000,` +
		`"believed_from_ns":3000000000,"believed_from_local_ns":3603000000000,"believed_until_ns":14000000000,"believed_until_local_ns":3614000000000},` +
		`{"hold":2,"client":2,"token":34,"acted":true,"granted_ns":12000000000,"promised_until_ns":20000000000,` +
		`"believed_from_ns":12000000000,"believed_from_local_ns":3612000000000,"believed_until_ns":15000000000,"believed_until_local_ns":3615000000000}],` +
		`"requests":[{"hold":2,"client":2,"effect":"read","value":0,"sent_ns":13000000000,"sent_local_ns":3613000000000,"served_ns":null}],` +
		`"faults":[{"fault":"pause client/2 for 3s","host":"client/2","at_ns":1000000000,"until_ns":4000000000},` +
		`{"fault":"clock-rate redis/1","host":"redis/1","at_ns":4000000000,"until_ns":5000000000},` +
		`{"fault":"crash resource","host":"resource","at_ns":5000000000,"until_ns":6000000000}],` +
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
		{newRun(history.WriteEffect).hold(0, 1, s, 1).release(s, 1).hold(s, 2, 9*s, 2).write(2*s, 2, 1, 0).send(2500*ms, 1, history.WriteEffect).write(3*s, 1, 2, 1),
			"at 3.000 s the resource served the write of client 1 (token 1), sent at 2.500 s, after it had served the later client 2 (token 2) at 2.000 s"},
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
		if got := x.Cause(x.r, Setting{Guard: "none"}).Text; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// TestFaultsOfAFinding: those that reached its clients, the service or the resource, and not before
// the holds were asked for.
func TestFaultsOfAFinding(t *testing.T) {
	x := newRun().fault(0, 1, "pause client/1 for 1s").fault(0, 0, "pause redis/1 for 1s").fault(0, 1, "pause client/1 for 9s").hold(3*s, 1, 10*s, 0)
	both := history.Record{Kind: history.Fault, Fault: "cut", Text: "cut client/3 from all", Until: sim.Forever, Struck: 1<<0 | 1<<2}
	x.fault(4*s, 3, "pause client/3 for 9s").add(5*s, both).fault(6*s, 0, "pause resource for 1s").fault(6*s, 0, "pause redis/1 for 1s")
	x.hold(12*s, 2, 20*s, 0).fault(13*s, 1, "pause client/1 for 2s")
	e := x.Evidence(x.r)[0]
	want := []FaultFacts{{"pause client/1 for 9s", "client/1", 0, instant(9 * s)}, {"cut client/3 from all", "", int64(5 * s), nil},
		{"pause resource for 1s", "resource", int64(6 * s), instant(7 * s)}, {"pause redis/1 for 1s", "redis/1", int64(6 * s), instant(7 * s)}}
	if !reflect.DeepEqual(e.Faults, want) {
		t.Errorf("%+v\nwant %+v", e.Faults, want)
	}
}

// TestRequestsOfAFinding: which requests a finding is about, when they were sent, by the client's own
// clock too, and when they were served.
func TestRequestsOfAFinding(t *testing.T) {
	w := history.WriteEffect
	sent := func(hold int, e history.Effect, value int64, at, served sim.Time) RequestFacts {
		return RequestFacts{Hold: hold, Client: hold, Effect: e.String(), Value: value, Sent: int64(at), SentLocal: int64(at + 3600*s), Served: instant(served)}
	}
	writes := func(x *run, hold history.HoldID, value, base int64, at, served sim.Time) *run {
		return x.send(at, hold, w).write(served, hold, value, base)
	}
	lost := newRun().read(0, 1, 0).read(0, 2, 0)
	writes(writes(lost, 1, 1, 0, s, 2*s), 2, 2, 1, 3*s, 4*s)
	order := newRun(w).hold(0, 1, s, 0).send(s, 1, w).release(s, 1).hold(s, 2, 9*s, 0)
	writes(order, 2, 1, 0, 2*s, 2*s)
	writes(order, 2, 2, 1, 3*s, 3*s).write(4*s, 1, 3, 2)
	old := newRun().read(0, 2, 0)
	writes(old, 1, 1, 0, s, 2*s).read(3*s, 2, 0)
	twice := newRun().add(s, local(asks(1), s)).add(2*s, does(1, 1, 2*s)).add(3*s, local(asks(2), 3*s)).add(4*s, does(2, 1, 4*s))
	gone := newRun().send(s, 1, w).add(2*s, changes(1, history.Deletes, history.Gone, 1, 0)).send(3*s, 2, w).add(4*s, changes(2, history.Refers, history.Gone, 2, 1))
	copied := sent(1, w, 1, s, 3*s)
	copied.Copied = true
	for _, c := range []struct {
		kind string
		run  *run
		want []RequestFacts
	}{
		{"lost-update", lost, []RequestFacts{sent(1, w, 1, s, 2*s), sent(2, w, 2, 3*s, 4*s)}},
		{"stale-order", order, []RequestFacts{sent(1, w, 3, s, 4*s), sent(2, w, 1, 2*s, 2*s)}},
		{"stale-read", old, []RequestFacts{sent(1, w, 1, s, 2*s), sent(2, history.ReadEffect, 0, 3*s, 3*s)}},
		{"doubled-effect", twice, []RequestFacts{sent(1, history.OutsideEffect, 0, s, 2*s), sent(2, history.OutsideEffect, 0, 3*s, 4*s)}},
		{"dangling", gone, []RequestFacts{sent(1, w, 1, s, 2*s), sent(2, w, 2, 3*s, 4*s)}},
		{"doubled-effect", newRun().send(s, 1, w).add(2*s, changes(1, history.Appends, 0, 1, 0)).add(3*s, changes(1, history.Appends, 0, 1, 1)), []RequestFacts{sent(1, w, 1, s, 2*s), copied}},
	} {
		all := c.run.Evidence(c.run.r)
		i := slices.IndexFunc(all, func(e Evidence) bool { return e.Kind == c.kind })
		if i < 0 {
			t.Errorf("%s: not found in %+v", c.kind, all)
			continue
		}
		got := all[i].Requests
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.kind, asJSON(got), asJSON(c.want))
		}
	}
}

// local is a record with the local time of an instant.
func local(r history.Record, at sim.Time) history.Record {
	r.Local = time.Duration(at) + time.Hour
	return r
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
