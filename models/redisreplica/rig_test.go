package redisreplica

import (
	"slices"
	"strings"
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
	second = time.Second
)

// rig is three servers with Sentinels, judged. Leases are long enough to outlive a failover.
type rig struct {
	*modeltest.Judged
	t *testing.T
}

func newRig(t *testing.T, clients int, params map[string]int64) *rig {
	all := map[string]int64{"ttl": int64(120 * second)}
	for name, v := range params {
		all[name] = v
	}
	r := &rig{Judged: modeltest.NewJudged(t, New(), clients, all), t: t}
	return r
}

func (r *rig) system() *system         { return r.System.(*system) }
func (r *rig) box(i int) *box          { return r.system().boxes[i] }
func (r *rig) server(i int) *host.Host { return r.Server("redis", i) }
func (r *rig) masters() (all []int) {
	for i, b := range r.system().boxes {
		if b.host.State() != host.Crashed && !b.server.Replica() {
			all = append(all, i)
		}
	}
	return all
}

// cutOp has messages of a kind lost between some hosts, from an instant on.
func (r *rig) cutOp(d time.Duration, op *network.Op, from int, to ...int) {
	r.At(d, func() {
		for _, i := range to {
			r.Net.Impose(&network.Rule{From: r.server(from).ID, To: r.server(i).ID, Op: op, Cut: true})
		}
	})
}

// unreplicated has what a master writes from an instant on reach no replica, while the
// connections live: the stream that was not sent before it crashes.
func (r *rig) unreplicated(d time.Duration, master int, replicas ...int) {
	r.cutOp(d, opStream, master, replicas...)
	r.cutOp(d, opDataset, master, replicas...)
}

// isolate cuts servers off all others and off some clients, both ways, until an instant.
func (r *rig) isolate(from, until time.Duration, servers, clients []int) {
	r.At(from, func() {
		for _, i := range servers {
			for k := range r.system().boxes {
				if !slices.Contains(servers, k) {
					r.At(until, r.Cut(r.server(i), r.server(k)))
					r.At(until, r.Cut(r.server(k), r.server(i)))
				}
			}
			for _, c := range clients {
				r.At(until, r.Cut(r.server(i), r.Env.Clients[c]))
				r.At(until, r.Cut(r.Env.Clients[c], r.server(i)))
			}
		}
	})
}

func (r *rig) crash(d time.Duration, server int) {
	r.At(d, func() { r.server(server).Crash(host.LoseUnsynced) })
}

func (r *rig) noted(hold history.HoldID, text string) bool {
	return slices.ContainsFunc(r.Records(hold, history.Note), func(n history.Record) bool { return strings.Contains(n.Text, text) })
}

func (r *rig) ended(u *modeltest.Use, lo, hi time.Duration, why string) {
	r.t.Helper()
	if end := r.Want(u.Hold, history.ServiceEnd); end.Text != why {
		r.t.Errorf("hold %d ended because %q, want %q", u.Hold, end.Text, why)
	} else {
		r.between("ended", end.At, lo, hi)
	}
}

func (r *rig) equal(what string, got sim.Time, want time.Duration) {
	r.t.Helper()
	r.between(what, got, want, want)
}

func (r *rig) between(what string, got sim.Time, lo, hi time.Duration) {
	r.t.Helper()
	if got < sim.Time(lo) || got > sim.Time(hi) {
		r.t.Errorf("%s at %v, want %v to %v", what, got, lo, hi)
	}
}

func (r *rig) sound() {
	r.t.Helper()
	for _, f := range [][]monitor.Finding{r.Grants.Findings(), r.Exclusion.Findings()} {
		if len(f) > 0 {
			r.t.Errorf("found %+v in %+v", f, r.Recorder.Records)
		}
	}
}

// A failover of a master that falls silent at an instant is over, and its clients know, at
// the earliest when its last ping has been unanswered for down-after, and at the latest a
// ping, an opinion, a desynchronized vote, two INFOs and some ticks later; see takeover.
const (
	failoverLeast = 30 * second
	failoverMost  = 30*second + 8*second
)

func at(d time.Duration) sim.Time { return sim.Time(d) }

func times(n int) time.Duration { return time.Duration(n) }
