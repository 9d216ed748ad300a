package scenarios

import (
	"errors"
	"fmt"
	"strings"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/fault"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/trace"
)

// Trial is a world built for a plan. It runs one seed at a time and is reused, so
// that the thousandth run allocates what only that run needs.
type Trial struct {
	Plan     *Plan
	Recorder *history.Recorder
	Checker  *checker.Checker

	world    *sim.World
	net      *network.Network
	fleet    *host.Fleet
	env      *models.Env
	system   models.System
	register *resource.Register
	resource *host.Host
	clients  []*client.Client
	injector *fault.Injector
	done     []bool
	running  int
}

// Result is what one run came to.
type Result struct {
	Seed    uint64
	Digest  uint64
	Events  uint64
	End     sim.Time
	Verdict checker.Verdict
	// Differs says in what the verdict is not as expected; empty if it is.
	Differs string
}

// AsExpected reports whether the run was as the scenario expects.
func (r *Result) AsExpected() bool { return r.Differs == "" }

// NewTrial builds the world of a plan. Close it when done.
func NewTrial(p *Plan) *Trial {
	t := &Trial{Plan: p, world: &sim.World{}}
	t.net = network.New(t.world)
	t.fleet = host.NewFleet(t.world, t.net)
	t.fleet.Wake = p.Instance.wake
	t.Recorder = history.NewRecorder(t.world.Now)
	t.resource = t.fleet.NewHost("resource")
	t.register = resource.NewRegister(t.resource, t.Recorder, p.Guard)
	t.env = &models.Env{
		Fleet: t.fleet, Recorder: t.Recorder, Params: p.Params,
		Fsync: p.Instance.fsync, RhoPPB: p.Instance.rhoPPB,
	}
	names := t.addClients()
	t.system = p.Lock.Build(t.env)
	t.setDelays()
	t.injector = fault.NewInjector(t.fleet, t.Recorder, t.placeFaults(), t.env.Clients, names)
	t.Checker = checker.New(t.Recorder, p.Describe.Takeover(p.Params), p.Guard.Ordered)
	t.Checker.SkipLinear = p.SkipLinear
	t.fleet.OnCrash = t.crashed
	t.net.Idle = func(network.NodeID) { t.stopIfOver() }
	return t
}

// addClients makes the clients and their hosts, and returns the process names.
func (t *Trial) addClients() []string {
	var names []string
	for i, w := range t.Plan.Instance.workloads {
		if i == 0 || !t.Plan.Describe.OneProcess {
			t.env.Clients = append(t.env.Clients, t.fleet.NewHost(fmt.Sprintf("client/%d", i+1)))
		} else {
			t.env.Clients = append(t.env.Clients, t.env.Clients[0])
		}
		names = append(names, fmt.Sprintf("client %d", i+1))
		index := i
		t.clients = append(t.clients, &client.Client{
			Index: i, Workload: w, Resource: t.register.Addr(), Recorder: t.Recorder,
			OnDone: func() { t.finished(index) }})
	}
	t.done = make([]bool, len(t.clients))
	return names
}

func (t *Trial) setDelays() {
	for _, from := range t.fleet.Hosts {
		for _, to := range t.fleet.Hosts {
			t.net.SetDelay(from.ID, to.ID, t.Plan.Instance.delay)
		}
	}
}

// placeFaults ties the planned faults to the hosts of this world.
func (t *Trial) placeFaults() []fault.Fault {
	faults := make([]fault.Fault, len(t.Plan.faults))
	for i, p := range t.Plan.faults {
		faults[i] = p.fault
		faults[i].Target = t.host(p.target)
		for _, peer := range p.peers {
			faults[i].Peers = append(faults[i].Peers, t.host(peer))
		}
		if p.fault.Kind == fault.Hold {
			faults[i].Peers = []func() *host.Host{func() *host.Host { return t.resource }}
		}
	}
	return faults
}

// host returns how to find a target when a fault fires.
func (t *Trial) host(at target) func() *host.Host {
	fixed := func(h *host.Host) func() *host.Host { return func() *host.Host { return h } }
	server := func(i int) *host.Host { return t.fleet.Find(fmt.Sprintf("%s/%d", t.Plan.Describe.Role, i+1)) }
	switch {
	case at.client >= 0:
		return fixed(t.env.Clients[at.client])
	case at.server >= 0:
		return fixed(server(at.server))
	}
	return func() *host.Host {
		if i, ok := t.system.(models.Elected).Leader(); ok {
			return server(i)
		}
		return nil
	}
}

// errInterrupted: the run was given up in the middle.
var errInterrupted = errors.New("interrupted")

// Run runs one seed. An error is an internal one: the simulator contradicts itself.
func (t *Trial) Run(seed uint64) (Result, error) {
	t.reset(seed)
	outcome := t.world.Run(sim.Time(t.Plan.Instance.until))
	t.injector.Finish()
	bound := ""
	switch {
	case outcome == sim.Interrupted:
		return Result{}, errInterrupted
	case outcome == sim.Exhausted:
		bound = checker.BoundEvents
	case !t.over():
		bound = checker.BoundUntil
	}
	verdict, err := t.Checker.Verdict(t.Recorder, t.world.Now(), t.register.Value(), bound)
	r := Result{Seed: seed, Digest: t.world.Digest().Sum(), Events: t.world.Fired(), End: t.world.Now(), Verdict: verdict}
	r.Differs = t.differs(&r)
	return r, err
}

func (t *Trial) reset(seed uint64) {
	t.fleet.Reset()
	t.world.Reset(seed)
	t.net.Reset(seed)
	t.Recorder.Reset()
	t.Checker.Reset()
	t.register.Reset()
	t.env.Seed = seed
	t.system.Reset()
	t.injector.Reset(seed)
	clear(t.done)
	t.running = len(t.clients)
	for i, c := range t.clients {
		c.Locker, c.Seed = t.system.Locker(i), seed
		c.Start(t.env.Clients[i], fmt.Sprintf("client %d", i+1))
	}
}

// differs compares with the scenario's expectation. Faults that never took effect
// leave nothing to conclude from.
func (t *Trial) differs(r *Result) string {
	if len(t.Plan.Expect.Status) == 0 && t.Plan.Expect.Kind == "" {
		return ""
	}
	for _, e := range t.injector.Ledger {
		if e.TookEffect == 0 {
			return fmt.Sprintf("the fault %q never took effect (fired %d times)", e.Label, e.Fired)
		}
	}
	return t.Plan.Expect.Differs(&r.Verdict, t.Checker.Kinds())
}

// finished is called when a client has no more to do.
func (t *Trial) finished(client int) {
	if !t.done[client] {
		t.done[client] = true
		t.running--
		t.stopIfOver()
	}
}

// crashed ends the clients that ran on a host.
func (t *Trial) crashed(h *host.Host) {
	for i, on := range t.env.Clients {
		if on == h {
			t.Recorder.Add(history.Record{Kind: history.Crash, Executor: t.clients[i].Executor()})
			t.finished(i)
		}
	}
}

// over reports whether nobody can touch the resource any more: every client is done and
// no request is on its way.
func (t *Trial) over() bool { return t.running == 0 && t.net.Inbound(t.resource.ID) == 0 }

func (t *Trial) stopIfOver() {
	if t.over() {
		t.world.Stop()
	}
}

// Ledger returns what became of the faults in the last run.
func (t *Trial) Ledger() []fault.Entry { return t.injector.Ledger }

// Trace makes the following runs write their canonical trace; nil ends it.
func (t *Trial) Trace(sink trace.Sink) { t.world.Sink = sink }

// Tap makes the following runs show every message; nil ends it.
func (t *Trial) Tap(tap network.Tap) { t.net.Tap = tap }

// ClientHosts are the clients' hosts, by client.
func (t *Trial) ClientHosts() []*host.Host { return t.env.Clients }

// ResourceHost is the host of what the lock protects.
func (t *Trial) ResourceHost() *host.Host { return t.resource }

// ServiceHosts are the hosts of the lock's servers.
func (t *Trial) ServiceHosts() []*host.Host {
	var hosts []*host.Host
	for _, h := range t.fleet.Hosts {
		if strings.HasPrefix(h.Name, t.Plan.Describe.Role+"/") && t.Plan.Describe.Role != "" {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// Close ends the coroutines of the world.
func (t *Trial) Close() { t.fleet.Close() }
