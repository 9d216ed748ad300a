package zookeeper

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

	// T is the timeout of sessions in these tests, where they say nothing else.
	T = 10 * second
	// slack is ample for a few messages of 1 ms each.
	slack = 20 * ms
)

// rig is zookeeper with a timeout of 10 s and ticks of 2 s, judged.
type rig struct {
	*modeltest.Rig
	t         *testing.T
	grants    monitor.Grants
	exclusion monitor.Exclusion
	early     early
}

func newRig(t *testing.T, clients int, params map[string]int64) *rig {
	all := map[string]int64{"ttl": int64(T)}
	for name, v := range params {
		all[name] = v
	}
	if err := validate(completed(all)); err != nil {
		t.Fatal(err)
	}
	r := &rig{Rig: modeltest.New(t, New(), clients, all), t: t}
	r.Recorder.Observers = append(r.Recorder.Observers, &r.grants, &r.exclusion, &r.early)
	r.early.r = r
	r.early.reset()
	return r
}

// completed completes parameters by the defaults.
func completed(p map[string]int64) map[string]int64 {
	all := map[string]int64{}
	for _, d := range params {
		all[d.Name] = d.Default
	}
	for name, v := range p {
		all[name] = v
	}
	return all
}

// reset begins another trial.
func (r *rig) reset(seed uint64) *rig {
	r.grants.Reset()
	r.exclusion.Reset()
	r.early.reset()
	r.Reset(seed)
	return r
}

func (r *rig) system() *System         { return r.System.(*System) }
func (r *rig) server(i int) *host.Host { return r.Server("zookeeper", i) }
func (r *rig) servers() []*host.Host {
	var all []*host.Host
	for _, m := range r.system().cluster.Members() {
		all = append(all, m.Host())
	}
	return all
}

// leader is the server that leads.
func (r *rig) leader() *server {
	i, ok := r.system().Leader()
	if !ok {
		r.t.Fatalf("nobody leads at %v", r.World.Now())
	}
	return r.system().servers[i]
}

// isolate cuts a host off from others, both ways, and returns what heals it.
func (r *rig) isolate(h *host.Host, from ...*host.Host) (heal func()) {
	var heals []func()
	absence := r.early.leaves(h, sim.Forever)
	for _, other := range from {
		if other != h {
			heals = append(heals, r.Cut(h, other), r.Cut(other, h))
		}
	}
	return func() {
		absence.until = r.World.Now()
		for _, heal := range heals {
			heal()
		}
	}
}

// partition cuts a client off from every server.
func (r *rig) partition(client int) (heal func()) {
	return r.isolate(r.Env.Clients[client], r.servers()...)
}

func (r *rig) valid(client int) bool { return r.Lockers[client].Valid(nil) }

// invalidAt runs until a client says that it does not hold the lock, to the millisecond.
func (r *rig) invalidAt(client int, until time.Duration) sim.Time {
	for r.World.Now() < at(until) {
		if !r.valid(client) {
			return r.World.Now()
		}
		r.Run(r.World.Now().Duration() + ms)
	}
	return sim.Forever
}

// heardAt is when a client last heard of a server.
func (r *rig) heardAt(client int) sim.Time {
	return sim.Time(r.system().clients[client].zk.lastHeard)
}

// touchedAt is when a server last answered the session of a client.
func (r *rig) touchedAt(client int) sim.Time {
	return r.system().reporter.Touched(r.system().clients[client].zk.session)
}

// granted is the first grant to a hold.
func (r *rig) granted(u *modeltest.Use) history.Record {
	r.t.Helper()
	all := r.Records(u.Hold, history.Grant)
	if len(all) == 0 {
		r.t.Fatalf("hold %d was not granted by %v\n%s", u.Hold, r.World.Now(), r.dump())
	}
	return all[0]
}

// ends are the reasons for which the service has ended a hold.
func (r *rig) ends(u *modeltest.Use) (all []string) {
	for _, rec := range r.Records(u.Hold, history.ServiceEnd) {
		all = append(all, rec.Text)
	}
	return all
}

func (r *rig) dump() (text string) {
	for _, rec := range r.Recorder.Records {
		text += rec.At.String() + " " + rec.Kind.String() + " " + rec.Text + "\n"
	}
	return text
}

func (r *rig) within(what string, got, lo, hi sim.Time) {
	r.t.Helper()
	if got < lo || got > hi {
		r.t.Errorf("%s at %v, want %v to %v", what, got, lo, hi)
	}
}

func at(d time.Duration) sim.Time { return sim.Time(d) }

// newBench is a rig without judges.
func newBench(b *testing.B) *modeltest.Rig {
	return modeltest.New(b, New(), 2, map[string]int64{"ttl": int64(T)})
}
