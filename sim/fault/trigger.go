package fault

import (
	"fencepost/sim"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// Trigger says when a fault fires. Mode tells which of the fields count.
type Trigger struct {
	Mode Mode
	// Time is the instant (at) or the gap from one firing to the next (every).
	Time rng.Dist
	// From and Until bound the instants of the firings of every, Times their number;
	// zero is no bound.
	From, Until sim.Time
	Times       int
	// Step is the named point of a client's code (when), Client whose, or -1 for
	// anybody's.
	Step   string
	Client int
	// Nth is which time it counts; 0 is each time.
	Nth int
	// Chance is with what probability it then fires.
	Chance rng.Chance
	// After is how long after the step it strikes.
	After rng.Dist
}

// Mode is the kind of a trigger.
type Mode uint8

const (
	At Mode = iota
	Every
	When
)

// arm schedules what of a fault's firings is drawn before the run.
func (i *Injector) arm(k int) {
	switch t := &i.plan[k].Trigger; t.Mode {
	case At:
		s := i.stream("fault.at", k, 0)
		i.schedule(kindFire, k, 0, sim.Time(0).Add(t.Time.Sample(&s)))
	case Every:
		i.armNext(k, 0, t.From, t.From)
	}
}

// armNext schedules the n-th firing of a fault that fires again and again: a gap after the
// last firing, and no sooner after the end of its window than the minimum stay. The gap is
// drawn by its number alone, so the instants are the same whatever the run does.
func (i *Injector) armNext(k, n int, last, end sim.Time) {
	f := &i.plan[k]
	t := &f.Trigger
	if t.Times > 0 && n == t.Times {
		return
	}
	s := i.stream("fault.every", k, n)
	gap := i.swarm.stretch(f, t.Time.Sample(&s))
	next := last.Add(max(gap, 1)) // a gap of nothing would never let time pass
	if f.Stay > 0 {
		next = max(next, end.Add(f.Stay))
	}
	if t.Until > 0 && next >= t.Until || next == sim.Forever {
		return
	}
	i.schedule(kindFire, k, n, next)
}

// ReachedStep implements [host.StepObserver].
func (i *Injector) ReachedStep(h *host.Host, p *host.Process, step string) {
	for k := range i.plan {
		f := &i.plan[k]
		t := &f.Trigger
		if t.Mode != When || t.Step != step || i.off(k) || !i.runs(t.Client, h, p) {
			continue
		}
		n := i.reached[k]
		i.reached[k]++
		if t.Nth > 0 && n+1 != t.Nth || !i.chosen(k, n) {
			continue
		}
		i.strikeAfterStep(k, n)
	}
}

// Heeds implements [host.StepHeeder]: a fault is tied to the step, or counts how often it is reached.
func (i *Injector) Heeds(h *host.Host, p *host.Process, step string) bool {
	for k := range i.plan {
		t := &i.plan[k].Trigger
		if t.Mode == When && t.Step == step && !i.off(k) && i.runs(t.Client, h, p) && (t.Nth == 0 || i.reached[k] < t.Nth) {
			return true
		}
	}
	return false
}

// strikeAfterStep strikes at once, so that it is in force when the step takes effect, or
// after the drawn delay.
func (i *Injector) strikeAfterStep(k, n int) {
	s := i.stream("fault.after", k, n)
	if d, constant := i.plan[k].Trigger.After.IsConstant(); constant && d == 0 {
		i.fire(k, n)
	} else {
		i.schedule(kindFire, k, n, i.fleet.World.Now().Add(i.plan[k].Trigger.After.Sample(&s)))
	}
}

// chosen draws whether a fault with a probability fires.
func (i *Injector) chosen(k, n int) bool {
	f := &i.plan[k]
	s := i.stream("fault.chance", k, n)
	chance := i.swarm.scale(f, f.Trigger.Chance)
	fires := chance.Sample(&s)
	if f.Rare && i.bias != nil {
		fires = i.bias.Chance(chance, fires)
	}
	return fires
}

// runs reports whether a process is the client, or works for it. Threads of one
// process share a host, so there only the name tells them apart.
func (i *Injector) runs(client int, h *host.Host, p *host.Process) bool {
	if client < 0 {
		return true
	}
	if i.clients[client] != h {
		return false
	}
	shared := len(i.clients) > 1 && i.clients[0] == i.clients[1]
	return !shared || p.Name == i.names[client]
}
