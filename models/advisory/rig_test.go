package advisory

import (
	"maps"
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

func at(d time.Duration) sim.Time { return sim.Time(d) }

// rig is the database lock with a sequence for tokens and a failover after 30 s, and its real
// defaults else; judged. A message takes 1 ms and local code no time. So who acquires at 0 is connected at 2 ms, granted the lock at 3 ms, and has
// it with its token at 6 ms.
type rig struct {
	*modeltest.Judged
}

type given map[string]int64

func newRig(t *testing.T, clients int, set given) *rig {
	t.Helper()
	params := given{"token": tokenSequence, "failover": int64(30 * second)}
	maps.Copy(params, set)
	r := &rig{Judged: modeltest.NewJudged(t, New(), clients, params)}
	return r
}

func (r *rig) server(i int) *server { return r.System.(*system).servers[i] }

// reset resets all connections between a client's host and a server.
func (r *rig) reset(client, server int) {
	r.Net.Break(r.Env.Clients[client].ID, r.Server("db", server).ID, 0)
}

// cutOff cuts a client off from a server.
func (r *rig) cutOff(client, server int) (heal func()) {
	c, s := r.Env.Clients[client], r.Server("db", server)
	there, back := r.Cut(c, s), r.Cut(s, c)
	return func() { there(); back() }
}

// cutBetween cuts the servers off from each other.
func (r *rig) cutBetween(when time.Duration) (heal func()) {
	var there, back func()
	r.At(when, func() {
		there, back = r.Cut(r.Server("db", 0), r.Server("db", 1)), r.Cut(r.Server("db", 1), r.Server("db", 0))
	})
	return func() { there(); back() }
}

// verdicts checks what the monitors say of grants and exclusion.
func (r *rig) verdicts(t *testing.T, broken, overlap bool) {
	t.Helper()
	if r.Grants.Violated() != broken || r.Exclusion.Violated() != overlap {
		t.Errorf("promises broken: %v, want %v; beliefs overlap: %v, want %v", r.Grants.Violated(), broken, r.Exclusion.Violated(), overlap)
	}
}

func equal(t *testing.T, what string, got, want sim.Time) {
	t.Helper()
	if got != want {
		t.Errorf("%s at %v, want %v", what, got, want)
	}
}

// ended checks when and why the server took the lock from a hold.
func (r *rig) ended(t *testing.T, u *modeltest.Use, when time.Duration, why string) {
	t.Helper()
	if end := r.Want(u.Hold, history.ServiceEnd); end.At != at(when) || end.Text != why {
		t.Errorf("hold %d ended at %v (%s), want %v (%s)", u.Hold, end.At, end.Text, at(when), why)
	}
}
