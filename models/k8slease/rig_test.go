package k8slease

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

// rig is the leader election with its real defaults, judged. A message takes 1 ms and local
// code no time. So who acquires first, from 0 on, is answered to his get at 2 ms and to his
// create at 4 ms; he renews at once, and then 2 s after each reply: at 4 ms + n·2.002 s.
type rig struct {
	*modeltest.Judged
}

// renewal is when the first leader sends its n-th renewal, from 0.
func renewal(n int) time.Duration { return 4*ms + time.Duration(n)*2002*ms }

type given map[string]int64

func newRig(t *testing.T, clients int, set given) *rig {
	t.Helper()
	r := &rig{Judged: modeltest.NewJudged(t, New(), clients, set)}
	return r
}

// quick makes all clients but the first ask every 100 to 220 ms, so that it takes them no
// more to see a renewal, and again to see that the lease has run out.
func (g given) quick() given {
	g["retry-period-others"] = int64(100 * ms)
	return g
}

const quickLag = 220*ms + 2*ms

func (r *rig) api() *apiServer { return r.System.(*system).server }

// cutOff cuts a client off from the API server.
func (r *rig) cutOff(client int) (heal func()) {
	c, s := r.Env.Clients[client], r.Server("apiserver", 0)
	there, back := r.Cut(c, s), r.Cut(s, c)
	return func() { there(); back() }
}

// holdReply keeps the next reply to a client back.
func (r *rig) holdReply(client int, until time.Duration) {
	r.hold(r.Server("apiserver", 0), r.Env.Clients[client], OpReply, until)
}

// holdUpdate keeps the next update of a client back.
func (r *rig) holdUpdate(client int, until time.Duration) {
	r.hold(r.Env.Clients[client], r.Server("apiserver", 0), OpUpdate, until)
}

func (r *rig) hold(from, to *host.Host, op *network.Op, until time.Duration) {
	r.Net.Hold(&network.Hold{From: from.ID, To: to.ID, Op: op, Until: at(until)})
}

// lockAs makes a client acquire now, in another process than its first, and keep the lock.
func (r *rig) lockAs(client int, e history.Executor) *modeltest.Use {
	u := &modeltest.Use{Hold: r.Recorder.NewHold(client, e)}
	r.Env.Clients[client].Go("client", func(p *host.Process) {
		grant, _ := r.Lockers[client].Acquire(p, u.Hold)
		u.Acquired, u.Token = r.World.Now(), grant.Token
	})
	return u
}

// restart starts a client's library anew, as a process that has just started has it.
func (r *rig) restart(client int) { r.Lockers[client] = r.System.Locker(client) }

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

// ended checks when and why the record was no longer that of a hold.
func (r *rig) ended(t *testing.T, u *modeltest.Use, when sim.Time, why string) {
	t.Helper()
	if end := r.Want(u.Hold, history.ServiceEnd); end.At != when || end.Text != why {
		t.Errorf("hold %d ended at %v (%s), want %v (%s)", u.Hold, end.At, end.Text, when, why)
	}
}

// stopped is when the context of a hold was cancelled because it could not be renewed; 0 if
// it was not.
func (r *rig) stopped(u *modeltest.Use) sim.Time {
	for _, n := range r.Records(u.Hold, history.Note) {
		if n.Text == "stopped leading" {
			return n.At
		}
	}
	return 0
}
