package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost/models"
	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/fault"
	"fencepost/sim/rng"
)

// faultReader reads the faults of a scenario for one lock. Targets are read as roles,
// before the world exists in which they are hosts. A fault that this lock cannot have is
// not an error: it makes the lock n/a, with the reason.
type faultReader struct {
	*reader
	lock    models.Description
	disk    bool // of the servers
	servers int
	elected bool
	clients int
	known   *models.Registry
	marks   bool          // clients send one
	asks    bool          // the resource asks the service about tokens
	of      resource.Kind // what the lock protects
	until   time.Duration // the run's end
	// takeover is the lock's, with the parameters of the run.
	takeover time.Duration
	params   models.Params
	missing  missing
}

// dist reads a length; one may be a share of what the lock takes its time for.
func (r *faultReader) dist(s *scalar, def rng.Dist) rng.Dist {
	share, of, ok := strings.Cut(r.text(s), "% of ")
	if !ok {
		return r.reader.dist(s, def)
	}
	percent, err := strconv.ParseUint(share, 10, 16)
	if err != nil {
		r.fail(s, "%q is no share of the %s: write a whole number of percent, such as 150%% of takeover", r.text(s), of)
	}
	r.nothing(s, err == nil && percent == 0, "write 0s, if that is what is meant")
	whole, p := r.whole(s, of), time.Duration(percent)
	return rng.Constant(whole/100*p + whole%100*p/100)
}

// whole is what a length is a share of: the lock's takeover, or one of its parameters of time.
func (r *faultReader) whole(s *scalar, name string) time.Duration {
	if name == "takeover" {
		return r.takeover
	}
	if hasDuration(r.lock, name) {
		return r.params.Duration(name)
	}
	if !slices.ContainsFunc(r.known.Locks(), func(l models.Lock) bool { return hasDuration(l.Describe(), name) }) {
		r.fail(s, "%q is not known here; accepted: takeover, or a parameter of a lock system that is a duration, such as ttl", name)
	}
	r.lacks(s, "%s has no %s", r.lock.Name, name)
	return 0
}

func hasDuration(d models.Description, name string) bool {
	return slices.ContainsFunc(d.Params, func(p models.Param) bool { return p.Name == name && p.Unit == models.Duration })
}

// missing says why a lock cannot have a fault, and where the fault asks for it.
type missing struct {
	why   string
	at    *scalar
	step  bool // it is a step that is missing
	guard bool // with another guard the lock could have it
}

func (r *faultReader) lacks(at *scalar, format string, args ...any) {
	if r.missing.why == "" {
		r.missing = missing{why: fmt.Sprintf(format, args...), at: at}
	}
}

// guardLacks is lacks for what clients or the resource do for some guards alone.
func (r *faultReader) guardLacks(at *scalar, format string, args ...any) {
	r.lacks(at, format, args...)
	r.missing.guard = r.missing.at == at
}

func (r *faultReader) fault(p *faultPart, layer fault.Layer) fault.Fault {
	f := fault.Fault{Layer: layer, Length: r.dist(p.For, rng.Constant(0)), Stay: r.duration(p.Stay, 0, 0)}
	kinds := p.Kinds.given()
	switch {
	case len(kinds) == 1 && len(p.Joint) == 0:
	case len(kinds) == 0 && len(p.Joint) > 1:
		kinds = r.joint(p)
	case len(p.Joint) == 1:
		r.fail(p.at.scalar(), "a joint fault has two parts or more")
	default:
		r.fail(p.at.scalar(), "a fault has exactly one kind, or several parts under `joint:`; %s", oneOf(kindNames()))
		return f
	}
	r.trigger(p, &f.Trigger)
	r.lasting(p, kinds)
	for _, g := range kinds {
		f.Actions = append(f.Actions, r.action(p, g))
	}
	f.Rare = r.flag(p.Rare, false)
	certain := f.Trigger.Mode != fault.When || f.Trigger.Chance.Num == f.Trigger.Chance.Den
	if f.Rare && r.missing.why == "" && certain && len(f.RareLengths()) == 0 && !reference.MatchString(p.Rare.text) {
		r.fail(p.Rare, "`rare: true` says nothing: neither the length of the fault nor whether it fires is random")
	}
	return f
}

// lasting refuses lengths where nothing lasts.
func (r *faultReader) lasting(p *faultPart, kinds []given) {
	lasts := false
	for _, g := range kinds {
		k, by := findKind(g.kind), g.action.By
		whole := by.set() && strings.TrimLeft(r.text(by), "+-±") == "for"
		lasts = lasts || whole || slices.Contains(k.Needs, "for") || slices.Contains(k.Takes, "for")
		if whole && !p.For.set() {
			r.fail(by, "`by: for` is the length of the fault, which has none: give the fault `for:`")
		}
	}
	if s := p.For; s.set() && !lasts {
		r.fail(s, "nothing in this fault lasts, so `for:` says nothing; a crashed host comes back with `restart:`")
	}
	whole := r.dist(p.For, rng.Constant(0)) // it may be a share of what the lock has not
	r.nothing(p.For, r.missing.why == "" && isZero(whole), "what lasts no time does nothing")
	if s := p.Stay; s.set() && !lasts && !p.Every.set() {
		r.fail(s, "nothing in this fault lasts or comes again, so `stay:` says nothing")
		return
	}
	r.stays(p, kinds)
}

// joint returns the kinds of a joint fault, one for each part.
func (r *faultReader) joint(p *faultPart) (kinds []given) {
	for i := range p.Joint {
		part := p.Joint[i].given()
		if len(part) != 1 {
			r.fail(p.at.scalar(), "part %d of the joint fault has %d kinds: give each part exactly one", i+1, len(part))
			return nil
		}
		kinds = append(kinds, part[0])
	}
	return kinds
}

// action reads one kind with its target and its fields.
func (r *faultReader) action(p *faultPart, g given) fault.Action {
	k, a := findKind(g.kind), g.action
	r.fields(p, k, a)
	at := r.target(p, k, a)
	f := fault.Action{Kind: fault.Kind(k.Name), Target: at}
	var places []*scalar
	f.Peers, places = r.peers(a)
	f.Label = fmt.Sprintf("%s %s", k.Name, r.describe(at))
	if f.Kind == fault.Remove {
		f.Label, f.Service = "remove the lock's record", at.role == roleService
		if !f.Service {
			f.Label += " at " + r.describe(at)
		}
	}
	r.able(k, a, at)
	f.Length, f.Own = r.dist(a.For, rng.Constant(0)), a.For.set()
	r.nothing(a.For, r.missing.why == "" && isZero(f.Length), "what lasts no time does nothing")
	f.Forever = slices.Contains(k.Takes, "for") && !a.For.set() && !p.For.set()
	if k.read != nil {
		k.read(r, a, &f)
	}
	if op := f.Network.Rule.Op; op != nil {
		f.Label += " " + op.Name
	}
	for i, place := range places {
		one := at.role == roleClient || at.role == roleServer && r.servers > 0 || at.role == roleResource
		if r.missing.why == "" && f.Peers[i].(target) == at && one {
			r.fail(place, "%s has %s at both ends, and a host has no link to itself: name another host at one of them", k.Name, r.describe(at))
		}
	}
	f.Label += r.peerNames(a, at, &f)
	return f
}

// able makes the lock n/a for a kind that makes no difference to the target that it has.
func (r *faultReader) able(k *FaultKind, a *actionPart, at target) {
	where := a.Server
	if !where.set() {
		where = a.Host
	}
	switch kind := fault.Kind(k.Name); {
	case kind == fault.Remove:
		r.removable(a, at)
	case kind == fault.ClockStep && at.role.isServer() && r.lock.ServiceClock == "":
		r.lacks(where, "%s has no service clock", r.lock.Name)
	case kind == fault.Throttle && (at.role.isServer() || at.role == roleResource):
		r.fail(where, "throttle is for clients: what servers and the resource do takes no time")
	case kind == fault.Crash && at.role == roleResource && r.text(a.Lose) == "disk":
		r.fail(a.Lose, "the resource keeps its data: without them no update could be told from a lost one")
	case kind != fault.SlowDisk && kind != fault.DiskStall:
	case at.role.isServer() && !r.disk:
		r.lacks(where, "%s waits for no disk", r.lock.Name)
	case !at.role.isServer() && at.role != roleAnyHost:
		r.fail(anchorOfAction(a), "%s is for servers: nothing else waits for its disk", k.Name)
	}
}

// removable makes the lock n/a whose record nobody but a client can remove.
func (r *faultReader) removable(a *actionPart, at target) {
	switch {
	case at.role != roleService && !at.role.isServer():
		r.fail(anchorOfAction(a), "remove is for the service: give `server:`, or nothing for all of it")
	case r.lock.Removal == "":
		r.lacks(anchorOfAction(a), "%s", cmp.Or(r.lock.NoRemoval, r.lock.Name+" has no record that others can remove"))
	}
}

// fields refuses the fields that a kind does not take, and asks for those that it needs.
func (r *faultReader) fields(p *faultPart, k *FaultKind, a *actionPart) {
	values, takes := a.values(), k.fields()
	for _, name := range sortedKeys(values) {
		if !slices.Contains(takes, name) {
			r.fail(values[name], "%s does not take %q; it takes: %s", k.Name, name, strings.Join(takes, " "))
		}
	}
	at := anchorOfAction(a)
	if !at.set() {
		at = anchorOfFault(p)
	}
	for _, name := range k.Needs {
		if shared := name == "for" && p.For.set(); !shared && !values[name].set() {
			r.fail(at, "%s needs `%s:`", k.Name, name)
		}
	}
	if k.Name == string(fault.Cut) && len(a.Clients)+len(a.Servers)+len(a.Hosts) == 0 {
		r.fail(at, "cut needs the other ends of the links: give `servers:`, `clients:` or `hosts:`")
	}
}

// trigger reads "at", "every" or "when".
func (r *faultReader) trigger(p *faultPart, t *fault.Trigger) {
	given := 0
	for _, there := range []bool{p.At.set(), p.Every.set(), p.When != nil} {
		if there {
			given++
		}
	}
	if given != 1 {
		r.fail(p.at.scalar(), "a fault fires `at:` an instant, `every:` so often, or `when:` a client reaches a step: give one of them")
		return
	}
	for _, only := range []*scalar{p.From, p.Until, p.Times} {
		if only.set() && !p.Every.set() {
			r.fail(only, "`from:`, `until:` and `times:` bound the firings of `every:`, which this fault does not have")
		}
	}
	switch {
	case p.At.set():
		t.Mode, t.Time = fault.At, r.dist(p.At, rng.Constant(0))
		if at, fixed := t.Time.IsConstant(); fixed && at > r.until {
			r.fail(p.At, "the run ends at %v, before the fault would fire", r.until)
		}
	case p.Every.set():
		r.every(p, t)
	default:
		r.when(p, t)
	}
}

func (r *faultReader) every(p *faultPart, t *fault.Trigger) {
	t.Mode, t.Time = fault.Every, r.dist(p.Every, rng.Constant(0))
	if gap, constant := t.Time.IsConstant(); constant && gap == 0 {
		r.fail(p.Every, "a gap of 0s between two firings would never let time pass")
	}
	t.From = sim.Time(r.duration(p.From, 0, 0))
	t.Until = sim.Time(r.duration(p.Until, 0, 1))
	t.Times = r.count(p.Times, 0, 1)
	if p.Until.set() && t.Until <= t.From {
		r.fail(p.Until, "%v is not after `from:` (%v), so the fault would never fire", t.Until.Duration(), t.From.Duration())
	}
}

func (r *faultReader) when(p *faultPart, t *fault.Trigger) {
	w := p.When
	if !w.Step.set() || !w.Client.set() {
		r.fail(w.at.scalar(), "`when:` needs `client:` and `step:`")
		return
	}
	t.Mode, t.Client = fault.When, -1
	if r.text(w.Client) != "any" {
		t.Client = r.client(w.Client)
	}
	t.Step = r.step(w.Step)
	if !w.Nth.set() || r.text(w.Nth) != "every" {
		t.Nth = r.count(w.Nth, 1, 1)
	}
	t.Chance = rng.Chance{Num: 1, Den: 1}
	if w.Probability.set() {
		t.Chance = r.chance(w.Probability)
		r.nothing(w.Probability, t.Chance.Num == 0, "the fault never fires")
	}
	t.After = r.dist(w.After, rng.Constant(0))
}

func hasStep(steps []models.Step, name string) bool {
	return slices.ContainsFunc(steps, func(s models.Step) bool { return s.Name == name })
}

// step reads the name of a step. One that only other locks have makes this one n/a.
func (r *faultReader) step(s *scalar) string {
	name := r.text(s)
	if hasStep(client.MarkSteps, name) && !r.marks {
		r.guardLacks(s, "the guard wants no mark, so there is no step %q", name)
		return name
	}
	if hasStep(client.EffectSteps, name) && r.of != resource.Effect {
		r.fail(s, "there is no step %q: give `resource: {kind: %s}` too", name, resource.Effect)
		return name
	}
	if hasStep(client.Steps, name) || hasStep(client.MarkSteps, name) || hasStep(client.EffectSteps, name) || hasStep(r.lock.Steps, name) {
		return name
	}
	r.lacks(s, "%s has no step %q", r.lock.Name, name)
	r.missing.step = r.missing.at == s
	return name
}
