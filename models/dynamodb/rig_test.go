package dynamodb

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

func at(d time.Duration) sim.Time { return sim.Time(d) }

// rig is the lock client with its real defaults, judged. A message takes 1 ms and local code
// no time. So who acquires at 0 reads until 2 ms and has put the item at 3 ms; heartbeats
// are sent at 5 s, 10 s and so on.
type rig struct {
	*modeltest.Judged
}

type given map[string]int64

func newRig(t *testing.T, clients int, set given) *rig {
	t.Helper()
	r := &rig{Judged: modeltest.NewJudged(t, New(), clients, set)}
	return r
}

func (r *rig) client(i int) *client { return r.Lockers[i].(*client) }

// cutOff cuts a client off from the service.
func (r *rig) cutOff(client int) (heal func()) {
	c, s := r.Env.Clients[client], r.Server("dynamodb", 0)
	there, back := r.Cut(c, s), r.Cut(s, c)
	return func() { there(); back() }
}

// reset resets a client's connections to the service.
func (r *rig) reset(client int) {
	r.Net.Break(r.Env.Clients[client].ID, r.Server("dynamodb", 0).ID, 0)
}

// believes watches what a client's library says, every millisecond from an instant on, and
// returns until when that is yes.
func (r *rig) believes(client int, from time.Duration) *sim.Time {
	last := new(sim.Time)
	r.Env.Clients[client].Go("asking", func(p *host.Process) {
		for p.Sleep(from); r.Lockers[client].Valid(p); p.Sleep(ms) {
			*last = r.World.Now()
		}
	})
	return last
}

// try makes a client acquire at an instant and keep the lock.
func (r *rig) try(client int, when time.Duration) (u *modeltest.Use, ended *sim.Time) {
	u, ended = &modeltest.Use{Hold: r.Recorder.NewHold(client, history.Executor(client+1))}, new(sim.Time)
	r.Env.Clients[client].Go("trying", func(p *host.Process) {
		p.Sleep(at(when).Sub(r.World.Now()))
		r.Recorder.Add(history.Record{Kind: history.Attempt, Hold: u.Hold})
		_, u.Err = r.Lockers[client].Acquire(p, u.Hold)
		*ended = r.World.Now()
		if u.Err == nil {
			u.Acquired = *ended
			r.Recorder.Add(history.Record{Kind: history.BeliefBegin, Hold: u.Hold})
		} else {
			r.Recorder.Add(history.Record{Kind: history.GiveUp, Hold: u.Hold})
		}
	})
	return u, ended
}

func equal(t *testing.T, what string, got, want sim.Time) {
	t.Helper()
	if got != want {
		t.Errorf("%s at %v, want %v", what, got, want)
	}
}

func between(t *testing.T, what string, got, lo, hi sim.Time) {
	t.Helper()
	if got < lo || got > hi {
		t.Errorf("%s at %v, want %v to %v", what, got, lo, hi)
	}
}

// ended checks when and why the item was no longer that of a hold.
func (r *rig) ended(t *testing.T, u *modeltest.Use, when time.Duration, why string) {
	t.Helper()
	if end := r.Want(u.Hold, history.ServiceEnd); end.At != at(when) || end.Text != why {
		t.Errorf("hold %d ended at %v (%s), want %v (%s)", u.Hold, end.At, end.Text, at(when), why)
	}
}

// holdNext keeps the next message of a kind from one host to another back.
func (r *rig) holdNext(from, to *host.Host, op *network.Op, until time.Duration) {
	r.Net.Hold(&network.Hold{From: from.ID, To: to.ID, Op: op, Until: at(until)})
}
