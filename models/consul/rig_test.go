package consul

import (
	"testing"
	"time"

	"fencepost/checker/monitor"
	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

// rig is Consul with a TTL of 10 s, judged. A message takes 1 ms, a commit 2 ms.
type rig struct {
	*modeltest.Judged
	t *testing.T
}

// is are parameters by name; words by their place.
type is = map[string]int64

func newRig(t *testing.T, clients int, params is) *rig {
	all := is{"ttl": int64(10 * second)}
	for name, v := range params {
		all[name] = v
	}
	r := &rig{Judged: modeltest.NewJudged(t, New(), clients, all), t: t}
	return r
}

func (r *rig) system() *System { return r.System.(*System) }

func (r *rig) server(i int) *server { return r.system().servers[i] }

func (r *rig) client(i int) *host.Host { return r.Env.Clients[i] }

func (r *rig) valid(i int) bool {
	return r.system().clients[i].valid(r.client(i).Mono())
}

// leader is the server that leads; there has to be one.
func (r *rig) leader() int {
	r.t.Helper()
	i, ok := r.system().Leader()
	if !ok {
		r.t.Fatalf("nobody leads at %v", r.World.Now())
	}
	return i
}

// isolate cuts hosts off from all others, and returns what heals that.
func (r *rig) isolate(alone ...*host.Host) (heal func()) {
	inside := map[*host.Host]bool{}
	for _, h := range alone {
		inside[h] = true
	}
	var heals []func()
	for _, a := range r.Fleet.Hosts {
		for _, b := range r.Fleet.Hosts {
			if inside[a] != inside[b] {
				heals = append(heals, r.Cut(a, b))
			}
		}
	}
	return func() {
		for _, h := range heals {
			h()
		}
	}
}

// findings are the kinds of all that the judges have found so far.
func (r *rig) findings() (kinds []string) {
	r.Progress.Finish(r.World.Now())
	for _, f := range [][]monitor.Finding{r.Grants.Findings(), r.Exclusion.Findings(), r.Progress.Findings()} {
		for _, x := range f {
			kinds = append(kinds, x.Kind)
		}
	}
	return kinds
}

// finds checks what the judges have found.
func (r *rig) finds(want ...string) {
	r.t.Helper()
	got := r.findings()
	if len(got) != len(want) {
		r.t.Errorf("found %v, want %v\n%s", got, want, r.dump())
		return
	}
	for i := range want {
		if got[i] != want[i] {
			r.t.Errorf("found %v, want %v\n%s", got, want, r.dump())
		}
	}
}

// ended checks when and why the service ended a hold.
func (r *rig) ended(u *modeltest.Use, d time.Duration, why string) {
	r.t.Helper()
	if end := r.Want(u.Hold, history.ServiceEnd); end.At != sim.Time(d) || end.Text != why {
		r.t.Errorf("hold %d ended at %v (%s), want %v (%s)\n%s", u.Hold, end.At, end.Text, sim.Time(d), why, r.dump())
	}
}

// granted checks when a hold was let in.
func (r *rig) granted(u *modeltest.Use, d time.Duration) {
	r.t.Helper()
	if g := r.Want(u.Hold, history.Grant); g.At != sim.Time(d) {
		r.t.Errorf("hold %d granted at %v, want %v\n%s", u.Hold, g.At, sim.Time(d), r.dump())
	}
}

// grantedIn checks that a hold was let in between two instants.
func (r *rig) grantedIn(u *modeltest.Use, lo, hi time.Duration) {
	r.t.Helper()
	if g := r.Want(u.Hold, history.Grant); g.At < sim.Time(lo) || g.At > sim.Time(hi) {
		r.t.Errorf("hold %d granted at %v, want %v to %v\n%s", u.Hold, g.At, lo, hi, r.dump())
	}
}

// notGranted checks that a hold was not let in so far.
func (r *rig) notGranted(u *modeltest.Use) {
	r.t.Helper()
	if g := r.Records(u.Hold, history.Grant); len(g) > 0 {
		r.t.Errorf("hold %d granted at %v\n%s", u.Hold, g[0].At, r.dump())
	}
}

// noted is when a remark was made first; it has to be there.
func (r *rig) noted(text string) sim.Time {
	r.t.Helper()
	for _, rec := range r.Recorder.Records {
		if rec.Kind == history.Note && rec.Text == text {
			return rec.At
		}
	}
	r.t.Fatalf("no note %q\n%s", text, r.dump())
	return 0
}

func (r *rig) dump() string {
	text := ""
	for _, rec := range r.Recorder.Records {
		text += rec.At.String() + " " + rec.Kind.String()
		if rec.Hold != 0 {
			text += " hold " + string(rune('0'+rec.Hold))
		}
		if rec.Until != 0 {
			text += " until " + rec.Until.String()
		}
		text += " " + rec.Text + "\n"
	}
	return text
}

// stepper collects the steps that are reached.
type stepper map[string]bool

func (s stepper) ReachedStep(_ *host.Host, _ *host.Process, step string) { s[step] = true }

// Every step that the lock declares is one at which a fault can be placed.
func TestStepsAreReached(t *testing.T) {
	r := newRig(t, 2, nil)
	reached := stepper{}
	r.Fleet.Observer = reached
	r.Lock(0, second, 10*second)
	r.Lock(1, 2*second, 0)
	r.Lock(0, 15*second, 0)
	r.At(20*second, func() { r.cutProbes(1, 0, 1, 2) })
	r.Run(60 * second)
	for _, step := range steps {
		if !reached[step.Name] {
			t.Errorf("step %s was not reached", step.Name)
		}
	}
}
