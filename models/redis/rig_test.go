package redis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

// rig is redis with a TTL of 10 s, judged.
type rig struct {
	*modeltest.Judged
}

func newRig(t *testing.T, clients int, params map[string]int64) *rig {
	all := map[string]int64{"ttl": int64(10 * second)}
	for name, v := range params {
		all[name] = v
	}
	r := &rig{Judged: modeltest.NewJudged(t, New(), clients, all)}
	return r
}

func (r *rig) server() *Server { return r.System.(*system).server }

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

func at(d time.Duration) sim.Time { return sim.Time(d) }

// ended checks when and why the server's key of a hold was gone.
func (r *rig) ended(t *testing.T, u *modeltest.Use, d time.Duration, why string) {
	t.Helper()
	if end := r.Want(u.Hold, history.ServiceEnd); end.At != at(d) || end.Text != why {
		t.Errorf("the key of hold %d was gone at %v (%s), want %v (%s)", u.Hold, end.At, end.Text, at(d), why)
	}
}

// try is one call of Acquire that may fail.
type try struct {
	hold history.HoldID
	done sim.Time // 0 is not yet
	err  error
}

// try makes a client acquire at an instant, and keep the lock if it gets it.
func (r *rig) try(client int, d time.Duration) *try { return r.use(client, d, 0) }

// use makes a client acquire at an instant, and release after a while if it gets the lock; no
// while is never.
func (r *rig) use(client int, d, while time.Duration) *try {
	a := &try{hold: r.Recorder.NewHold(client, history.Executor(client+1))}
	add := func(k history.Kind) { r.Recorder.Add(history.Record{Kind: k, Hold: a.hold}) }
	r.Env.Clients[client].Go("client", func(p *host.Process) {
		p.Sleep(d)
		add(history.Attempt)
		_, a.err = r.Lockers[client].Acquire(p, a.hold)
		if a.done = r.World.Now(); a.err != nil {
			add(history.GiveUp)
			return
		}
		add(history.BeliefBegin)
		if while == 0 {
			return
		}
		p.Sleep(while)
		add(history.BeliefEnd)
		add(history.ReleaseBegin)
		_ = r.Lockers[client].Release(p)
		add(history.ReleaseEnd)
	})
	return a
}

// deaf cuts what the server says to a client from an instant until another.
func (r *rig) deaf(client int, from, until time.Duration) {
	r.cut(r.Server("redis", 0), r.Env.Clients[client], from, until)
}

// mute cuts what a client says to the server.
func (r *rig) mute(client int, from, until time.Duration) {
	r.cut(r.Env.Clients[client], r.Server("redis", 0), from, until)
}

func (r *rig) cut(a, b *host.Host, from, until time.Duration) {
	r.At(from, func() { r.At(until, r.Cut(a, b)) })
}

// duplicate has messages of a kind to the server arrive a second time.
func (r *rig) duplicate(client int, op *network.Op, later time.Duration) {
	r.Net.Impose(&network.Rule{From: r.Env.Clients[client].ID, To: r.Server("redis", 0).ID, Op: op,
		Duplicate: rng.Chance{Num: 1, Den: 1}, Again: rng.Constant(later)})
}

// noted reports whether a hold has a note that begins so.
func (r *rig) noted(hold history.HoldID, text string) bool {
	return slices.ContainsFunc(r.Records(hold, history.Note), func(n history.Record) bool { return strings.HasPrefix(n.Text, text) })
}
