// Package modeltest puts a lock system into a world of its own, with programs that use
// it, for the tests of models.
package modeltest

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

// Delay is how long every message takes in a rig: exactly so long.
const Delay = time.Millisecond

// Rig is a lock system with clients. Local code takes no time, so that instants can be
// told from the protocol alone.
type Rig struct {
	World    *sim.World
	Net      *network.Network
	Fleet    *host.Fleet
	Env      *models.Env
	Recorder *history.Recorder
	System   models.System
	Lockers  []models.Locker // of the clients

	t       testing.TB
	clients int
	steps   map[string]func()
	target  sim.TargetID
	actions []func()
}

// New builds a lock system for so many clients. Parameters that are not given have
// their defaults.
func New(t testing.TB, lock models.Lock, clients int, params map[string]int64) *Rig {
	t.Helper()
	r := &Rig{t: t, World: &sim.World{}, clients: clients, Lockers: make([]models.Locker, clients), steps: map[string]func(){}}
	r.Net = network.New(r.World)
	r.Fleet = host.NewFleet(r.World, r.Net)
	r.Fleet.Observer, r.Fleet.StepCost, r.Fleet.OnCrash = r, 0, r.crashed
	t.Cleanup(r.Fleet.Close)
	r.target = r.World.Register(r)
	r.Recorder = history.NewRecorder(r.World.Now)
	d := lock.Describe()
	r.Env = &models.Env{Fleet: r.Fleet, Recorder: r.Recorder, Params: models.Defaults(d.Params)}
	for name, v := range params {
		r.Env.Params[name] = v
	}
	for i := range clients {
		if i > 0 && d.OneProcess {
			r.Env.Clients = append(r.Env.Clients, r.Env.Clients[0])
			continue
		}
		r.Env.Clients = append(r.Env.Clients, r.Fleet.NewHost(fmt.Sprintf("client/%d", i+1)))
	}
	r.System = lock.Build(r.Env)
	r.evenDelays()
	r.Reset(1)
	return r
}

// evenDelays makes every message take [Delay], whatever was set before.
func (r *Rig) evenDelays() {
	for _, from := range r.Fleet.Hosts {
		for _, to := range r.Fleet.Hosts {
			r.Net.SetDelay(from.ID, to.ID, rng.Constant(Delay))
		}
	}
}

// Reset begins another trial.
func (r *Rig) Reset(seed uint64) {
	r.Fleet.Reset()
	r.World.Reset(seed)
	r.Net.Reset(seed)
	r.Recorder.Reset()
	for _, o := range r.Recorder.Observers {
		if judge, ok := o.(interface{ Reset() }); ok {
			judge.Reset()
		}
	}
	r.Env.Seed = seed
	r.System.Reset()
	for client := range r.Lockers {
		r.Lockers[client] = r.System.Locker(client)
	}
	clear(r.steps)
	r.actions = r.actions[:0]
}

// Run goes on to an instant.
func (r *Rig) Run(until time.Duration) { r.World.Run(sim.Time(until)) }

// At does something at an instant, before everything else that happens then.
func (r *Rig) At(d time.Duration, action func()) {
	r.actions = append(r.actions, action)
	r.World.Schedule(sim.ClassFault, sim.Event{At: sim.Time(d), Target: r.target, Slot: int32(len(r.actions) - 1)})
}

// Fire implements [sim.Target].
func (r *Rig) Fire(e sim.Event) { r.actions[e.Slot]() }

// OnStep does something when a client next reaches a step.
func (r *Rig) OnStep(client int, step string, action func()) {
	r.steps[fmt.Sprintf("client %d %s", client+1, step)] = action
}

// ReachedStep implements [host.StepObserver].
func (r *Rig) ReachedStep(_ *host.Host, p *host.Process, step string) {
	key := p.Name + " " + step
	if action := r.steps[key]; action != nil {
		delete(r.steps, key)
		action()
	}
}

// Heeds implements [host.StepHeeder].
func (r *Rig) Heeds(_ *host.Host, p *host.Process, step string) bool {
	return r.steps[p.Name+" "+step] != nil
}

// crashed records what a trial records when a client's host crashes.
func (r *Rig) crashed(h *host.Host) {
	for i, on := range r.Env.Clients {
		if on == h {
			r.Recorder.Add(history.Record{Kind: history.Crash, Executor: history.Executor(i + 1)})
		}
	}
}

// Server is a server of the system, counted from 0.
func (r *Rig) Server(role string, i int) *host.Host {
	return r.Fleet.Find(fmt.Sprintf("%s/%d", role, i+1))
}

// Cut cuts the link from one host to another, and returns what heals it.
func (r *Rig) Cut(from, to *host.Host) (heal func()) {
	c := &network.Rule{From: from.ID, To: to.ID, Cut: true}
	r.Net.Impose(c)
	return func() { r.Net.Lift(c) }
}

// Use is one use of the lock.
type Use struct {
	Hold     history.HoldID
	Acquired sim.Time // 0 is not yet
	Token    int64
	Released sim.Time // when the release came back; 0 is not yet
	Err      error    // of the acquire or the release
}

// Lock makes a client acquire at an instant, and release after a while; no while is
// never. It records what a client records.
func (r *Rig) Lock(client int, at, while time.Duration) *Use {
	u := &Use{Hold: r.Recorder.NewHold(client, history.Executor(client+1))}
	add := func(k history.Kind) { r.Recorder.Add(history.Record{Kind: k, Hold: u.Hold}) }
	r.Env.Clients[client].Go(fmt.Sprintf("client %d", client+1), func(p *host.Process) {
		p.Sleep(at)
		add(history.Attempt)
		locker := r.Lockers[client]
		grant, err := locker.Acquire(p, u.Hold)
		if u.Err = err; err != nil {
			r.Recorder.Add(history.Record{Kind: history.GiveUp, Hold: u.Hold, Text: err.Error()})
			return
		}
		u.Acquired, u.Token = r.World.Now(), grant.Token
		add(history.BeliefBegin)
		if while == 0 {
			return
		}
		p.Sleep(while)
		add(history.BeliefEnd)
		add(history.ReleaseBegin)
		u.Err = locker.Release(p)
		add(history.ReleaseEnd)
		u.Released = r.World.Now()
	})
	return u
}

// Renewal is one renewal of a lock.
type Renewal struct {
	Done sim.Time // when the call came back; 0 is not yet
	Err  error
}

// Renew makes a client that holds renew at an instant, from a process of its own.
func (r *Rig) Renew(client int, at time.Duration) *Renewal {
	renewal := &Renewal{}
	r.Env.Clients[client].Go(fmt.Sprintf("renewing %d", client+1), func(p *host.Process) {
		p.Sleep(at)
		renewal.Err = r.Lockers[client].(models.Renewer).Renew(p)
		renewal.Done = r.World.Now()
	})
	return renewal
}

// Records returns the records of some kinds for a hold, in order.
func (r *Rig) Records(hold history.HoldID, kinds ...history.Kind) (all []history.Record) {
	for _, rec := range r.Recorder.Records {
		for _, k := range kinds {
			if rec.Kind == k && rec.Hold == hold {
				all = append(all, rec)
			}
		}
	}
	return all
}

// Want checks that a hold has exactly one record of a kind, and returns it.
func (r *Rig) Want(hold history.HoldID, kind history.Kind) history.Record {
	r.t.Helper()
	all := r.Records(hold, kind)
	if len(all) != 1 {
		r.t.Fatalf("%d records of kind %d for hold %d, want one, in %+v", len(all), kind, hold, r.Recorder.Records)
	}
	return all[0]
}
