package fault

import (
	"strconv"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Injector carries out a plan in a world and keeps the ledger.
type Injector struct {
	// Ledger has a line for each action of the plan, in its order.
	Ledger []Entry
	// Full says that the run was stopped because [MaxFirings] was reached.
	Full bool
	// Gone, if set, is told of a host that a crash has taken down for good.
	Gone func(h *host.Host)
	// Length, if set, may put another length in the place of one of a rare fault.
	Length func(drawn time.Duration) time.Duration
	// Remove carries out faults of the kind [Remove]; a plan with one needs it.
	Remove Remover

	fleet    *host.Fleet
	recorder *history.Recorder
	target   sim.TargetID
	plan     []Fault
	line     []int // of the ledger, of each fault's first action
	clients  []*host.Host
	names    []string // process names of the clients
	crew     Crew
	seed     uint64
	swarm    swarm
	reached  []int // how often each fault's step was reached
	firings  int   // of all faults in this run
	strikes  pool
	states   []state // by host
	bias     *bias   // nil if what is rare is drawn as it is
}

// Event kinds of the injector. A firing has the fault's index as its slot and its own
// number as its generation; an end has the strike as its slot.
const (
	kindFire uint16 = iota
	kindEnd
)

// Crew is who is who in a world: the clients' hosts and their process names, by index, and the
// host of what the lock protects, nil if there is none. All others are the lock's servers.
type Crew struct {
	Hosts    []*host.Host
	Names    []string
	Resource *host.Host
	// Effects tells which effect a request of a class asks for; nil knows none.
	Effects func(op *network.Op) history.Effect
}

// NewInjector returns an injector of a plan. In swarm mode each seed chooses its own mix
// of the random layer's kinds.
func NewInjector(f *host.Fleet, r *history.Recorder, plan []Fault, crew Crew, swarming bool) *Injector {
	i := &Injector{fleet: f, recorder: r, plan: plan, clients: crew.Hosts, names: crew.Names, crew: crew,
		reached: make([]int, len(plan)), states: make([]state, len(f.Hosts)),
		swarm: swarm{on: swarming, weight: map[Kind]int{}}}
	for k := range plan {
		i.line = append(i.line, len(i.Ledger))
		for _, a := range plan[k].Actions {
			i.Ledger = append(i.Ledger, Entry{Label: a.Label, Layer: plan[k].Layer})
		}
	}
	i.target = f.World.Register(i)
	f.Observer = i
	return i
}

// Reset draws the instants of a new trial and schedules them.
func (i *Injector) Reset(seed uint64) {
	i.seed, i.firings, i.Full = seed, 0, false
	i.strikes.reset()
	for h := range i.states {
		i.states[h].reset()
	}
	clear(i.reached)
	if i.bias != nil {
		i.bias.Reset(seed)
	}
	i.swarm.draw(i)
	for k := range i.plan {
		off := i.off(k)
		for n := range i.plan[k].Actions {
			e := &i.Ledger[i.line[k]+n]
			e.Fired, e.TookEffect, e.TouchedHolder, e.Off = 0, 0, 0, off
		}
		if !off {
			i.arm(k)
		}
	}
}

// stream is the source of one kind of draw for the n-th firing of one fault.
func (i *Injector) stream(name string, k, n int) rng.Stream {
	return rng.New(rng.Hash(i.seed, rng.HashString(name), i.plan[k].Key)+uint64(n), i.fleet.World.Digest())
}

// part is the name of a draw of one action of a fault: the actions of a joint fault draw
// apart what they do not share.
func part(name string, action int) string {
	if action == 0 {
		return name
	}
	return name + "/" + strconv.Itoa(action)
}

// key keys the noise that a strike makes.
func (i *Injector) key(name string, s *strike) uint64 {
	return rng.Hash(i.seed, rng.HashString(name), i.plan[s.fault].Key, uint64(s.line-i.line[s.fault]), uint64(s.number))
}

func (i *Injector) schedule(kind uint16, slot, number int, at sim.Time) {
	i.fleet.World.Schedule(sim.ClassFault, sim.Event{
		At: at, Target: i.target, Kind: kind, Slot: int32(slot), Gen: uint32(number)})
}

// Fire implements [sim.Target].
func (i *Injector) Fire(e sim.Event) {
	if e.Kind == kindEnd {
		i.end(i.strikes.list[e.Slot])
		return
	}
	k, n := int(e.Slot), int(e.Gen)
	until := i.fire(k, n)
	if i.plan[k].Trigger.Mode == Every {
		i.armNext(k, n+1, i.fleet.World.Now(), until)
	}
}

// MaxFirings bounds how often the faults of a run may fire, since each firing is kept in
// its record.
const MaxFirings = 100_000

// fire lets every action of a fault strike, and returns when the last of them ends.
func (i *Injector) fire(k, n int) (until sim.Time) {
	f, now := &i.plan[k], i.fleet.World.Now()
	if i.firings++; i.firings > MaxFirings {
		i.Full = true
		i.fleet.World.Stop()
		return now
	}
	s := i.stream("fault.length", k, n)
	shared := max(i.rareLength(k, -1, f.Length, f.Length.Sample(&s)), f.Stay)
	for a := range f.Actions {
		length := shared
		if action := &f.Actions[a]; action.Own {
			s := i.stream(part("fault.length", a), k, n)
			length = max(i.rareLength(k, a, action.Length, action.Length.Sample(&s)), f.Stay)
		}
		until = max(until, now.Add(length))
		i.strike(k, a, n, length)
	}
	return until
}

// strike lets one action strike its target.
func (i *Injector) strike(k, a, n int, length time.Duration) {
	action := &i.plan[k].Actions[a]
	// All random targets of a firing come from one stream: the actions of a joint fault
	// that say "random" mean one host.
	pick := i.stream("fault.target", k, n)
	h, client := action.Target.Find(&pick)
	if h == nil {
		return // a role that nobody has now: it did not fire
	}
	until := i.fleet.World.Now().Add(length)
	if action.Forever {
		until = sim.Forever
	}
	s := i.strikes.get()
	s.fault, s.number, s.line, s.action = k, n, i.line[k]+a, action
	s.host, s.client, s.length, s.until = h, client, length, until
	i.findPeers(s)
	i.Ledger[s.line].Fired++
	i.drawShift(s)
	i.record(s)
	behaviours[action.Kind].begin(i, s)
	switch {
	case until == sim.Forever:
	case length > 0:
		i.schedule(kindEnd, s.slot, 0, until)
	default:
		i.end(s)
	}
}

// drawShift draws how far a clock moves. It does so before the record tells of it.
func (i *Injector) drawShift(s *strike) {
	switch s.action.Kind {
	case ClockStep, ClockSlew:
		draw := i.stream(part("fault.by", s.line-i.line[s.fault]), s.fault, s.number)
		s.by = s.action.By.draw(&draw, s.length)
	}
}

// end lifts what a strike imposed and closes its account. What a host does by itself at
// that instant, such as resuming, it has done: its own event was scheduled first.
func (i *Injector) end(s *strike) {
	if end := behaviours[s.action.Kind].end; end != nil {
		end(i, s)
		i.trace(s, "fault-end", s.action.Label)
	}
	i.judge(s)
	i.strikes.put(s)
}

func (i *Injector) judge(s *strike) {
	if behaviours[s.action.Kind].judge(s) {
		i.Ledger[s.line].TookEffect++
	}
}

// Finish completes the ledger at the end of a run, with the strikes that are in force.
func (i *Injector) Finish() {
	for _, s := range i.strikes.list {
		if s.open {
			i.judge(s)
			s.open = false
		}
	}
	i.countRemovals()
}
