package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fencepost/models"
	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim/fault"
	"fencepost/sim/history"
)

// Plan is an instance with a lock and a guard: everything that a trial needs but the
// seed. NotApplicable says why there is nothing to run, if there is not.
type Plan struct {
	Instance      *Instance
	Lock          models.Lock
	Describe      models.Description
	Guard         resource.Guard
	Params        models.Params
	Expect        Expectation
	NotApplicable string
	// SkipLinear leaves porcupine's two answers out; they are then n/a. SampleLinear has it confirm
	// violations, and some other runs, all the same.
	SkipLinear, SampleLinear bool
	// Cover makes its trials count what they cover.
	Cover bool

	faults  []fault.Fault // their targets are roles
	swarm   bool
	refused refusal
}

// NoToken is why what compares fencing tokens makes no sense for a lock.
const NoToken = "no monotonic token"

// Plans fixes locks and guards. Every mistake in the scenario is found here, before
// anything runs, and that of a parameter's value is a [ValueError]; a combination that makes no sense is a
// plan with NotApplicable set.
func (in *Instance) Plans(locks []models.Lock, guards []resource.Guard) ([]*Plan, error) {
	plans, r := in.plans(locks, guards)
	if !r.failed() {
		return plans, nil
	}
	return nil, blame(r.err(), in.given(), func(values map[string]string) error {
		other, err := in.Scenario.instantiate(in.registry, values)
		if err != nil {
			return err
		}
		_, r := other.plans(locks, guards)
		return r.err()
	})
}

// given are the parameters that have other values than the scenario's own.
func (in *Instance) given() map[string]string {
	values := maps.Clone(in.Values)
	for _, p := range in.Scenario.Params {
		if values[p.Name] == p.Default {
			delete(values, p.Name)
		}
	}
	return values
}

// plans fixes locks and guards as far as it can, and lists what is wrong.
func (in *Instance) plans(locks []models.Lock, guards []resource.Guard) ([]*Plan, *reader) {
	var plans []*Plan
	r := in.reader()
	reach := &reach{why: map[*faultPart]missing{}, able: map[*faultPart]bool{}}
	for _, l := range locks {
		for _, g := range guards {
			plans = append(plans, in.plan(r, l, g, reach))
		}
	}
	in.checkRefusals(r, plans)
	reach.check(r)
	in.Scenario.checkUnused(r)
	return plans, r
}

func (in *Instance) plan(r *reader, l models.Lock, g resource.Guard, seen *reach) *Plan {
	d := l.Describe()
	params, refused := in.paramsOf(r, d)
	if !d.HasToken(params) {
		d.Token = "" // in what is said of this plan
	}
	p := &Plan{Instance: in, Lock: l, Describe: d, Guard: g, Params: params, refused: refused}
	own := in.Scenario.file.For[d.Name]
	p.Expect = in.expectation(r, d.Name, g.Name, resource.GuardNames())
	switch {
	case own.NotApplicable.set():
		p.NotApplicable = r.text(own.NotApplicable)
		if len(own.Lock)+len(own.Faults) > 0 {
			r.fail(own.NotApplicable, "lock %s is not run, so what else is said of it says nothing", d.Name)
		}
		if strings.TrimSpace(p.NotApplicable) == "" {
			r.fail(own.NotApplicable, "n/a has no reason: say why lock %s cannot have this", d.Name)
		}
		return p
	case refused.why != "":
		p.NotApplicable = refused.why
		return p
	}
	if g.NeedsToken && d.Token == "" {
		p.NotApplicable = NoToken
	}
	if g.Asks && d.Asked == "" && p.NotApplicable == "" {
		p.NotApplicable = "the service is not asked about tokens"
	}
	fr := &faultReader{reader: r, lock: d, disk: d.Disk.With(p.Params), servers: servers(d, p.Params), elected: d.Leader, clients: len(in.workloads), marks: g.Protocol.Marks, asks: g.Asks, of: in.resource.Kind, known: in.registry, until: in.until, params: p.Params, takeover: d.Takeover(p.Params)}
	p.read(fr, in.Scenario.file.Faults, fault.Scripted, 0, seen)
	p.read(fr, own.Faults, fault.Scripted, keysOfOwn, seen)
	if random := in.Scenario.file.Random; random != nil {
		if len(random.Faults) == 0 {
			r.fail(random.at.scalar(), "`random:` has no faults: give a list `faults:`")
		}
		p.swarm = r.flag(random.Swarm, false)
		p.read(fr, random.Faults, fault.Random, keysOfRandom, seen)
	}
	if in.biased && p.NotApplicable == "" {
		p.NotApplicable = p.notBiased()
	}
	return p
}

// Where the keys of the faults in each list of a file begin.
const (
	keysOfOwn    = 1 << 32
	keysOfRandom = 2 << 32
)

// read reads the faults of one layer. A scripted fault that the lock cannot have makes it
// n/a; a random one is left out for it.
func (p *Plan) read(r *faultReader, list []faultPart, layer fault.Layer, first uint64, seen *reach) {
	for i := range list {
		r.missing = missing{}
		f := r.fault(&list[i], layer)
		f.Key = first + uint64(i)
		if layer == fault.Random && !r.misspelt() {
			seen.able[&list[i]] = true // a lock may run without it, and so may all
		}
		seen.note(&list[i], p.Describe, r.missing)
		switch {
		case r.missing.why == "":
			p.faults = append(p.faults, f)
		case layer == fault.Scripted && p.NotApplicable == "":
			p.NotApplicable = r.missing.why
		}
	}
}

// misspelt reports whether the fault waits for a step that no lock system has.
func (r *faultReader) misspelt() bool {
	if !r.missing.step {
		return false
	}
	for _, l := range r.known.Locks() {
		if hasStep(l.Describe().Steps, r.text(r.missing.at)) {
			return false
		}
	}
	return true
}

// servers is how many servers the lock has under these parameters.
func servers(d models.Description, p models.Params) int {
	if _, ok := p["servers"]; ok {
		return p.Int("servers")
	}
	return d.Servers
}

// reach keeps which faults some selected lock can have.
type reach struct {
	faults []*faultPart
	why    map[*faultPart]missing // why the last lock could not
	able   map[*faultPart]bool
	locks  []models.Description
}

func (c *reach) note(f *faultPart, d models.Description, m missing) {
	if _, ok := c.why[f]; !ok {
		c.faults = append(c.faults, f)
	}
	c.why[f] = m
	c.able[f] = c.able[f] || m.why == "" || m.guard
	c.locks = append(c.locks, d)
}

// check fails for a fault that no selected lock can have.
func (c *reach) check(r *reader) {
	for _, f := range c.faults {
		if c.able[f] {
			continue
		}
		m, hint := c.why[f], ""
		if m.step {
			hint = "; " + oneOf(c.steps())
		}
		r.fail(m.at, "no selected lock can have this fault: %s%s", m.why, hint)
	}
}

// steps are the named steps of clients and of the selected locks, each once.
func (c *reach) steps() []string {
	var names []string
	seen := map[string]bool{}
	add := func(steps []models.Step) {
		for _, s := range steps {
			if !seen[s.Name] {
				seen[s.Name] = true
				names = append(names, s.Name)
			}
		}
	}
	add(client.Steps)
	add(client.MarkSteps)
	add(client.EffectSteps)
	for _, d := range c.locks {
		add(d.Steps)
	}
	return names
}

// steps are the named steps that a client of the plan may pass.
func (p *Plan) steps() []models.Step {
	steps := slices.Concat(client.Steps, p.Describe.Steps)
	if p.Guard.Protocol.Marks {
		steps = append(steps, client.MarkSteps...)
	}
	return steps
}

// ordered are the effects that the guard keeps in order: with writes also the effects outside of the
// data, if it compares them.
func (p *Plan) ordered() []history.Effect {
	if p.Instance.resource.GuardsEffect && slices.Contains(p.Guard.Ordered, history.WriteEffect) {
		return append(slices.Clone(p.Guard.Ordered), history.OutsideEffect)
	}
	return p.Guard.Ordered
}

// Expects reports whether the scenario expects something of the lock and guard.
func (p *Plan) Expects() bool { return p.NotApplicable == "" && !p.Expect.Empty() }

// Clients is how many clients the scenario has.
func (p *Plan) Clients() int { return len(p.Instance.workloads) }

// Name identifies the plan in messages.
func (p *Plan) Name() string {
	return fmt.Sprintf("%s %s/%s", p.Instance.Scenario.Name, p.Describe.Name, p.Guard.Name)
}
