package hazelcast

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

const (
	ms  = time.Millisecond
	sec = time.Second

	hop    = modeltest.Delay
	commit = 2 * hop // to the followers and back; the log is in memory
)

// rig is a cluster with clients. Messages take 1 ms and local code none.
type rig struct {
	*modeltest.Rig
	t *testing.T
}

// newRig builds one with parameters in pairs of a name and a value.
func newRig(t *testing.T, clients int, params ...any) *rig {
	p := map[string]int64{}
	for i := 0; i < len(params); i += 2 {
		switch v := params[i+1].(type) {
		case time.Duration:
			p[params[i].(string)] = int64(v)
		case int:
			p[params[i].(string)] = int64(v)
		}
	}
	return &rig{modeltest.New(t, New(), clients, p), t}
}

// valid is what a client's library says without asking anybody.
func (r *rig) valid(client int) bool { return r.Lockers[client].Valid(nil) }

func (r *rig) server(i int) *host.Host { return r.Server("hazelcast", i) }

// split cuts two groups of hosts off from each other.
func (r *rig) split(side, other []*host.Host) (heal func()) {
	var heals []func()
	for _, a := range side {
		for _, b := range other {
			heals = append(heals, r.Cut(a, b), r.Cut(b, a))
		}
	}
	return func() {
		for _, h := range heals {
			h()
		}
	}
}

// last is the last record of some kinds for a hold.
func (r *rig) last(u *modeltest.Use, kinds ...history.Kind) history.Record {
	r.t.Helper()
	all := r.Records(u.Hold, kinds...)
	if len(all) == 0 {
		r.t.Fatalf("no record of kinds %v for hold %d", kinds, u.Hold)
	}
	return all[len(all)-1]
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
