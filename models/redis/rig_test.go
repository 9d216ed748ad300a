package redis

import (
	"testing"
	"time"

	"fencepost/checker/monitor"
	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

// rig is redis with a TTL of 10 s, judged.
type rig struct {
	*modeltest.Rig
	grants    monitor.Grants
	exclusion monitor.Exclusion
	progress  monitor.Progress
}

func newRig(t *testing.T, clients int, params map[string]int64) *rig {
	all := map[string]int64{"ttl": int64(10 * second)}
	for name, v := range params {
		all[name] = v
	}
	r := &rig{Rig: modeltest.New(t, New(), clients, all)}
	r.progress.Takeover = New().Describe().Takeover(r.Env.Params)
	r.Recorder.Observers = append(r.Recorder.Observers, &r.grants, &r.exclusion, &r.progress)
	return r
}

func (r *rig) server() *Server { return r.System.(*system).server }

// sound checks that nobody has broken a promise, and that the lock moves on.
func (r *rig) sound(t *testing.T) {
	t.Helper()
	r.progress.Finish(r.World.Now())
	for _, f := range [][]monitor.Finding{r.grants.Findings(), r.exclusion.Findings(), r.progress.Findings()} {
		if len(f) > 0 {
			t.Errorf("found %+v in %+v", f, r.Recorder.Records)
		}
	}
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

func at(d time.Duration) sim.Time { return sim.Time(d) }

// ended checks when and why the server's key of a hold was gone.
func (r *rig) ended(t *testing.T, u *modeltest.Use, d time.Duration, why string) {
	t.Helper()
	if end := r.Want(u.Hold, history.ServiceEnd); end.At != at(d) || end.Text != why {
		t.Errorf("the key of hold %d was gone at %v (%s), want %v (%s)", u.Hold, end.At, end.Text, at(d), why)
	}
}
