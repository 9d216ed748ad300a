package chubby

import (
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

const (
	ms  = time.Millisecond
	sec = time.Second

	hop    = modeltest.Delay
	commit = 2 * hop // to the followers and back; disks take no time in these tests
)

// rig is a cell with clients. Messages take 1 ms and local code none.
type rig struct {
	*modeltest.Rig
	t *testing.T
}

func newRig(t *testing.T, clients int, params map[string]int64) *rig {
	return &rig{modeltest.New(t, New(), clients, params), t}
}

// lease is the parameters of a rig with a session lease and a lock-delay.
func lease(ttl, delay time.Duration) map[string]int64 {
	return map[string]int64{"ttl": int64(ttl), "lock-delay": int64(delay)}
}

func (r *rig) library(client int) *library { return r.Lockers[client].(*library) }

// sure reports whether a client's library would let its caller go on as the holder.
func (r *rig) sure(client int) bool { return r.ask(client).Valid }

// answers are what a library says without asking anybody.
type answers struct{ Valid, InDoubt bool }

// ask asks a library at this instant, for which a process has to be there.
func (r *rig) ask(client int) (a answers) {
	r.Env.Clients[client].Go("asking", func(p *host.Process) {
		l := r.Lockers[client].(models.Suspender)
		a = answers{l.Valid(p), l.InDoubt(p)}
	})
	r.Run(r.World.Now().Duration())
	return a
}

// cutOff cuts a client off from all replicas, both ways.
func (r *rig) cutOff(client int) (heal func()) {
	var heals []func()
	for i := range r.Env.Params.Int("servers") {
		a, b := r.Env.Clients[client], r.Server("chubby", i)
		heals = append(heals, r.Cut(a, b), r.Cut(b, a))
	}
	return func() {
		for _, h := range heals {
			h()
		}
	}
}

// isolate cuts a replica off from the other replicas.
func (r *rig) isolate(server int) (heal func()) {
	var heals []func()
	for i := range r.Env.Params.Int("servers") {
		if i != server {
			a, b := r.Server("chubby", server), r.Server("chubby", i)
			heals = append(heals, r.Cut(a, b), r.Cut(b, a))
		}
	}
	return func() {
		for _, h := range heals {
			h()
		}
	}
}

// master is the replica that leads, or -1.
func (r *rig) master() int {
	if server, ok := r.System.(models.Elected).Leader(); ok {
		return server
	}
	return -1
}

// awaitMaster runs until there is a master whose epoch is in the database, and returns when it
// began its reign, to within a millisecond.
func (r *rig) awaitMaster(limit time.Duration) sim.Time {
	r.t.Helper()
	for r.World.Now() < sim.Time(limit) {
		if m := r.master(); m >= 0 && r.System.(*System).servers[m].master.active {
			return r.World.Now()
		}
		r.Run(r.World.Now().Duration() + ms)
	}
	r.t.Fatalf("no master until %v", limit)
	return 0
}

// extensions are when the lease of a hold's session was extended.
func (r *rig) extensions(u *modeltest.Use) (at []sim.Time) {
	for _, rec := range r.Records(u.Hold, history.Promise) {
		at = append(at, rec.At)
	}
	return at
}

// notes are when a client's library noted something.
func (r *rig) notes(u *modeltest.Use, text string) (at []sim.Time) {
	for _, rec := range r.Records(u.Hold, history.Note) {
		if rec.Text == text {
			at = append(at, rec.At)
		}
	}
	return at
}

func (r *rig) exactly(what string, got, want sim.Time) {
	r.t.Helper()
	if got != want {
		r.t.Errorf("%s at %v, want %v", what, got, want)
	}
}

func (r *rig) within(what string, at, lo, hi sim.Time) {
	r.t.Helper()
	if at < lo || at > hi {
		r.t.Errorf("%s at %v, want %v to %v", what, at, lo, hi)
	}
}

// holdBack keeps the next message of a kind back.
func (r *rig) holdBack(from, to *host.Host, op *network.Op, until time.Duration) {
	r.Net.Hold(&network.Hold{From: from.ID, To: to.ID, Op: op, Until: sim.Time(until)})
}
