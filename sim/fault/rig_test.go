package fault

import (
	"fmt"
	"strings"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

const ms = time.Millisecond

var (
	opAsk    = network.NewOp("test.ask")
	opAnswer = network.NewOp("test.answer")
)

// rig is a world with a server, two clients on hosts of their own that ask it every
// 10 ms, from 0 and from 5 ms on, and a spare host. A message takes 1 ms.
type rig struct {
	world    *sim.World
	net      *network.Network
	fleet    *host.Fleet
	recorder *history.Recorder
	memory   trace.Memory
	server   *host.Host
	spare    *host.Host
	clients  []*host.Host
	names    []string
	injector *Injector
	rounds   int
	heard    []string // by the server: instant and sender
}

func (r *rig) Receive(m network.Message) {
	r.heard = append(r.heard, fmt.Sprintf("%d@%d", m.From.Node-r.clients[0].ID, r.world.Now()/1e6))
	r.server.Reply(m, network.Body{Op: opAnswer})
}

func (r *rig) Timer(int) {}

// newRig builds the world of a plan; shared puts both clients on one host.
func newRig(shared bool, plan func(r *rig) []Fault) *rig {
	r := &rig{world: &sim.World{}, rounds: 10}
	r.net = network.New(r.world)
	r.fleet = host.NewFleet(r.world, r.net)
	r.recorder = history.NewRecorder(r.world.Now)
	r.server, r.spare = r.fleet.NewHost("server"), r.fleet.NewHost("spare")
	r.server.Server = r
	for i := range 2 {
		if i == 0 || !shared {
			r.clients = append(r.clients, r.fleet.NewHost(fmt.Sprint("client/", i+1)))
		} else {
			r.clients = append(r.clients, r.clients[0])
		}
		r.names = append(r.names, fmt.Sprint("client ", i+1))
	}
	for _, from := range r.fleet.Hosts {
		for _, to := range r.fleet.Hosts {
			r.net.SetDelay(from.ID, to.ID, rng.Constant(ms))
		}
	}
	r.injector = NewInjector(r.fleet, r.recorder, plan(r), r.clients, r.names)
	r.world.Sink = &r.memory
	return r
}

// run runs a seed up to an instant.
func (r *rig) run(seed uint64, until time.Duration) *rig {
	r.fleet.Reset()
	r.world.Reset(seed)
	r.net.Reset(seed)
	r.recorder.Reset()
	r.injector.Reset(seed)
	r.heard, r.memory.Records = nil, nil
	for i, h := range r.clients {
		h.Go(r.names[i], func(p *host.Process) {
			p.Sleep(time.Duration(i) * 5 * ms)
			for range r.rounds {
				start := p.Now()
				p.Step("ask")
				p.Call(r.server.Addr(), network.Body{Op: opAsk}, 5*ms)
				p.Step("asked")
				p.Sleep(start.Add(10 * ms).Sub(p.Now()))
			}
		})
	}
	r.world.Run(sim.Time(until))
	r.injector.Finish()
	return r
}

// story is the canonical trace without sequence numbers and digests: what hosts did.
func (r *rig) story() string {
	var b strings.Builder
	for _, line := range r.memory.Records {
		fmt.Fprintln(&b, line.At, line.Who, line.What, line.Text)
	}
	return b.String()
}

// at is a fault of a kind at an instant, on a host.
func at(k Kind, instant time.Duration, h *host.Host) Fault {
	return Fault{Kind: k, Trigger: Trigger{At: rng.Constant(instant)}, Target: on(h), Client: -1, Label: string(k) + " " + h.Name}
}

// when is a fault of a kind on a client's host, when it reaches a step.
func (r *rig) when(k Kind, client int, step string, nth int) Fault {
	f := at(k, 0, r.clients[client])
	f.Trigger = Trigger{Step: step, Client: client, Nth: nth}
	f.Client = client
	return f
}

func on(h *host.Host) func() *host.Host { return func() *host.Host { return h } }

func (f Fault) lasting(d time.Duration) Fault {
	f.Length = rng.Constant(d)
	return f
}

func (f Fault) with(change func(f *Fault)) Fault {
	change(&f)
	return f
}

// hosts are fixed targets.
func hosts(list ...*host.Host) (find []func() *host.Host) {
	for _, h := range list {
		find = append(find, func() *host.Host { return h })
	}
	return find
}
