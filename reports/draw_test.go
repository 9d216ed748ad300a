package reports

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/resource"
	"fencepost/reports/timeline"
	"fencepost/scenarios"
	"fencepost/sim"
	"fencepost/sim/history"
)

// drawn draws the records of two clients that one hold each has.
func drawn(records ...history.Record) *drawing {
	now := sim.Time(0)
	recorder := history.NewRecorder(func() sim.Time { return now })
	recorder.NewHold(0, 1)
	recorder.NewHold(1, 2)
	d := newDrawing(&scenarios.Trial{Recorder: recorder}, nil, sim.Time(20*time.Second))
	d.picture.Lanes = make([]timeline.Lane, 3)
	for _, r := range records {
		now = r.At
		recorder.Add(r)
		d.record(&recorder.Records[len(recorder.Records)-1])
	}
	d.round()
	return d
}

// TestPromiseBars: a renewal in time lengthens a bar, a late one begins another.
func TestPromiseBars(t *testing.T) {
	const s = time.Second
	at := func(kind history.Kind, at, until time.Duration, token int64) history.Record {
		return history.Record{Kind: kind, Hold: 1, At: sim.Time(at), Until: sim.Time(until), Token: token}
	}
	bar := func(from, to time.Duration) timeline.Bar {
		return timeline.Bar{Kind: timeline.Promise, From: from, To: to, Label: "promise (token 7)"}
	}
	for name, c := range map[string]struct {
		records []history.Record
		want    []timeline.Bar
	}{
		"renewed in time":      {[]history.Record{at(history.Grant, 0, 10*s, 7), at(history.Promise, 5*s, 15*s, 0)}, []timeline.Bar{bar(0, 15*s)}},
		"renewed at the end":   {[]history.Record{at(history.Grant, 0, 10*s, 7), at(history.Promise, 10*s, 15*s, 0)}, []timeline.Bar{bar(0, 15*s)}},
		"renewed late":         {[]history.Record{at(history.Grant, 0, 10*s, 7), at(history.Promise, 12*s, 15*s, 0)}, []timeline.Bar{bar(0, 10*s), bar(12*s, 15*s)}},
		"late, then in time":   {[]history.Record{at(history.Grant, 0, 5*s, 7), at(history.Promise, 6*s, 9*s, 0), at(history.Promise, 8*s, 11*s, 0)}, []timeline.Bar{bar(0, 5*s), bar(6*s, 11*s)}},
		"late, then released":  {[]history.Record{at(history.Grant, 0, 5*s, 7), at(history.Promise, 6*s, 16*s, 0), at(history.ReleaseBegin, 7*s, 0, 0)}, []timeline.Bar{bar(0, 5*s), bar(6*s, 7*s)}},
		"released when over":   {[]history.Record{at(history.Grant, 0, 5*s, 7), at(history.ReleaseBegin, 7*s, 0, 0)}, []timeline.Bar{bar(0, 5*s)}},
		"beyond the picture":   {[]history.Record{at(history.Grant, 0, 10*s, 7), at(history.Promise, 9*s, 90*s, 0), at(history.Promise, 12*s, 95*s, 0)}, []timeline.Bar{bar(0, -1)}},
		"shortened by a touch": {[]history.Record{at(history.Grant, 0, 10*s, 7), at(history.Promise, 2*s, 8*s, 0)}, []timeline.Bar{bar(0, 8*s)}},
	} {
		if got := drawn(c.records...).picture.Lanes[0].Bars; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestMarksOfTheResource: each effect has a sign and a label of its own, also a token that a
// holder leaves.
func TestMarksOfTheResource(t *testing.T) {
	d := drawn(
		history.Record{Kind: history.Mark, Effect: history.MarkEffect, Hold: 1, At: 1, Token: 7},
		history.Record{Kind: history.Read, Effect: history.ReadEffect, Hold: 1, At: 2, Token: 7},
		history.Record{Kind: history.Write, Effect: history.WriteEffect, Hold: 1, At: 3, Token: 7, Value: 1},
		history.Record{Kind: history.Reject, Effect: history.MarkEffect, Hold: 2, At: 4, Token: 6, Base: 7},
	)
	want := []timeline.Mark{
		{At: 1, Kind: timeline.Left, Label: "client 1 leaves its mark (token 7)"},
		{At: 2, Kind: timeline.Read, Label: "client 1 reads v0 (token 7)"},
		{At: 3, Kind: timeline.Accepted, Label: "client 1 writes v1 over v0 (token 7): accepted"},
		{At: 4, Kind: timeline.Rejected, Label: "client 2 marks (token 6): rejected, 7 seen"},
	}
	if got := d.resource().Marks; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLabelsAreRounded: what is drawn has nine digits behind the point, and a label three.
func TestLabelsAreRounded(t *testing.T) {
	d := drawn(
		history.Record{Kind: history.Pause, Executor: 1, At: 1, Until: sim.Time(14635981095)},
		history.Record{Kind: history.Pause, Executor: 2, At: 1, Until: sim.Forever},
	)
	for i, want := range []string{"paused 14.636s", "paused"} {
		if got := d.picture.Lanes[i].Bars[0].Label; got != want {
			t.Errorf("client %d: %q, want %q", i+1, got, want)
		}
	}
}

func TestRounded(t *testing.T) {
	for text, want := range map[string]string{
		"pause client 1 for 3m53.750000001s at write.send": "pause client 1 for 3m53.75s at write.send",
		"23.799999996s":                 "23.8s",
		"59.9999999s":                   "1m0s",
		"by -1.2345678s":                "by -1.235s",
		"(1.234567ms)":                  "(1.23ms)",
		"12.3456µs, 15s, 1h2m3s, 250ms": "12.3µs, 15s, 1h2m3s, 250ms",
		"1h0m0.5004s":                   "1h0m0.5s",
		"0.000 s, v1.5, 1.25, 7.2 %":    "0.000 s, v1.5, 1.25, 7.2 %",
	} {
		if got := rounded(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// failover is the plan of a run in which a leader is cut off and dies for good.
func failover(t *testing.T) *scenarios.Plan {
	t.Helper()
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Load("failover-loses-the-lock")
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Instantiate(registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	lock, _ := registry.Find("redis-replica")
	guard, _ := resource.FindGuard("none")
	plans, err := in.Plans([]models.Lock{lock}, []resource.Guard{guard})
	if err != nil {
		t.Fatal(err)
	}
	return plans[0]
}

// TestMessagesToTheDeadAreLost: also those that no fault of the network touched.
func TestMessagesToTheDeadAreLost(t *testing.T) {
	trial := scenarios.NewTrial(failover(t))
	defer trial.Close()
	m := newMessages(trial)
	trial.Tap(m)
	if _, err := trial.RunSafely(1); err != nil {
		t.Fatal(err)
	}
	dead, late := trial.ServiceHosts()[0].ID, 0
	for _, s := range m.list {
		if s.message.To.Node != dead || s.at.Duration() < 10100*time.Millisecond {
			continue
		}
		if late++; !s.lost {
			t.Fatalf("a message that was sent at %v to redis/1, which died at 10.001 s, is drawn as delivered", s.at.Duration())
		}
	}
	if late < 100 {
		t.Errorf("only %d messages were sent to the dead server", late)
	}
}

// TestTheLeaderIsNotCutFromItself: a label names the leader once.
func TestTheLeaderIsNotCutFromItself(t *testing.T) {
	var out bytes.Buffer
	if err := WriteTimeline(&out, failover(t), 1); err != nil {
		t.Fatal(err)
	}
	if want := ">cut the leader (redis/1) from the other servers for 1m0s<"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q", want)
	}
}
