package fault

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Injector carries out a plan in a world and keeps the ledger.
type Injector struct {
	Ledger []Entry

	fleet    *host.Fleet
	recorder *history.Recorder
	target   sim.TargetID
	plan     []Fault
	clients  []*host.Host
	names    []string // process names of the clients
	state    []progress
	seed     uint64
}

// progress is what became of one fault so far.
type progress struct {
	reached int        // how often its step was reached
	host    *host.Host // where it fired, nil if it has not
	open    bool       // its window has not ended
	covered uint64     // pause: what the host's pauses had covered before
	cuts    []network.Rule
	hold    network.Hold
}

// Event kinds of the injector; the slot is the fault's index.
const (
	kindFire uint16 = iota
	kindEnd
)

// NewInjector returns an injector of a plan. Clients are the hosts and names the
// process names of the clients, by index.
func NewInjector(f *host.Fleet, r *history.Recorder, plan []Fault, clients []*host.Host, names []string) *Injector {
	i := &Injector{fleet: f, recorder: r, plan: plan, clients: clients, names: names,
		Ledger: make([]Entry, len(plan)), state: make([]progress, len(plan))}
	for k := range plan {
		if plan[k].Kind == Cut {
			i.state[k].cuts = make([]network.Rule, 2*len(plan[k].Peers))
		}
	}
	i.target = f.World.Register(i)
	f.Observer = i
	return i
}

// Reset draws the instants of a new trial and schedules them.
func (i *Injector) Reset(seed uint64) {
	i.seed = seed
	for k := range i.plan {
		i.Ledger[k] = Entry{Label: i.plan[k].Label}
		i.state[k] = progress{cuts: i.state[k].cuts}
		clear(i.state[k].cuts)
		if t := i.plan[k].Trigger; t.Step == "" {
			s := i.stream("fault.at", k)
			i.schedule(k, kindFire, sim.Time(0).Add(t.At.Sample(&s)))
		}
	}
}

// stream is the source of one kind of draw for one fault.
func (i *Injector) stream(name string, k int) rng.Stream {
	return rng.New(rng.Hash(i.seed, rng.HashString(name), uint64(k)), i.fleet.World.Digest())
}

func (i *Injector) schedule(k int, kind uint16, at sim.Time) {
	i.fleet.World.Schedule(sim.ClassFault, sim.Event{At: at, Target: i.target, Slot: int32(k), Kind: kind})
}

// ReachedStep implements [host.StepObserver].
func (i *Injector) ReachedStep(h *host.Host, p *host.Process, step string) {
	for k := range i.plan {
		t := &i.plan[k].Trigger
		if t.Step != step || !i.runs(t.Client, h, p) {
			continue
		}
		i.state[k].reached++
		if i.state[k].reached == t.Nth {
			i.fire(k)
		}
	}
}

// runs reports whether a process is the client, or works for it. Threads of one
// process share a host, so there only the name tells them apart.
func (i *Injector) runs(client int, h *host.Host, p *host.Process) bool {
	if i.clients[client] != h {
		return false
	}
	shared := len(i.clients) > 1 && i.clients[0] == i.clients[1]
	return !shared || p.Name == i.names[client]
}

// Fire implements [sim.Target].
func (i *Injector) Fire(e sim.Event) {
	if e.Kind == kindFire {
		i.fire(int(e.Slot))
	} else {
		i.end(int(e.Slot))
	}
}

func (i *Injector) fire(k int) {
	f, now := &i.plan[k], i.fleet.World.Now()
	h := f.Target()
	if h == nil {
		return // a role that nobody has now: the fault did not fire
	}
	i.state[k].host, i.state[k].open = h, true
	i.Ledger[k].Fired++
	s := i.stream("fault.length", k)
	length := f.Length.Sample(&s)
	until := now.Add(length)
	if f.Forever {
		until = sim.Forever
	}
	i.recorder.Add(history.Record{Kind: history.Fault, Executor: history.Executor(f.Client + 1),
		Value: int64(k), Until: until, Fault: string(f.Kind), Host: h.Name, Text: f.describe(length, h.Name)})
	i.apply(k, h, length, until)
}

func (i *Injector) apply(k int, h *host.Host, length time.Duration, until sim.Time) {
	f, entry := &i.plan[k], &i.Ledger[k]
	switch f.Kind {
	case Pause:
		i.recordPause(h, until)
		i.state[k].covered = h.Covered()
		h.Pause(until)
		i.schedule(k, kindEnd, until)
	case Crash:
		if h.State() != host.Crashed {
			entry.TookEffect++
		}
		h.Crash(host.LoseUnsynced)
	case ClockStep:
		h.Clock.Step(f.By)
		if f.By != 0 {
			entry.TookEffect++
		}
	case ClockRate:
		if h.Clock.Rate() != f.RatePPB {
			entry.TookEffect++
		}
		h.SetRate(f.RatePPB)
	case Cut:
		i.cut(k, h)
		if !f.Forever {
			i.schedule(k, kindEnd, until)
		}
	case Hold:
		i.hold(k, h, until)
	}
}

// hold keeps back the next message of the host; if that runs a client, of the client's
// own process and not of another thread that shares the host.
func (i *Injector) hold(k int, h *host.Host, until sim.Time) {
	f := &i.plan[k]
	i.state[k].hold = network.Hold{From: h.ID, To: f.Peers[0]().ID, Op: f.Op, Until: until}
	if f.Client >= 0 {
		if p := h.Process(i.names[f.Client]); p != nil {
			i.state[k].hold.Port = p.Port()
		}
	}
	i.fleet.Net.Hold(&i.state[k].hold)
}

// recordPause says which clients stop: all that live on the host.
func (i *Injector) recordPause(h *host.Host, until sim.Time) {
	if h.State() == host.Crashed {
		return
	}
	for client, on := range i.clients {
		if on == h {
			i.recorder.Add(history.Record{Kind: history.Pause, Executor: history.Executor(client + 1), Until: until})
		}
	}
}

// cut cuts the links to all peers, both ways.
func (i *Injector) cut(k int, h *host.Host) {
	cuts := i.state[k].cuts
	for n, find := range i.plan[k].Peers {
		peer := find()
		if peer == nil || peer == h {
			continue // a role that nobody has now, or that the host itself has
		}
		out, back := &cuts[2*n], &cuts[2*n+1]
		*out = network.Rule{From: h.ID, To: peer.ID, Cut: true}
		*back = network.Rule{From: peer.ID, To: h.ID, Cut: true}
		i.fleet.Net.Impose(out)
		i.fleet.Net.Impose(back)
	}
}

// end closes the window of a fault. A pause's end comes after the host has resumed,
// since the host's own event was scheduled first.
func (i *Injector) end(k int) {
	i.state[k].open = false
	switch i.plan[k].Kind {
	case Pause:
		i.judgePause(k)
	case Cut:
		for n := range i.state[k].cuts {
			i.fleet.Net.Lift(&i.state[k].cuts[n])
		}
	}
}

func (i *Injector) judgePause(k int) {
	if s := &i.state[k]; s.host.Covered() > s.covered {
		i.Ledger[k].TookEffect = 1
	}
}

// Finish completes the ledger at the end of a run, also for windows that are open.
func (i *Injector) Finish() {
	for k := range i.plan {
		state, entry := &i.state[k], &i.Ledger[k]
		if state.host == nil {
			continue // it has not fired
		}
		switch i.plan[k].Kind {
		case Pause:
			if state.open {
				i.judgePause(k)
			}
		case Cut:
			for n := range state.cuts {
				if state.cuts[n].Touched > 0 {
					entry.TookEffect = 1
				}
			}
		case Hold:
			entry.TookEffect = state.hold.Caught
		}
	}
}
