package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fencepost/models"
	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim/clock"
	"fencepost/sim/fault"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// plannedFault is a fault that has been read and checked, before the world exists in
// which its targets are hosts.
type plannedFault struct {
	fault  fault.Fault
	target target
	peers  []target
}

// target names a host: a client by index, a server by index, or the leader.
type target struct {
	client int // -1 if it is a server
	server int // -1 if it is the leader
}

// kindOf returns the kind of a fault and its fields.
func kindOf(f *faultPart) (kinds []fault.Kind, action *actionPart) {
	for _, k := range []struct {
		kind   fault.Kind
		action *actionPart
	}{
		{fault.Pause, f.Pause}, {fault.Crash, f.Crash}, {fault.ClockStep, f.ClockStep},
		{fault.ClockRate, f.ClockRate}, {fault.Cut, f.Cut}, {fault.Hold, f.Hold},
	} {
		if k.action != nil {
			kinds, action = append(kinds, k.kind), k.action
		}
	}
	return kinds, action
}

// anchorOfFault is some place inside a fault, for errors about all of it.
func anchorOfFault(f *faultPart) *scalar {
	_, a := kindOf(f)
	if a == nil {
		a = &actionPart{}
	}
	candidates := []*scalar{a.Client, a.Server, a.For, a.By, a.Rate, a.Message, f.At}
	if f.When != nil {
		candidates = append(candidates, f.When.Client, f.When.Step)
	}
	candidates = append(candidates, a.Servers...)
	for _, s := range candidates {
		if s.set() {
			return s
		}
	}
	return nil
}

// faultReader reads the faults of a scenario for one lock. A fault that this lock
// cannot have is not an error: it makes the lock n/a, with the reason.
type faultReader struct {
	*reader
	lock    models.Description
	servers int
	elected bool
	clients int
	missing missing
}

// missing says why a lock cannot have a fault, and where the fault asks for it.
type missing struct {
	why  string
	at   *scalar
	step bool // it is a step that is missing
}

func (r *faultReader) lacks(at *scalar, format string, args ...any) {
	if r.missing.why == "" {
		r.missing = missing{why: fmt.Sprintf(format, args...), at: at}
	}
}

func (r *faultReader) fault(f *faultPart) plannedFault {
	kinds, a := kindOf(f)
	if len(kinds) != 1 {
		r.fail(anchorOfFault(f), "a fault has exactly one kind; %s", oneOf(fault.Kinds))
		return plannedFault{}
	}
	p := plannedFault{fault: fault.Fault{Kind: kinds[0]}}
	r.trigger(f, &p.fault.Trigger)
	r.fields(f, kinds[0], a)
	if kinds[0] == fault.ClockStep && !a.Client.set() && r.lock.ServiceClock == "" {
		r.lacks(a.Server, "%s has no service clock", r.lock.Name)
	}
	p.target = r.target(f, a)
	p.fault.Client = p.target.client
	r.action(f, a, &p)
	p.fault.Label = fmt.Sprintf("%s %s", p.fault.Kind, r.describe(p.target))
	if p.fault.Kind == fault.Cut {
		p.fault.Label += " from"
		for _, peer := range p.peers {
			p.fault.Label += " " + r.describe(peer)
		}
	}
	return p
}

// fields refuses the fields that a kind does not take.
func (r *faultReader) fields(f *faultPart, k fault.Kind, a *actionPart) {
	takes := map[fault.Kind]string{
		fault.Pause: "client server for", fault.Crash: "client server", fault.ClockStep: "client server by",
		fault.ClockRate: "client server rate", fault.Cut: "client server servers for", fault.Hold: "client message for",
	}[k]
	given := map[string]*scalar{"client": a.Client, "server": a.Server, "for": a.For, "by": a.By, "rate": a.Rate, "message": a.Message}
	if len(a.Servers) > 0 {
		given["servers"] = a.Servers[0]
	}
	for _, name := range sortedKeys(given) {
		if given[name].set() && !slices.Contains(strings.Fields(takes), name) {
			r.fail(given[name], "%s does not take %q; it takes: %s", k, name, takes)
		}
	}
	if r.err == nil && anchorOfFault(f) == nil {
		r.fail(nil, "%s: it takes: %s", k, takes)
	}
}

// trigger reads "at" or "when".
func (r *faultReader) trigger(f *faultPart, t *fault.Trigger) {
	if f.At.set() == (f.When != nil) {
		r.fail(anchorOfFault(f), "a fault fires either `at:` an instant or `when:` a client reaches a step: give one of them")
		return
	}
	if f.When == nil {
		t.At = r.dist(f.At, rng.Constant(0))
		return
	}
	if !f.When.Step.set() || !f.When.Client.set() {
		r.fail(anchorOfFault(f), "`when:` needs `client:` and `step:`")
		return
	}
	t.Client = r.client(f.When.Client)
	t.Step = r.step(f.When.Step)
	t.Nth = r.count(f.When.Nth, 1, 1)
}

// step reads the name of a step. One that only other locks have makes this one n/a.
func (r *faultReader) step(s *scalar) string {
	name := r.text(s)
	for _, steps := range [][]models.Step{client.Steps, r.lock.Steps} {
		for _, step := range steps {
			if step.Name == name {
				return name
			}
		}
	}
	r.lacks(s, "%s has no step %q", r.lock.Name, name)
	r.missing.step = r.missing.at == s
	return name
}

// client reads a client's number and returns its index.
func (r *faultReader) client(s *scalar) int {
	n := r.count(s, 1, 1)
	if n > r.clients {
		r.fail(s, "there is no client %d; the scenario has clients 1 to %d", n, r.clients)
		return 0
	}
	return n - 1
}

func (r *faultReader) target(f *faultPart, a *actionPart) target {
	switch {
	case a.Client.set() && a.Server.set():
		r.fail(a.Server, "a fault has one target: give `client:` or `server:`")
	case a.Client.set():
		return target{client: r.client(a.Client)}
	case a.Server.set():
		return r.server(a.Server)
	default:
		r.fail(anchorOfFault(f), "the fault has no target: give `client:` or `server:`")
	}
	return target{}
}

// server reads a server's number, or "leader".
func (r *faultReader) server(s *scalar) target {
	text := r.text(s)
	if r.servers == 0 {
		r.lacks(s, "%s has no server", r.lock.Name)
		return target{client: -1}
	}
	if text == "leader" {
		if !r.elected {
			r.lacks(s, "%s has no leader", r.lock.Name)
		}
		return target{client: -1, server: -1}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		r.fail(s, "%q is not a server: write its number, from 1, or leader", text)
		return target{client: -1}
	}
	if n > r.servers {
		r.lacks(s, "%s has no server %d", r.lock.Name, n)
	}
	return target{client: -1, server: n - 1}
}

// action reads what the kind needs beyond a target.
func (r *faultReader) action(f *faultPart, a *actionPart, p *plannedFault) {
	need := func(s *scalar, name string) {
		if !s.set() {
			r.fail(anchorOfFault(f), "%s needs `%s:`", p.fault.Kind, name)
		}
	}
	switch p.fault.Kind {
	case fault.Pause:
		need(a.For, "for")
	case fault.ClockStep:
		need(a.By, "by")
		p.fault.By = r.duration(a.By, 0, -maxDuration)
	case fault.ClockRate:
		need(a.Rate, "rate")
		p.fault.RatePPB = r.ppb(a.Rate, clock.MaxRatePPB, true)
	case fault.Cut:
		if len(a.Servers) == 0 {
			r.fail(anchorOfFault(f), "cut needs `servers:`, the other ends of the links")
		}
		for _, s := range a.Servers {
			p.peers = append(p.peers, r.server(s))
		}
		p.fault.Forever = !a.For.set()
	case fault.Hold:
		need(a.For, "for")
		need(a.Message, "message")
		p.fault.Op = map[string]*network.Op{"read": resource.OpRead, "write": resource.OpWrite}[r.word(a.Message, "write", []string{"read", "write"})]
	}
	p.fault.Length = r.dist(a.For, rng.Constant(0))
}

func (r *faultReader) describe(t target) string {
	switch {
	case t.client >= 0:
		return fmt.Sprintf("client %d", t.client+1)
	case t.server < 0:
		return "the leader"
	}
	return fmt.Sprintf("%s/%d", r.lock.Role, t.server+1)
}
