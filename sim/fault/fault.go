// Package fault is what goes wrong: faults as data, the triggers that fire them and
// the ledger of what took effect.
//
// # Plans
//
// A plan is a list of faults. A fault has one trigger and one action or, if it is a
// joint fault, several that strike in the same instant: a hypervisor that stops a guest
// and leaves its clock behind, a shared disk that stalls for every host on it. Each
// action is a line of the ledger.
//
// # Triggers
//
// A fault that fires at drawn instants is drawn from streams that the run cannot
// advance, so that every lock meets it at the same instants of true time. A fault that
// is placed on a step fires when a client reaches that step.
//
// # Layers
//
// A fault belongs to the scripted layer or to the random one, and neither undoes what
// the other did: each strike lifts only what it imposed itself. A link heals, and a
// disk recovers, when the last strike on it ends; a host restarts when no crash keeps it
// down; the rates that two layers give a clock add up, where within one layer the latest
// holds.
package fault

import (
	"time"

	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Layer says who wrote a fault.
type Layer uint8

const (
	// Scripted faults are the story of a scenario: each has to take effect.
	Scripted Layer = iota
	// Random faults are its weather: they may or may not strike.
	Random

	layers
)

// Fault is one entry of a plan: when it fires, and all that strikes in that instant.
type Fault struct {
	// Key is the fault's own place in the plan that its author wrote. All its draws are
	// keyed by it, so that it meets every lock in the same way, whatever other faults a
	// lock has or lacks.
	Key     uint64
	Layer   Layer
	Trigger Trigger
	Actions []Action
	// Length is how long an action lasts that has no length of its own.
	Length rng.Dist
	// Stay is the least time for which a drawn state holds: no window of the fault is
	// shorter, and nor is the gap to the next firing.
	Stay time.Duration
	// Rare says that whoever estimates small probabilities may draw its lengths and firings
	// otherwise.
	Rare bool
}

// RareLengths are the distributions of the lengths that a bias may draw otherwise.
func (f *Fault) RareLengths() (list []rng.Dist) {
	if !f.Rare {
		return nil
	}
	all := []rng.Dist{f.Length}
	for i := range f.Actions {
		all = append(all, f.Actions[i].Length)
	}
	for _, d := range all {
		if _, constant := d.IsConstant(); !constant {
			list = append(list, d)
		}
	}
	return list
}

// Action is what a fault does to one target.
type Action struct {
	Kind   Kind
	Target Target
	// Length is how long it lasts, if Own says that it does not share the fault's.
	Length rng.Dist
	Own    bool
	// Forever makes it last to the end of the run.
	Forever bool
	// By is how far a clock is moved, RatePPB how much faster it runs.
	By      Shift
	RatePPB int64
	// WallOnly freezes the wall clock and leaves the monotonic one alone.
	WallOnly bool
	// Network says what becomes of messages, and Peers are the other ends of the links;
	// without any they are all other hosts.
	Network Disturbance
	Peers   []Target
	// Op is the class of the message to hold; nil is any.
	Op *network.Op
	// Lost is what a crash takes along. The host comes back when the strike ends.
	Lost host.Lost
	// Quota is the CPU time that a throttled host has in each Period.
	Quota, Period time.Duration
	// Fsync is what a slow disk takes.
	Fsync rng.Dist
	// Service has a record removed by the service, whatever server that is done on; the target
	// stands for all of them.
	Service bool
	// Label names the action in results: "pause client 1". If the peers are all servers but
	// the struck one, Rest is the end of the label that says so.
	Label, Rest string
}

// Target finds the host that an action strikes. It is asked when the fault fires: a role
// such as the leader may have moved.
type Target interface {
	// Find returns the host, and the index of the client that it stands for or -1. It
	// returns nil if nobody has the role now. A random target draws from the stream,
	// and the same from the same stream.
	Find(s *rng.Stream) (h *host.Host, client int)
}

// Shift is a signed amount of time.
type Shift struct {
	Amount rng.Dist
	// Sign is +1 or -1; 0 draws it.
	Sign int
	// Whole makes the amount the length of the strike.
	Whole bool
}

// draw returns an amount for a strike of a length.
func (b *Shift) draw(s *rng.Stream, length time.Duration) time.Duration {
	amount := length
	if !b.Whole {
		amount = b.Amount.Sample(s)
	}
	if b.Sign < 0 || b.Sign == 0 && s.Ratio(1, 2) {
		return -amount
	}
	return amount
}

// Disturbance is what happens to the messages of a link.
type Disturbance struct {
	Direction Direction
	// Rule holds what the messages suffer; its ends are filled in when the fault fires.
	Rule network.Rule
}

// Direction of a disturbance, as the target sees it.
type Direction uint8

const (
	Both Direction = iota
	Out            // what the target sends
	In             // what it gets
)

// Entry is a line of the ledger: what became of one action of the plan.
type Entry struct {
	Label string `json:"label"`
	Layer Layer  `json:"layer"`
	// Fired counts how often the trigger fired, TookEffect how often that made a
	// difference, whatever came of it: the clock reads differently, the pause
	// covered a due event or a step, the cut link was offered a message, the hold
	// caught one, the crash found a running host.
	Fired      int `json:"fired"`
	TookEffect int `json:"took_effect"`
	// TouchedHolder counts how often it reached a client while that believed to hold
	// the lock. Whoever knows about beliefs fills it in.
	TouchedHolder int `json:"touched_holder"`
	// Off says that the swarm had switched the kind off.
	Off bool `json:"off,omitempty"`
}
