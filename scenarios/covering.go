package scenarios

import (
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// covering watches one trial's runs for a coverage. What it finds new in a run is in fresh until
// that is taken.
type covering struct {
	trial *Trial
	next  host.StepObserver
	fresh *Coverage

	steps   map[string]int // by name
	names   []string
	passed  []bool // by step and state
	clients []covered
	promise []sim.Time // by hold: until when
}

// covered is where a client is.
type covered struct {
	step  int
	holds history.HoldID // that it believes in, 0 if none
}

// cover makes the runs of a trial count for a coverage.
func (t *Trial) cover() {
	c := &covering{trial: t, next: t.fleet.Observer, fresh: NewCoverage(t.Plan.Describe.Name), steps: map[string]int{}, clients: make([]covered, len(t.clients))}
	c.stepOf("")
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
	fresh := c.fresh
	c.fresh = NewCoverage(t.Plan.Describe.Name)
	for _, f := range t.Plan.faults {
		for i := range f.Actions {
			fresh.kinds[string(f.Actions[i].Kind)] = true
		}
	}
	if fresh.Requests > 0 {
		fresh.SlackRun = TokenOf(t.Plan, t.seed).String()
	}
	return fresh
}

func (c *covering) reset() {
	clear(c.clients)
	c.promise = c.promise[:0]
}

func (c *covering) stepOf(name string) int {
	i, ok := c.steps[name]
	if !ok {
		i = len(c.names)
		c.steps[name] = i
		c.names = append(c.names, name)
		c.passed = append(c.passed, make([]bool, len(holdStates))...)
	}
	return i
}

// ReachedStep implements [host.StepObserver].
func (c *covering) ReachedStep(h *host.Host, p *host.Process, step string) {
	if client := c.trial.clientOn(h, p); client >= 0 {
		at := &c.clients[client]
		at.step = c.stepOf(step)
		state := c.stateOf(at)
		if seen := &c.passed[at.step*len(holdStates)+state]; !*seen {
			*seen = true
			c.fresh.passed[Situation{Step: step, State: holdStates[state]}.key()] = true
		}
	}
	if c.next != nil {
		c.next.ReachedStep(h, p, step)
	}
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
		for len(c.promise) <= int(r.Hold) {
			c.promise = append(c.promise, 0)
		}
		c.promise[r.Hold] = r.Until
	case history.BeliefBegin:
		c.clients[r.Executor.Client()].holds = r.Hold
	case history.BeliefEnd, history.Crash:
		c.clients[r.Executor.Client()].holds = 0
	case history.Request:
		c.request(r)
	case history.Fault:
		c.fault(r)
	}
}

// request measures what is left of a promise when its holder sends.
func (c *covering) request(r *history.Record) {
	until := c.until(r.Hold)
	if c.clients[r.Executor.Client()].holds != r.Hold || until == 0 || until == sim.Forever {
		return
	}
	if slack := until.Sub(r.At); c.fresh.Requests == 0 || slack < c.fresh.Slack {
		c.fresh.Slack = slack
	}
	c.fresh.Requests++
}

// fault notes where the clients are that a fault reaches, or all of them if it strikes a server.
func (c *covering) fault(r *history.Record) {
	if r.Value == history.NoLine {
		return
	}
	for i := range c.clients {
		if r.Struck != 0 && !r.Struck.Has(i) {
			continue
		}
		at := &c.clients[i]
		c.fresh.hit[Situation{r.Fault, c.names[at.step], holdStates[c.stateOf(at)]}.key()]++
	}
}
