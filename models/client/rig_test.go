package client_test

import (
	"cmp"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/client"
	"fencepost/models/resource"
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

// library is a lock that does as the test says.
type library struct {
	refuses   bool
	lostAt    sim.Time // 0 is never
	doubtFrom sim.Time // callers are blocked from here...
	settledAt sim.Time // ...until here
	renewals  []error  // what they return, the last one again and again
	releases  []error

	renewed, released []sim.Time
}

func (l *library) Acquire(*host.Process, history.HoldID) (models.Grant, error) {
	if l.refuses {
		return models.Grant{}, models.ErrNotAcquired
	}
	return models.Grant{Token: 7}, nil
}

func (l *library) Valid(p *host.Process) bool {
	return l.lostAt == 0 || p.Host().World().Now() < l.lostAt
}

func (l *library) Renew(p *host.Process) error {
	l.renewed = append(l.renewed, p.Host().World().Now())
	return nth(l.renewals, len(l.renewed))
}

func (l *library) Release(p *host.Process) error {
	l.released = append(l.released, p.Host().World().Now())
	p.Sleep(10 * ms)
	return nth(l.releases, len(l.released))
}

func nth(errs []error, n int) error {
	if len(errs) == 0 {
		return nil
	}
	return errs[min(n, len(errs))-1]
}

// blocking is a library that blocks its callers.
type blocking struct{ *library }

func (b blocking) InDoubt(p *host.Process) bool {
	now := p.Host().World().Now()
	return now >= b.doubtFrom && now < b.settledAt
}

func (b blocking) Settle(p *host.Process) { p.Sleep(b.settledAt.Sub(p.Host().World().Now())) }

// passed are the steps that were reached.
type passed []string

func (s *passed) ReachedStep(_ *host.Host, _ *host.Process, step string) { *s = append(*s, step) }

// play runs one client with a workload and returns what was recorded.
func play(t *testing.T, locker models.Locker, w client.Workload) []history.Record {
	t.Helper()
	records, _ := playWith(t, locker, w, "none", 1)
	return records
}

// playWith is play with a guard and a seed, and returns the steps as well.
func playWith(t *testing.T, locker models.Locker, w client.Workload, guarded string, seed uint64) (records []history.Record, steps []string) {
	t.Helper()
	return scene{guard: guarded, seed: seed}.play(t, locker, w)
}

// scene is where one client plays: what it protects, and what befalls it there.
type scene struct {
	guard string
	of    resource.Settings
	seed  uint64
	then  []event
}

// event is something that happens at an instant.
type event struct {
	at sim.Time
	do func(net *network.Network, store *resource.Store, client network.NodeID)
}

// cut loses what is sent from the resource to the client, from an instant until another.
func cut(from, until time.Duration) []event {
	rule := &network.Rule{Cut: true}
	return []event{
		{sim.Time(from), func(net *network.Network, store *resource.Store, client network.NodeID) {
			rule.From, rule.To = store.Addr().Node, client
			net.Impose(rule)
		}},
		{sim.Time(until), func(net *network.Network, _ *resource.Store, _ network.NodeID) { net.Lift(rule) }},
	}
}

// meanwhile is a write of another, of what content it says.
func meanwhile(at time.Duration, content int64) event {
	return event{sim.Time(at), func(_ *network.Network, store *resource.Store, client network.NodeID) {
		nobody := network.Addr{Node: client, Port: 99}
		store.Receive(&network.Message{From: nobody, Body: network.Body{Op: resource.OpWrite, Value: 77, Content: content}})
	}}
}

func (s scene) play(t *testing.T, locker models.Locker, w client.Workload) (records []history.Record, steps []string) {
	t.Helper()
	world := &sim.World{}
	net := network.New(world)
	fleet := host.NewFleet(world, net)
	t.Cleanup(fleet.Close)
	fleet.StepCost = 0
	fleet.Observer = (*passed)(&steps)
	recorder := history.NewRecorder(world.Now)
	on, store, beside := fleet.NewHost("client/1"), fleet.NewHost("resource"), fleet.NewHost("beside")
	guard, ok := resource.FindGuard(cmp.Or(s.guard, "none"))
	if !ok {
		t.Fatalf("no guard %s", s.guard)
	}
	protected := resource.NewStore(store, recorder, guard, s.of)
	for _, a := range fleet.Hosts {
		for _, b := range fleet.Hosts {
			net.SetDelay(a.ID, b.ID, rng.Constant(ms))
		}
	}
	fleet.Reset()
	world.Reset(1)
	net.Reset(1)
	protected.Reset(1)
	w.Cycles, w.RequestTimeout = max(w.Cycles, 1), cmp.Or(w.RequestTimeout, 5*second)
	c := &client.Client{Workload: w, Locker: locker, Resource: protected.Addr(), Protocol: guard.Protocol, Protected: s.of, Recorder: recorder, Seed: s.seed}
	c.Start(on, "client 1")
	for _, e := range s.then {
		beside.Go("beside", func(p *host.Process) {
			p.Sleep(e.at.Sub(world.Now()))
			e.do(net, protected, on.ID)
		})
	}
	world.Run(sim.Time(time.Minute))
	return recorder.Records, steps
}

// instants are when records of some kinds were made.
func instants(records []history.Record, kinds ...history.Kind) (at []time.Duration) {
	for _, r := range records {
		for _, k := range kinds {
			if r.Kind == k {
				at = append(at, r.At.Duration())
			}
		}
	}
	return at
}
