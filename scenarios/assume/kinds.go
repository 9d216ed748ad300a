// Package assume finds out what a lock system needs of the world: for each kind of fault, alone,
// the smallest one that breaks a property, and what its documentation says of that.
//
// Each kind is a variant of the scenario assume, which is embedded, so that what is found can be
// replayed. Its parameter `size` is the magnitude.
package assume

import (
	"fmt"

	"fencepost/models"
)

// scenario is the file of which each kind is a variant.
const scenario = "assume"

// minute is the variant in which client 1 works for a minute.
const minute = scenario + "/minute"

// Kind is one thing that goes wrong, of any magnitude.
type Kind struct {
	// Name is that of the variant.
	Name string
	// What says in a few words what goes wrong.
	What string
	// Group is what the kind is a form of.
	Group string

	scale *scale
	// control is the same work with nothing that goes wrong; empty if the work is what is varied.
	control string
	// wants says which lock systems have the part that is struck; nil is all.
	wants func(d *models.Description) bool
}

// Groups of kinds.
const (
	Delay    = "message delay"
	Pause    = "process pause"
	Rate     = "clock rate"
	Step     = "clock step"
	Storage  = "lost storage"
	Failover = "failover"
	Signals  = "ignored signals"
	Overrun  = "overrun"
)

// Kinds are all of them. Servers with a leader are struck at the leader, others at the first one;
// of those that decide by a majority without a leader, three are struck at once, too.
var Kinds = []Kind{
	{"write-delay", "client 1's write is under way for that long", Delay, spans, scenario, nil},
	{"lock-delay", "each message between client 1 and the lock's servers takes that much longer", Delay, delays, scenario, served},
	{"lock-delay-held", "as lock-delay, once client 1 has the lock, with work of a minute", Delay, delays, minute, served},
	{"pause", "client 1's process stops for that long between its check and its write", Pause, spans, scenario, nil},
	{"pause-acquiring", "client 1's process stops when it has the replies to its acquire and has looked at none", Pause, spans, scenario, nil},
	{"holder-clock-slow", "client 1's clocks are that much slower, with work of a minute", Rate, rates, minute, nil},
	{"waiter-clock-fast", "client 2's clocks are that much faster", Rate, rates, scenario, nil},
	{"server-clock-fast", "a server's clocks are that much faster", Rate, rates, scenario, and(leaderless, timed)},
	{"leader-clock-fast", "the leader's clocks are that much faster", Rate, rates, scenario, and(led, timed)},
	{"majority-clock-fast", "three servers' clocks are that much faster", Rate, rates, scenario, and(voting, timed)},
	{"server-clock-step", "a server's wall clock jumps ahead by that much", Step, spans, scenario, and(leaderless, timed)},
	{"leader-clock-step", "the leader's wall clock jumps ahead by that much", Step, spans, scenario, and(led, timed)},
	{"majority-clock-step", "three servers' wall clocks jump ahead by that much", Step, spans, scenario, and(voting, timed)},
	{"holder-clock-step", "client 1's wall clock is set back by that much while it acquires", Step, spans, scenario, nil},
	{"waiter-clock-step", "client 2's wall clock jumps ahead by that much while it waits", Step, spans, scenario, nil},
	{"server-loss", "a server crashes and is back at once, without its memory, what it had not synced, or its disk", Storage, losses, scenario, leaderless},
	{"leader-loss", "the same of the leader", Storage, losses, scenario, led},
	{"majority-loss", "the same of three servers at once", Storage, losses, scenario, voting},
	{"leader-crash", "the leader loses its power and is back after that long", Failover, spans, scenario, led},
	{"leader-isolated", "the leader is cut off from the other servers for that long, and clients reach it", Failover, spans, scenario, led},
	{"cut-off", "client 1 is cut off from the lock's servers for that long, with work of a minute; it looks every 100 ms and heeds what its library says", Signals, spans, minute, served},
	{"cut-off-goes-on", "as cut-off, and it goes on whatever it is told", Signals, spans, minute, served},
	{"cut-off-never-asks", "as cut-off, and it never asks", Signals, spans, minute, served},
	{"overrun", "client 1's work between read and write takes that long, and the program renews nothing", Overrun, spans, "", nil},
}

func served(d *models.Description) bool     { return d.Servers > 0 }
func led(d *models.Description) bool        { return d.Leader }
func leaderless(d *models.Description) bool { return served(d) && !d.Leader }

// timed: the servers' clocks end leases.
func timed(d *models.Description) bool { return d.ServiceClock != "" }

func and(a, b func(*models.Description) bool) func(*models.Description) bool {
	return func(d *models.Description) bool { return a(d) && b(d) }
}

// voting: three servers are the majority of five, and all there are of three.
func voting(d *models.Description) bool { return leaderless(d) && d.Servers >= 3 }

// Of reports whether a lock system has what the kind strikes.
func (k *Kind) Of(d *models.Description) bool { return k.wants == nil || k.wants(d) }

// Largest is the largest magnitude that is tried.
func (k *Kind) Largest() string { return k.scale.text(k.scale.ladder[len(k.scale.ladder)-1]) }

// values are the parameters of a run with a magnitude. Client 2 goes on for as long as client 1
// may be away, so that somebody is there to be harmed.
func (k *Kind) values(size int64) map[string]string {
	v := map[string]string{"size": k.scale.text(size)}
	if n := k.scale.cycles(size); n > 0 {
		v["cycles"] = fmt.Sprint(n)
	}
	return v
}
