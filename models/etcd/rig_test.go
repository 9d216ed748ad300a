package etcd

import (
	"fmt"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// rig is etcd with clients in a world of its own. Programs of clients are given anew
// for each trial.
type rig struct {
	t       testing.TB
	world   *sim.World
	net     *network.Network
	fleet   *host.Fleet
	env     *models.Env
	clients []*host.Host
	system  *System
	steps   map[string]func(h *host.Host)
}

func newRig(t testing.TB, clients int, ttl time.Duration) *rig {
	r := &rig{t: t, world: &sim.World{}, steps: map[string]func(*host.Host){}}
	r.net = network.New(r.world)
	r.fleet = host.NewFleet(r.world, r.net)
	r.fleet.Observer = r
	t.Cleanup(r.fleet.Close)
	for i := range clients {
		r.clients = append(r.clients, r.fleet.NewHost(fmt.Sprintf("client/%d", i+1)))
	}
	lock := New()
	r.env = &models.Env{Fleet: r.fleet, Recorder: history.NewRecorder(r.world.Now), Clients: r.clients,
		Params: models.Defaults(lock.Describe().Params), Fsync: rng.Uniform(0, 2*time.Millisecond)}
	r.env.Params["ttl"] = int64(ttl)
	r.system = lock.Build(r.env).(*System)
	for _, from := range r.fleet.Hosts {
		for _, to := range r.fleet.Hosts {
			r.net.SetDelay(from.ID, to.ID, rng.LogNormal(45*time.Microsecond, 0.3))
		}
	}
	return r
}

func (r *rig) reset(seed uint64) *rig {
	r.world.Reset(seed)
	r.net.Reset(seed)
	r.fleet.Reset()
	r.env.Recorder.Reset()
	r.env.Seed = seed
	r.system.Reset()
	clear(r.steps)
	return r
}

// ReachedStep implements [host.StepObserver]: a test may act on a step once.
func (r *rig) ReachedStep(h *host.Host, _ *host.Process, step string) {
	if act := r.steps[h.Name+" "+step]; act != nil {
		delete(r.steps, h.Name+" "+step)
		act(h)
	}
}

// on acts when a client reaches a step for the next time.
func (r *rig) on(client int, step string, act func(h *host.Host)) {
	r.steps[r.clients[client].Name+" "+step] = act
}

func (r *rig) runTo(d time.Duration) { r.world.Run(sim.Time(d)) }

// leader is the host of the member that leads, or nil.
func (r *rig) leader() *host.Host {
	server, ok := models.Elected(r.system).Leader()
	if !ok {
		return nil
	}
	return r.system.cluster.Members()[server].Host()
}

// use is one program of a client: acquire at an instant, hold for a while, release.
type use struct {
	hold     history.HoldID
	acquired sim.Time // 0 is not yet
	token    int64
	released sim.Time
	err      error
}

// lock makes a client acquire at an instant and release after a while; no while is
// never.
func (r *rig) lock(client int, at, hold time.Duration) *use {
	u := &use{hold: r.env.Recorder.NewHold(client, history.Executor(client+1))}
	r.clients[client].Go("client", func(p *host.Process) {
		p.Sleep(at)
		locker := r.system.clients[client]
		grant, err := locker.Acquire(p, u.hold)
		u.acquired, u.token, u.err = r.world.Now(), grant.Token, err
		if hold > 0 {
			p.Sleep(hold)
			u.err = locker.Release(p)
			u.released = r.world.Now()
		}
	})
	return u
}

// valid is a client's own answer to whether it holds the lock.
func (r *rig) valid(client int) bool { return r.system.clients[client].Valid(nil) }

// find returns the n-th record of a kind for a hold, counted from 1.
func (r *rig) find(kind history.Kind, hold history.HoldID, n int) *history.Record {
	for i := range r.env.Recorder.Records {
		rec := &r.env.Recorder.Records[i]
		if rec.Kind == kind && rec.Hold == hold {
			if n--; n == 0 {
				return rec
			}
		}
	}
	return nil
}

// must is find for a record that has to be there.
func (r *rig) must(kind history.Kind, u *use, what string) history.Record {
	r.t.Helper()
	rec := r.find(kind, u.hold, 1)
	if rec == nil {
		r.t.Fatalf("no %s of hold %d in the record at %v:\n%s", what, u.hold, r.world.Now(), r.dump())
	}
	return *rec
}

func (r *rig) granted(u *use) history.Record { return r.must(history.Grant, u, "grant") }
func (r *rig) ended(u *use) history.Record   { return r.must(history.ServiceEnd, u, "end") }

// promisedUntil is the end of the last promise to a hold.
func (r *rig) promisedUntil(u *use) sim.Time {
	until := r.granted(u).Until
	for n := 1; ; n++ {
		rec := r.find(history.Promise, u.hold, n)
		if rec == nil {
			return until
		}
		until = rec.Until
	}
}

func (r *rig) dump() string {
	text := ""
	for _, rec := range r.env.Recorder.Records {
		text += fmt.Sprintf("%v kind %d hold %d token %d until %v %s\n", rec.At, rec.Kind, rec.Hold, rec.Token, rec.Until, rec.Text)
	}
	return text
}

// within checks that an instant lies in [lo, hi].
func (r *rig) within(what string, at, lo, hi sim.Time) {
	r.t.Helper()
	if at < lo || at > hi {
		r.t.Errorf("%s at %v, want %v to %v\n%s", what, at, lo, hi, r.dump())
	}
}

func seconds(s int) time.Duration { return time.Duration(s) * time.Second }
