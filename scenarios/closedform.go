package scenarios

import (
	"slices"
	"time"

	"fencepost/checker"
	"fencepost/models/client"
	"fencepost/sim/rng"
)

// closedForm works out violation rates without simulating, for the one setting in which
// that is possible: two clients with one cycle each and fixed times of work, the first
// of which starts at once and the second before it is done, a lease
// that is a TTL which nobody renews, and one pause of client 1. Messages and retries
// take no time in it.
//
// If the pause falls on one step, the rate of exclusion is P(pause > T_valid), where
// T_valid is what is left of the lease then. Otherwise it is the integral over the
// pause's instant, of which P(pause > T_valid) for some one instant would be a lower
// bound.
type closedForm struct {
	locks []string
	pause rng.Dist
	at    rng.Dist // instant of the pause since client 1's grant
}

// closedPart says for which locks the rates can be worked out, and from what.
type closedPart struct {
	Locks []*scalar `yaml:"locks"`
	Pause *scalar   `yaml:"pause"`
	At    *scalar   `yaml:"at"`
	at    spot
}

func (closedPart) describe() mapping {
	return mapping{
		name: "closed form",
		about: "A sweep then shows the computed rate of `exclusion` and `resource` beside the simulated one, without a guard. " +
			"It does so only for two clients with one cycle each, constant times of work and `check: never`. " +
			"The scenario's author answers for the rest: nothing renews the lease, and client 1 is paused once, as described. See [the closed form](results.md#the-closed-form).",
		keys: []key{
			{name: "locks", takes: lockName, needed: true, least: 1, doc: "locks for which the rate can be worked out"},
			{name: "pause", takes: distribution, needed: true, doc: "length of the one pause of client 1"},
			{name: "at", takes: distribution, needed: true, doc: "its instant since client 1's grant"},
		},
	}
}

func (in *Instance) readClosedForm(r *reader) *closedForm {
	part := in.Scenario.file.Closed
	if part == nil {
		return nil
	}
	c := &closedForm{pause: r.dist(part.Pause, rng.Constant(0)), at: r.dist(part.At, rng.Constant(0))}
	for _, s := range part.Locks {
		c.locks = append(c.locks, r.word(s, "", in.registry.Names()))
	}
	if !part.Pause.set() || !part.At.set() || len(c.locks) == 0 {
		r.fail(part.at.scalar(), "a closed form needs `locks:`, `pause:` and `at:`")
	}
	fixed := len(in.workloads) == 2 && in.workloads[0].Start == 0
	for _, w := range in.workloads {
		fixed = fixed && w.Cycles == 1 && w.Check == client.CheckNever && w.Renew == 0
		for _, d := range []rng.Dist{w.BeforeRead, w.Between, w.AfterWrite} {
			_, constant := d.IsConstant()
			fixed = fixed && constant
		}
	}
	if !fixed {
		return nil // with these parameters there is none
	}
	return c
}

// ClosedForm is the rate of a property that the scenario's closed form gives for the
// plan, and false if it has none.
func (p *Plan) ClosedForm(property string) (rate float64, ok bool) {
	c := p.Instance.closed
	if c == nil || !slices.Contains(c.locks, p.Describe.Name) || p.Guard.Name != "none" {
		return 0, false
	}
	if property != checker.Exclusion && property != checker.ResourceName {
		return 0, false
	}
	instants := quantiles(c.at)
	pauses := newLadder(c.pause)
	for _, at := range instants {
		q, _ := pauses.integrate(func(pause time.Duration) (bool, error) {
			exclusion, resource := p.Instance.without(at, pause, p.Params.Duration("ttl"))
			return (property == checker.Exclusion && exclusion) || (property == checker.ResourceName && resource), nil
		})
		rate += q
	}
	return rate / float64(len(instants)), true
}

// without is what happens to the two clients when a pause of some length strikes the
// first at an instant, worked out with pencil and paper.
func (in *Instance) without(at, pause, ttl time.Duration) (exclusion, resource bool) {
	one, two := in.workloads[0], in.workloads[1]
	shift := func(t time.Duration) time.Duration { // a pause delays what comes after it
		if t > at {
			return t + pause
		}
		return t
	}
	read1 := fixed(one.BeforeRead)
	write1 := read1 + fixed(one.Between)
	end1 := write1 + fixed(one.AfterWrite)
	if at == write1 { // placed on the step that sends the write
		at--
	}
	read1, write1, end1 = shift(read1), shift(write1), shift(end1)
	granted2 := max(two.Start, min(end1, ttl))
	read2 := granted2 + fixed(two.BeforeRead)
	write2 := read2 + fixed(two.Between)
	// Both believe if client 2 is granted before client 1 ends. An update is lost if
	// each read before the other wrote.
	return granted2 < end1, read1 < write2 && read2 < write1
}

func fixed(d rng.Dist) time.Duration {
	v, _ := d.IsConstant()
	return v
}

// quantileCount is how finely a distribution is cut. Where what happens changes once from short to long,
// as it does here, the midpoint rule is off by half a slice at most: by 0.001.
const quantileCount = 500

// quantiles returns values of equal weight that stand for a distribution: the middle of
// each of many slices of equal probability.
func quantiles(d rng.Dist) []time.Duration {
	if v, ok := d.IsConstant(); ok {
		return []time.Duration{v}
	}
	values := make([]time.Duration, quantileCount)
	for i := range values {
		above := 1 - (float64(i)+0.5)/quantileCount
		values[i] = d.Exceeded(above)
	}
	return values
}
