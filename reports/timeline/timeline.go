// Package timeline draws one run to scale: who held what promise, who believed it, who
// paused, and which writes the resource took. It knows nothing of simulations; its input
// is a neutral model of lanes, bars, marks and messages, its output one SVG file.
package timeline

import (
	"fmt"
	"io"
	"time"
)

// Timeline is one figure. All instants are of true time, from the start of the run.
//
// The shown window from Start to End is linear to scale, without exception. What reaches
// beyond it is cut off there, and what lies outside is left out; texts that find no room
// stay available as tooltips, and the footer tells how many did.
type Timeline struct {
	Title, Subtitle string
	Start, End      time.Duration
	Lanes           []Lane // from top to bottom: clients, services, resource
	Messages        []Message
	Notes           []string // lines of the footer
}

// Lane is one participant. Kind is "client", "service" or "resource", or anything else
// worth printing below the name.
type Lane struct {
	Name, Kind string
	Bars       []Bar
	Marks      []Mark
}

// BarKind is what lasts.
type BarKind int

// The kinds of bars. A promise is the time for which a service grants a lock, a belief is
// the time for which a client thinks to hold it.
const (
	Promise BarKind = iota
	Belief
	Pause
	Crash
	Cut
	// Job is what a holder has begun outside of the data.
	Job
)

// Bar is something that lasts from From to To. A negative To means that it did not end in
// the run, and is drawn with an open edge.
type Bar struct {
	Kind     BarKind
	From, To time.Duration
	Label    string
}

// MarkKind is what happens at an instant.
type MarkKind int

// The kinds of marks. Accepted and Rejected are writes as the resource judged them. Left is a
// token that a holder leaves at the resource before it works.
const (
	Accepted MarkKind = iota
	Rejected
	Read
	Left
	// Done is an effect outside of the data.
	Done
	Fault
	Grant
)

// Mark is something that happens at an instant, such as "write v1 token 33 rejected".
type Mark struct {
	At    time.Duration
	Kind  MarkKind
	Label string
}

// Message goes from one lane to another, both indices into [Timeline.Lanes]. Held messages
// were kept back on their way. An Arrived before Sent means that it did not
// arrive in the run. Lost ones never do; their Arrived tells where the line would have
// led, if it is not before Sent.
type Message struct {
	FromLane, ToLane int
	Sent, Arrived    time.Duration
	Label            string
	Lost, Held       bool
	// Quiet keeps the label to the tooltip, for messages that explain nothing.
	Quiet bool
}

// Write writes the figure as SVG, the same bytes for the same timeline. It fails, before
// it writes anything, on an empty window, without lanes, on a lane index out of range, on
// an unknown kind, and on a bar that ends before it starts.
func (t Timeline) Write(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	_, err := io.WriteString(w, newPlan(t).draw())
	return err
}

func (t Timeline) check() error {
	if t.End <= t.Start {
		return fmt.Errorf("timeline: window from %v to %v", t.Start, t.End)
	}
	if len(t.Lanes) == 0 {
		return fmt.Errorf("timeline: no lanes")
	}
	for _, lane := range t.Lanes {
		if err := lane.check(); err != nil {
			return fmt.Errorf("timeline: lane %q: %w", lane.Name, err)
		}
	}
	for _, m := range t.Messages {
		for _, index := range []int{m.FromLane, m.ToLane} {
			if index < 0 || index >= len(t.Lanes) {
				return fmt.Errorf("timeline: message %q: lane %d of %d", m.Label, index, len(t.Lanes))
			}
		}
	}
	return nil
}

func (l Lane) check() error {
	for _, b := range l.Bars {
		if b.Kind < Promise || b.Kind > Job {
			return fmt.Errorf("bar %q of kind %d", b.Label, b.Kind)
		}
		if 0 <= b.To && b.To < b.From {
			return fmt.Errorf("bar %q from %v to %v", b.Label, b.From, b.To)
		}
	}
	for _, m := range l.Marks {
		if m.Kind < Accepted || m.Kind > Grant {
			return fmt.Errorf("mark %q of kind %d", m.Label, m.Kind)
		}
	}
	return nil
}
