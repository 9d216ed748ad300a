package dbrow

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fencepost/checker/monitor"
	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

const (
	ms     = time.Millisecond
	µs     = time.Microsecond
	second = time.Second
)

// rig is a row with a TTL of 10 s, judged.
type rig struct {
	*modeltest.Judged
	t *testing.T
}

// set are parameters, as a scenario would write them.
type set map[string]string

func newRig(t *testing.T, clients int, params set) *rig {
	t.Helper()
	d, values := New().Describe(), map[string]int64{}
	for _, p := range d.Params {
		if text, ok := params[p.Name]; ok {
			v, err := p.Parse(text)
			if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			values[p.Name] = v
		}
	}
	r := &rig{t: t, Judged: modeltest.NewJudged(t, New(), clients, values)}
	return r
}

func (r *rig) server() *server    { return r.System.(*system).server }
func (r *rig) db() *host.Host     { return r.Server("db", 0) }
func (r *rig) row() row           { return r.server().row }
func at(d time.Duration) sim.Time { return sim.Time(d) }

// task is one use of the lock by a program that may not get it.
type task struct {
	modeltest.Use
	Skipped sim.Time // 0 is not
}

// run has a client try at an instant, and release after a while; no while is never.
func (r *rig) run(client int, at, while time.Duration) *task {
	u := &task{Use: modeltest.Use{Hold: r.Recorder.NewHold(client, history.Executor(client+1))}}
	add := func(k history.Kind) { r.Recorder.Add(history.Record{Kind: k, Hold: u.Hold}) }
	r.Env.Clients[client].Go(fmt.Sprintf("client %d", client+1), func(p *host.Process) {
		p.Sleep(at)
		add(history.Attempt)
		locker := r.Lockers[client]
		grant, err := locker.Acquire(p, u.Hold)
		if err != nil {
			add(history.GiveUp)
			u.Skipped = r.World.Now()
			return
		}
		u.Acquired, u.Token = r.World.Now(), grant.Token
		add(history.BeliefBegin)
		if while == 0 {
			return
		}
		p.Sleep(while)
		add(history.BeliefEnd)
		add(history.ReleaseBegin)
		u.Err = locker.Release(p)
		add(history.ReleaseEnd)
		u.Released = r.World.Now()
	})
	return u
}

// sound checks that nothing is wrong with the run so far.
func (r *rig) sound() {
	r.t.Helper()
	r.judged("")
}

// judged checks which properties are violated.
func (r *rig) judged(want string) {
	r.t.Helper()
	r.Progress.Finish(r.World.Now())
	got := ""
	for _, m := range []struct {
		name     string
		findings []monitor.Finding
	}{{"grants", r.Grants.Findings()}, {"exclusion", r.Exclusion.Findings()}, {"progress", r.Progress.Findings()}} {
		for _, f := range m.findings {
			r.t.Logf("%s: %+v", m.name, f)
		}
		if len(m.findings) > 0 {
			got += " " + m.name
		}
	}
	if got = got[min(1, len(got)):]; got != want {
		r.t.Errorf("violated: %q, want %q, in %+v", got, want, r.Recorder.Records)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// ended checks when and why the row was no longer a hold's.
func (r *rig) ended(hold history.HoldID, d time.Duration, why string) {
	r.t.Helper()
	if end := r.Want(hold, history.ServiceEnd); end.At != at(d) || end.Text != why {
		r.t.Errorf("hold %d ended at %v (%s), want %v (%s)", hold, end.At, end.Text, at(d), why)
	}
}

// pause pauses a client's host from now until an instant, as a trial does.
func (r *rig) pause(client int, until time.Duration) {
	r.Recorder.Add(history.Record{Kind: history.Pause, Executor: history.Executor(client + 1), Until: at(until)})
	r.Env.Clients[client].Pause(at(until))
}

// lose loses every message from one host to another from now until an instant.
func (r *rig) lose(from, to *host.Host, until time.Duration) { r.At(until, r.Cut(from, to)) }

// holdBack keeps the next message of a kind back until an instant.
func (r *rig) holdBack(from, to *host.Host, op *network.Op, until time.Duration) {
	r.Net.Hold(&network.Hold{From: from.ID, To: to.ID, Op: op, Until: at(until)})
}

// notes are what the record has noted about a hold.
func (r *rig) notes(hold history.HoldID) (texts []string) {
	for _, n := range r.Records(hold, history.Note) {
		texts = append(texts, n.Text)
	}
	return texts
}

// kinds are the kinds of what the record has for a hold, as far as the service goes.
func (r *rig) kinds(hold history.HoldID) (kinds []history.Kind) {
	for _, rec := range r.Records(hold, history.Grant, history.Promise, history.ServiceEnd, history.BeliefBegin, history.GiveUp) {
		kinds = append(kinds, rec.Kind)
	}
	return kinds
}

func (r *rig) wantKinds(hold history.HoldID, want ...history.Kind) {
	r.t.Helper()
	if got := r.kinds(hold); !slices.Equal(got, want) {
		r.t.Errorf("hold %d: %v, want %v", hold, got, want)
	}
}
