package scenarios

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// covering watches a trial's runs for a coverage. It counts by index, since it is asked at every step of
// every run, and names nothing before somebody wants to know.
type covering struct {
	trial *Trial
	next  host.StepObserver

	steps  names // of the clients, the first of which is none
	kinds  names // of faults
	passed []bool
	hit    [][]int64 // by kind; as passed, by step and state

	least, kept slack
	aside       bool // nothing counts

	clients []covered
	promise []sim.Time // by hold: until when
}

// slack is the least that was left of a promise, of how many requests, and in the run of which seed.
type slack struct {
	left     time.Duration
	requests int64
	seed     uint64
}

func (s *slack) note(left time.Duration, seed uint64) {
	if s.requests == 0 || left < s.left {
		s.left, s.seed = left, seed
	}
	s.requests++
}

// of is the slack with the token of its run.
func (s *slack) of(p *Plan) Slack {
	if s.requests == 0 {
		return Slack{}
	}
	return Slack{s.left, s.requests, TokenOf(p, s.seed).String()}
}

// covered is where a client is.
type covered struct {
	step  int
	holds history.HoldID // that it believes in, 0 if none
}

// names gives each name a number. There are few, and most are looked up by the very string that is in
// the list, so that a walk is quicker than a map.
type names struct{ list []string }

func (n *names) of(name string) int {
	for i, has := range n.list {
		if has == name {
			return i
		}
	}
	n.list = append(n.list, name)
	return len(n.list) - 1
}

// cover makes the runs of a trial count for a coverage.
func (t *Trial) cover() {
	c := &covering{trial: t, next: t.fleet.Observer, clients: make([]covered, len(t.clients))}
	c.steps.of("")
	for _, f := range t.Plan.faults {
		for i := range f.Actions {
			c.kinds.of(string(f.Actions[i].Kind))
		}
	}
	t.fleet.Observer = c
	t.Recorder.Observers = append(t.Recorder.Observers, c)
	t.covering = c
}

// Covered returns what the runs have covered since it was asked last; nil if nobody watches.
func (t *Trial) Covered() *Coverage {
	c := t.covering
	if c == nil {
		return nil
	}
	all := c.coverage()
	clear(c.passed)
	for _, hit := range c.hit {
		clear(hit)
	}
	c.least, c.kept = slack{}, slack{}
	return all
}

// coverage names what was counted.
func (c *covering) coverage() *Coverage {
	all := NewCoverage(c.trial.Plan.Describe.Name)
	for _, kind := range c.kinds.list {
		all.kinds[kind] = true
	}
	for i, passed := range c.passed {
		if passed {
			all.passed[c.situation("", i).key()] = true
		}
	}
	for kind, hit := range c.hit {
		for i, n := range hit {
			if n > 0 {
				all.hit[c.situation(c.kinds.list[kind], i).key()] = n
			}
		}
	}
	for _, step := range c.trial.Plan.steps() {
		all.steps[step.Name] = true
	}
	all.Least, all.Kept = c.least.of(c.trial.Plan), c.kept.of(c.trial.Plan)
	return all
}

// situation names that of an index of passed and hit.
func (c *covering) situation(kind string, i int) Situation {
	return Situation{kind, c.steps.list[i/len(holdStates)], holdStates[i%len(holdStates)]}
}

func (c *covering) reset() {
	clear(c.clients)
	c.promise = c.promise[:0]
	for i := range c.clients {
		c.pass(i)
	}
}

// pass notes where a client is: at a new step, or in a new state.
func (c *covering) pass(client int) int {
	i := c.indexOf(&c.clients[client])
	c.passed = reaching(c.passed, i)
	c.passed[i] = c.passed[i] || !c.aside
	return i
}

// ReachedStep implements [host.StepObserver].
func (c *covering) ReachedStep(h *host.Host, p *host.Process, step string) {
	if client := c.trial.clientOn(h, p); client >= 0 {
		c.clients[client].step = c.steps.of(step)
		c.pass(client)
	}
	if c.next != nil {
		c.next.ReachedStep(h, p, step)
	}
}

// Heeds implements [host.StepHeeder]. Where a client has been is noted once.
func (c *covering) Heeds(h *host.Host, p *host.Process, step string) bool {
	next, tells := c.next.(host.StepHeeder)
	return c.next != nil && (!tells || next.Heeds(h, p, step))
}

// reaching is a list that has an index.
func reaching[T any](list []T, i int) []T {
	for len(list) <= i {
		var none T
		list = append(list, none)
	}
	return list
}

// clientOn is the client whose process runs on a host: the only one there, or the one of that name.
func (t *Trial) clientOn(h *host.Host, p *host.Process) int {
	found := -1
	for i, on := range t.env.Clients {
		switch {
		case on != h:
		case p.Name == t.names[i]:
			return i
		default:
			found = i
		}
	}
	return found
}

// indexOf is that of the step and the state of a client.
func (c *covering) indexOf(at *covered) int { return at.step*len(holdStates) + c.stateOf(at) }

// stateOf is an index of the hold states.
func (c *covering) stateOf(at *covered) int {
	switch {
	case at.holds == 0:
		return 0
	case c.trial.world.Now() < c.until(at.holds):
		return 1
	}
	return 2
}

func (c *covering) until(hold history.HoldID) sim.Time {
	if int(hold) < len(c.promise) {
		return c.promise[hold]
	}
	return 0
}

// Observe implements [history.Observer].
func (c *covering) Observe(r *history.Record) {
	switch r.Kind {
	case history.Grant, history.Promise:
		c.promise = reaching(c.promise, int(r.Hold))
		c.promise[r.Hold] = r.Until
	case history.BeliefBegin:
		c.hold(r.Executor.Client(), r.Hold)
	case history.BeliefEnd, history.Crash:
		c.hold(r.Executor.Client(), 0)
	case history.Request:
		c.request(r)
	case history.Fault:
		c.fault(r)
	}
}

func (c *covering) hold(client int, hold history.HoldID) {
	c.clients[client].holds = hold
	c.pass(client)
}

// request measures what is left of a promise when its holder sends.
func (c *covering) request(r *history.Record) {
	until := c.until(r.Hold)
	if c.clients[r.Executor.Client()].holds != r.Hold || until == 0 || until == sim.Forever || c.aside {
		return
	}
	left, seed := until.Sub(r.At), c.trial.seed
	c.least.note(left, seed)
	if left >= 0 {
		c.kept.note(left, seed)
	}
}

// fault notes where the clients are that a fault reaches, or all of them if it strikes a server.
func (c *covering) fault(r *history.Record) {
	if r.Value == history.NoLine || c.aside {
		return
	}
	kind := c.kinds.of(r.Fault)
	c.hit = reaching(c.hit, kind)
	for i := range c.clients {
		if r.Struck != 0 && !r.Struck.Has(i) {
			continue
		}
		at := c.pass(i) // its promise may have run out since it passed the step
		c.hit[kind] = reaching(c.hit[kind], at)
		c.hit[kind][at]++
	}
}
