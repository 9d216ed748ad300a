package checker

import (
	"strings"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

const (
	s  = sim.Time(1e9)
	ms = sim.Time(1e6)
)

// run is a record that is judged while it is written.
type run struct {
	*Checker
	r   *history.Recorder
	now sim.Time
}

// newRun has holds 1, 2 and 3, of clients 1, 2 and 3, who are executors 1, 2 and 3.
func newRun(ordered ...history.Effect) *run {
	x := &run{}
	x.r = history.NewRecorder(func() sim.Time { return x.now })
	x.Checker = New(x.r, 10*time.Second, ordered)
	for client := range 3 {
		x.r.NewHold(client, history.Executor(client+1))
	}
	return x
}

func (x *run) at(t sim.Time, k history.Kind, hold history.HoldID) *run {
	return x.add(t, history.Record{Kind: k, Hold: hold, Local: time.Duration(t) + time.Hour})
}

func (x *run) add(t sim.Time, r history.Record) *run {
	x.now = t
	x.r.Add(r)
	return x
}

// hold lets a hold in, up to an instant, and makes its client believe.
func (x *run) hold(t sim.Time, hold history.HoldID, until sim.Time, token int64) *run {
	x.at(t, history.Attempt, hold)
	x.add(t, history.Record{Kind: history.Grant, Hold: hold, Until: until, Token: token})
	return x.add(t, history.Record{Kind: history.BeliefBegin, Hold: hold, Token: token, Local: time.Duration(t) + time.Hour})
}

func (x *run) release(t sim.Time, hold history.HoldID) *run {
	return x.at(t, history.BeliefEnd, hold).at(t, history.ReleaseBegin, hold).at(t, history.ServiceEnd, hold).at(t, history.ReleaseEnd, hold)
}

func (x *run) send(t sim.Time, hold history.HoldID, e history.Effect) *run {
	return x.add(t, history.Record{Kind: history.Request, Hold: hold, Effect: e, Local: time.Duration(t) + time.Hour})
}

func (x *run) read(t sim.Time, hold history.HoldID, value int64) *run {
	return x.send(t, hold, history.ReadEffect).add(t, history.Record{Kind: history.Read, Hold: hold, Effect: history.ReadEffect, Value: value})
}

// write applies a write that was sent before.
func (x *run) write(t sim.Time, hold history.HoldID, value, base int64) *run {
	return x.add(t, history.Record{Kind: history.Write, Hold: hold, Effect: history.WriteEffect, Value: value, Base: base})
}

// fault is one on a client, or for 0 on the service or, if its text says so, on the resource. The
// text says also for how long, by how much, and of which requests it holds one.
func (x *run) fault(t sim.Time, client int, text string) *run {
	words := strings.Fields(text)
	rec := history.Record{Kind: history.Fault, Fault: words[0], Host: words[min(1, len(words)-1)], Text: text, Until: t + s}
	for i, word := range words[1:] {
		d, _ := time.ParseDuration(words[min(i+2, len(words)-1)])
		switch word {
		case "for":
			rec.Until = t.Add(d)
		case "by":
			rec.Base = int64(d)
			rec.Ahead = d > 0
		case "read", "write", "effect":
			rec.Effect = map[string]history.Effect{"read": history.ReadEffect, "write": history.WriteEffect, "effect": history.OutsideEffect}[word]
		}
	}
	if strings.HasPrefix(text, "clock-rate") {
		rec.Base, rec.Ahead = 1e9, !strings.Contains(text, "slower")
		if !rec.Ahead {
			rec.Base = -5e8
		}
	}
	if rec.Fault == "clock-step" {
		rec.Until = t
	}
	x.strikes(&rec, client, strings.Contains(text, "resource"))
	return x.add(t, rec)
}

// strikes says whom a fault strikes.
func (x *run) strikes(rec *history.Record, client int, resource bool) {
	if client > 0 {
		rec.Executor = history.Executor(client)
		rec.Struck.Add(client - 1)
	}
	switch {
	case resource || rec.Effect != 0:
		rec.Parties = history.Protected
	case client == 0:
		rec.Parties = history.Service | history.MostServers
	case onLinks(rec):
		rec.Parties = history.Service
		rec.Apart.Add(client - 1)
	}
}

// removal is one of a record of a hold, which may end the hold.
func (x *run) removal(t sim.Time, hold history.HoldID, ends bool) *run {
	x.fault(t, 0, "remove the lock's record").r.AddRemoval(len(x.r.Records), hold)
	if ends {
		x.add(t, history.Record{Kind: history.ServiceEnd, Hold: hold, Text: history.Removed})
	}
	return x
}

func (x *run) verdict(t *testing.T, audit int64, bound string) Verdict {
	t.Helper()
	v, err := x.Verdict(x.r, x.now, []int64{audit}, bound)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// on is a record about one of several objects, from 1.
func on(object int, r history.Record) history.Record {
	r.Object = uint8(object - 1)
	return r
}

// does is the effect of a job, which goes on until an instant.
func does(hold history.HoldID, job int64, until sim.Time) history.Record {
	return history.Record{Kind: history.Perform, Effect: history.OutsideEffect, Hold: hold, Content: job, Until: until}
}

// asks is the request for an effect.
func asks(hold history.HoldID) history.Record {
	return history.Record{Kind: history.Request, Effect: history.OutsideEffect, Hold: hold}
}

// changes is a write that does something else than replacing a value.
func changes(hold history.HoldID, by history.Change, content, value, base int64) history.Record {
	return history.Record{Kind: history.Write, Effect: history.WriteEffect, Hold: hold, Change: by, Content: content, Value: value, Base: base}
}

// sees is a read of such an object.
func sees(hold history.HoldID, where history.Change, content, value int64) history.Record {
	return history.Record{Kind: history.Read, Effect: history.ReadEffect, Hold: hold, Change: where, Content: content, Value: value}
}
