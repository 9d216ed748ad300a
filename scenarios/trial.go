package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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
	store    *resource.Store
	resource *host.Host
	clients  []*client.Client
	injector *fault.Injector
	servers  []*host.Host
	names    []string // process names of the clients
	done     []bool
	audit    []int64 // of the last run
	seed     uint64  // of the last run
	covering *covering
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
	t.fleet.Wake, t.fleet.RhoPPB = p.Instance.wake, p.Instance.rhoPPB
	t.Recorder = history.NewRecorder(t.world.Now)
	t.resource = t.fleet.NewHost(history.ResourceHost)
	t.store = resource.NewStore(t.resource, t.Recorder, p.Guard, p.Instance.resource)
	t.store.OnIdle = t.stopIfOver
	t.env = &models.Env{
		Fleet: t.fleet, Recorder: t.Recorder, Params: p.Params,
		Fsync: p.Instance.fsync, RhoPPB: p.Instance.rhoPPB,
	}
	t.addClients()
	t.system = p.Lock.Build(t.env)
	if p.Guard.Asks {
		t.store.AskWith(t.system.(models.TokenChecker).CheckToken)
	}
	t.findServers()
	t.placeLinks()
	t.injector = fault.NewInjector(t.fleet, t.Recorder, t.placeFaults(), fault.Crew{Hosts: t.env.Clients, Names: t.names, Resource: t.resource, Effects: resource.EffectOf}, p.swarm)
	if p.Instance.biased {
		t.injector.Bias()
	}
	t.injector.Gone, t.injector.Remove = t.gone, t.remove
	t.Checker = checker.New(t.Recorder, p.Describe.Takeover(p.Params), p.ordered())
	t.Checker.SkipSections = !p.Instance.resource.Kind.LosesUpdates()
	t.Checker.Progress.From = sim.Time(p.Instance.progressFrom)
	t.Checker.SkipLinear, t.Checker.Progress.StarvedAfter = p.SkipLinear, p.Instance.starved
	t.fleet.OnCrash, t.fleet.OnRestart, t.fleet.OnClockStep = t.crashed, t.restarted, t.clockStepped
	t.net.Idle = func(network.NodeID) { t.stopIfOver() }
	if p.Cover {
		t.cover()
	}
	return t
}

// addClients makes the clients and their hosts.
func (t *Trial) addClients() {
	for i, w := range t.Plan.Instance.workloads {
		if w.Check == "" {
			w.Check = client.Check(cmp.Or(t.Plan.Describe.Check, string(client.CheckNever)))
		}
		if i == 0 || !t.Plan.Describe.OneProcess {
			t.env.Clients = append(t.env.Clients, t.fleet.NewHost(fmt.Sprintf("client/%d", i+1)))
		} else {
			t.env.Clients = append(t.env.Clients, t.env.Clients[0])
		}
		t.names = append(t.names, fmt.Sprintf("client %d", i+1))
		index := i
		t.clients = append(t.clients, &client.Client{
			Index: i, Workload: w, Resource: t.store.Addr(), Protocol: t.Plan.Guard.Protocol, Protected: t.Plan.Instance.resource, Recorder: t.Recorder,
			OnDone: func() { t.finished(index) }})
	}
	t.done = make([]bool, len(t.clients))
}

// findServers keeps the hosts of the lock's role, in their order.
func (t *Trial) findServers() {
	for _, h := range t.fleet.Hosts {
		if role := t.Plan.Describe.Role; role != "" && strings.HasPrefix(h.Name, role+"/") {
			t.servers = append(t.servers, h)
		}
	}
}

// placeFaults ties the planned faults to the hosts of this world.
func (t *Trial) placeFaults() []fault.Fault {
	faults := make([]fault.Fault, len(t.Plan.faults))
	for i, f := range t.Plan.faults {
		f.Actions = slices.Clone(f.Actions)
		for k := range f.Actions {
			a := &f.Actions[k]
			a.Target = t.place(a.Target)
			a.Peers = slices.Clone(a.Peers)
			for n := range a.Peers {
				a.Peers[n] = t.place(a.Peers[n])
			}
		}
		faults[i] = f
	}
	return faults
}

func (t *Trial) place(at fault.Target) fault.Target { return placed{at.(target), t} }

// leader returns the index of the server that leads now.
func (t *Trial) leader() (int, bool) { return t.system.(models.Elected).Leader() }

// errInterrupted: the run was given up in the middle.
var errInterrupted = errors.New("interrupted")

// Run runs one seed. An error is an internal one: the simulator contradicts itself.
func (t *Trial) Run(seed uint64) (Result, error) {
	t.reset(seed)
	outcome := t.world.Run(sim.Time(t.Plan.Instance.until))
	t.injector.Finish()
	t.finishLedger()
	bound := ""
	switch {
	case outcome == sim.Interrupted:
		return Result{}, errInterrupted
	case outcome == sim.Exhausted:
		bound = checker.BoundEvents
	case t.injector.Full:
		bound = checker.BoundFaults
	case !t.over():
		bound = checker.BoundUntil
	}
	t.audit = t.store.Audit(t.audit[:0])
	t.Checker.Confirm = t.Plan.confirm(seed)
	verdict, err := t.Checker.Verdict(t.Recorder, t.world.Now(), t.audit, bound)
	r := Result{Seed: seed, Digest: t.world.Digest().Sum(), Events: t.world.Fired(), End: t.world.Now(), Verdict: verdict}
	r.Differs = t.differs(&r)
	return r, err
}

func (t *Trial) reset(seed uint64) {
	t.seed = seed
	if t.covering != nil {
		t.covering.reset()
	}
	t.fleet.Reset()
	t.world.Reset(seed)
	t.net.Reset(seed)
	t.Recorder.Reset()
	t.Checker.Reset()
	t.store.Reset(seed)
	t.env.Seed = seed
	t.setClocks(seed)
	t.system.Reset()
	t.injector.Reset(seed)
	clear(t.done)
	t.running = len(t.clients)
	for i, c := range t.clients {
		c.Locker, c.Seed = t.system.Locker(i), seed
		c.Start(t.env.Clients[i], t.names[i])
	}
}

// differs compares with the scenario's expectation. Faults that never took effect
// leave nothing to conclude from.
func (t *Trial) differs(r *Result) string {
	if t.Plan.Expect.Empty() {
		return ""
	}
	if idle := t.Idle(); idle != "" {
		return idle
	}
	return t.Plan.Expect.Differs(&r.Verdict, t.Checker, t.Recorder, r.End)
}

// Idle says which scripted fault never took effect in the last run; empty if each did.
func (t *Trial) Idle() string {
	for _, e := range t.injector.Ledger {
		if e.Layer == fault.Scripted && e.TookEffect == 0 {
			return fmt.Sprintf("the fault %q never took effect (fired %d times)", e.Label, e.Fired)
		}
	}
	return ""
}

// finished is called when a client has no more to do.
func (t *Trial) finished(client int) {
	if !t.done[client] {
		t.done[client] = true
		t.running--
		t.stopIfOver()
	}
}

// crashed tells that the clients on a host are gone.
func (t *Trial) crashed(h *host.Host) {
	for i, on := range t.env.Clients {
		if on == h {
			t.Recorder.Add(history.Record{Kind: history.Crash, Executor: t.clients[i].Executor(), Local: time.Duration(h.Mono())})
		}
	}
	if h == t.resource {
		t.stopIfOver() // what it was about to serve is gone too
	}
}

// remove has the lock's record removed by way of a server; nil is none in particular.
func (t *Trial) remove(server *host.Host, order int) {
	t.system.(models.Remover).Remove(slices.Index(t.servers, server), order)
}

// gone ends the clients on a host that will not come back.
func (t *Trial) gone(h *host.Host) {
	for i, on := range t.env.Clients {
		if on == h {
			t.finished(i)
		}
	}
}

// restarted starts the clients on a host that had not done all that they had to do.
func (t *Trial) restarted(h *host.Host) {
	for i, on := range t.env.Clients {
		if on != h || t.done[i] {
			continue
		}
		c := t.clients[i]
		c.Locker = t.system.Locker(i)
		c.Restart(h, t.names[i])
		t.Recorder.Add(history.Record{Kind: history.Restart, Executor: c.Executor()})
	}
}

// clockStepped tells of a step of a clock that no fault of the scenario made, so that a
// cause can name it.
func (t *Trial) clockStepped(h *host.Host, by time.Duration) {
	r := history.Record{Kind: history.Fault, Value: history.NoLine, Until: t.world.Now(), Fault: string(fault.ClockStep), Ahead: by > 0, Base: int64(by),
		Host: h.Name, Text: fmt.Sprintf("clock-step %s by %v (its own)", h.Name, by)}
	for i, on := range t.env.Clients {
		if on == h {
			r.Struck.Add(i)
			r.Executor = t.clients[i].Executor()
		}
	}
	switch {
	case h == t.resource:
		r.Parties = history.Protected
	case r.Struck == 0:
		r.Parties = history.Service
	}
	t.Recorder.Add(r)
	if t.world.Tracing() {
		t.world.Trace(trace.Record{Who: h.Name, What: "clock", Text: r.Text})
	}
}

// over reports whether nobody can touch the resource any more: every client is done and
// no request is on its way, or waits there for its effect.
func (t *Trial) over() bool {
	return t.running == 0 && t.net.Inbound(t.resource.ID) == 0 && t.store.Pending() == 0
}

func (t *Trial) stopIfOver() {
	if t.over() {
		t.world.Stop()
	}
}

// holder is a client that believes to hold the lock, or -1.
func (t *Trial) holder() int { return t.Checker.Exclusion.Believer() }

// finishLedger adds what the injector cannot know: whom the faults touched.
func (t *Trial) finishLedger() {
	for i := range t.injector.Ledger {
		t.injector.Ledger[i].TouchedHolder = t.Checker.Touched.Of(i)
	}
}

// Ledger returns what became of the faults in the last run.
func (t *Trial) Ledger() []fault.Entry { return t.injector.Ledger }

// BeyondRho names the hosts whose clocks deviated by more than the scenario's rho in the
// last run. What was promised on them was worth nothing.
func (t *Trial) BeyondRho() (names []string) {
	for _, h := range t.fleet.Hosts {
		if h.BeyondRho() > 0 {
			names = append(names, h.Name)
		}
	}
	return names
}

// Renews are the clients whose holds are renewed: by their library, or by their own program, if
// the library can.
func (t *Trial) Renews() (clients history.Clients) {
	for i, c := range t.clients {
		_, can := c.Locker.(models.Renewer)
		if t.Plan.Describe.Renews.With(t.Plan.Params) || can && c.Workload.Renew > 0 {
			clients.Add(i)
		}
	}
	return clients
}

// Trace makes the following runs write their canonical trace; nil ends it.
func (t *Trial) Trace(sink trace.Sink) { t.world.Sink = sink }

// Tap makes the following runs show every message; nil ends it. They send those
// messages, too, that are otherwise left out: nothing differs but the digest and the number of
// events.
func (t *Trial) Tap(tap network.Tap) { t.net.Tap, t.env.EveryMessage = tap, tap != nil }

// ClientHosts are the clients' hosts, by client.
func (t *Trial) ClientHosts() []*host.Host { return t.env.Clients }

// ResourceHost is the host of what the lock protects.
func (t *Trial) ResourceHost() *host.Host { return t.resource }

// ServiceHosts are the hosts of the lock's servers.
func (t *Trial) ServiceHosts() []*host.Host { return t.servers }

// Close ends the coroutines of the world.
func (t *Trial) Close() { t.fleet.Close() }
