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
	also     func()   // starts what else runs
	heard    []string // by the server: instant and sender

	orders  int         // to remove records
	removes map[int]int // how many records each of them removes, counted from 1
}

func (r *rig) Receive(m *network.Message) {
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
	faults := plan(r)
	for k := range faults {
		faults[k].Key = uint64(k)
	}
	r.injector = NewInjector(r.fleet, r.recorder, faults, Crew{Hosts: r.clients, Names: r.names}, false)
	r.injector.Remove = r.remove
	r.world.Sink = &r.memory
	return r
}

// remove carries out an order.
func (r *rig) remove(_ *host.Host, order int) {
	r.orders++
	for range r.removes[r.orders] {
		r.recorder.AddRemoval(order, 0)
	}
}

// run runs a seed up to an instant.
func (r *rig) run(seed uint64, until time.Duration) *rig {
	r.fleet.Reset()
	r.world.Reset(seed)
	r.net.Reset(seed)
	r.recorder.Reset()
	r.injector.Reset(seed)
	r.heard, r.memory.Records, r.orders = nil, nil, 0
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
	if r.also != nil {
		r.also()
	}
	r.world.Run(sim.Time(until))
	r.injector.Finish()
	return r
}

// story is the canonical trace without sequence numbers, digests and the faults' own lines:
// what hosts did.
func (r *rig) story() string {
	var b strings.Builder
	for _, line := range r.memory.Records {
		if !strings.HasPrefix(line.What, "fault") {
			fmt.Fprintln(&b, line.At, line.Who, line.What, line.Text)
		}
	}
	return b.String()
}

// at is a fault of a kind at an instant, on a host. What lasts does so to the end of the
// run, unless [Fault.lasting] says otherwise.
func at(k Kind, instant time.Duration, h *host.Host) Fault {
	return Fault{Trigger: Trigger{Mode: At, Time: rng.Constant(instant)}, Actions: []Action{act(k, h)}}
}

func act(k Kind, h *host.Host) Action {
	a := Action{Kind: k, Target: on{h, -1}, Label: string(k) + " " + h.Name}
	switch k {
	case Cut, Isolate, Split, Hang, Reset:
		a.Network.Rule.Cut = true
	}
	switch k {
	case ClockStep, Reset, Remove:
	default:
		a.Forever = true
	}
	return a
}

// when is a fault of a kind on a client's host, when it reaches a step.
func (r *rig) when(k Kind, client int, step string, nth int) Fault {
	f := at(k, 0, r.clients[client])
	f.Trigger = Trigger{Mode: When, Step: step, Client: client, Nth: nth, Chance: certain}
	f.Actions[0].Target = on{r.clients[client], client}
	return f
}

var certain = rng.Chance{Num: 1, Den: 1}

// on is a fixed target.
type on struct {
	host   *host.Host
	client int
}

func (o on) Find(*rng.Stream) (*host.Host, int) { return o.host, o.client }

func (f Fault) lasting(d time.Duration) Fault {
	f.Length = rng.Constant(d)
	for i := range f.Actions {
		f.Actions[i].Forever = false
	}
	return f
}

// with changes the fault's one action.
func (f Fault) with(change func(a *Action)) Fault {
	change(&f.Actions[0])
	return f
}

// from gives the fault's action peers.
func (f Fault) from(list ...*host.Host) Fault {
	for _, h := range list {
		f.Actions[0].Peers = append(f.Actions[0].Peers, on{h, -1})
	}
	return f
}

// forward is a shift by a fixed amount, back if it is negative.
func forward(d time.Duration) Shift {
	if d < 0 {
		return Shift{Amount: rng.Constant(-d), Sign: -1}
	}
	return Shift{Amount: rng.Constant(d), Sign: 1}
}
