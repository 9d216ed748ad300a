// Package fault is what goes wrong: faults as data, the triggers that fire them and
// the ledger of what took effect.
//
// A fault that fires at a drawn instant is drawn before the run, from a stream that
// the run cannot advance, so that every lock meets it at the same instant of true
// time. A fault that is placed on a step fires when a client reaches that step.
package fault

import (
	"fmt"
	"strings"
	"time"

	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Kind is what a fault does.
type Kind string

const (
	// Pause stops a host; its clocks run on. Length is how long.
	Pause Kind = "pause"
	// Crash ends a host's incarnation.
	Crash Kind = "crash"
	// ClockStep steps a host's wall clock. By is how far.
	ClockStep Kind = "clock-step"
	// ClockRate changes the rate of a host's clocks to RatePPB.
	ClockRate Kind = "clock-rate"
	// Cut makes links carry nothing, both ways, for Length.
	Cut Kind = "cut"
	// Hold keeps one message back for Length after the fault fires.
	Hold Kind = "hold"
)

// Kinds are the accepted values.
var Kinds = []string{string(Pause), string(Crash), string(ClockStep), string(ClockRate), string(Cut), string(Hold)}

// Trigger says when a fault fires: at an instant of true time or on a step.
type Trigger struct {
	// At is the drawn instant, if Step is empty.
	At rng.Dist
	// Step is the named point of the client's code, reached for the Nth time.
	Step   string
	Client int
	Nth    int
}

// Fault is one entry of a plan.
type Fault struct {
	Kind    Kind
	Trigger Trigger
	// Target says which host, and is asked when the fault fires: a role such as
	// the leader may have moved. It returns nil if there is none.
	Target func() *host.Host
	// Client is the index of the client that the target runs, or -1.
	Client int
	// Length is how long a pause, a cut or a hold lasts.
	Length rng.Dist
	// Forever makes a cut last to the end of the run.
	Forever bool
	By      time.Duration
	RatePPB int64
	// Peers are the other ends of a cut, or the receiver of a held message; they too
	// are asked when the fault fires.
	Peers []func() *host.Host
	// Op is the class of the message to hold.
	Op *network.Op
	// Label names the fault in results: "pause client 1".
	Label string
}

// Entry is a line of the ledger: what became of one fault of the plan.
type Entry struct {
	Label string
	// Fired counts how often the trigger fired, TookEffect how often that made a
	// difference, whatever came of it: the clock reads differently, the pause
	// covered a due event or a step, the cut link was offered a message, the hold
	// caught one, the crash found a running host.
	Fired, TookEffect int
}

// describe tells what a fault does, to which host, and on which step it was placed.
func (f *Fault) describe(length time.Duration, on string) string {
	label := f.Label
	if f.Client < 0 && !strings.HasSuffix(label, on) && f.Kind != Cut {
		label += " (" + on + ")" // a role: say who had it
	}
	text := fmt.Sprintf("%s for %v", label, length)
	switch f.Kind {
	case ClockStep:
		text = fmt.Sprintf("clock-step %s by %v", on, f.By)
	case ClockRate:
		text = fmt.Sprintf("clock-rate %s to %+d ppb", on, f.RatePPB)
	case Crash:
		text = label
	case Hold:
		text = fmt.Sprintf("%s %s for %v", f.Label, f.Op, length)
	case Cut:
		if f.Forever {
			text = f.Label
		}
	}
	if f.Trigger.Step != "" {
		text += " at " + f.Trigger.Step
	}
	return text
}
