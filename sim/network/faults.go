package network

import (
	"slices"

	"fencepost/sim"
)

// Cut is a link that carries nothing for a while, in one direction. Cuts of several
// faults add up: a link heals when the last of them is lifted.
type Cut struct {
	From, To NodeID
	// Offered counts the messages that the cut has swallowed.
	Offered int
}

// Cut puts a cut in force. It must stay where it is until it is healed.
func (n *Network) Cut(c *Cut) {
	l := n.link(c.From, c.To)
	l.cuts = append(l.cuts, c)
}

// Heal lifts a cut.
func (n *Network) Heal(c *Cut) {
	l := n.link(c.From, c.To)
	if i := slices.Index(l.cuts, c); i >= 0 {
		l.cuts = slices.Delete(l.cuts, i, i+1)
	}
}

// cut reports whether the link is cut, on behalf of a message that is offered to it.
func (l *link) cut() bool {
	for _, c := range l.cuts {
		c.Offered++
	}
	return len(l.cuts) > 0
}

// Hold catches the next messages of a class from one host to another and keeps them
// until an instant. A message whose own delay is longer than that is not caught, and
// neither is one that a cut swallows.
type Hold struct {
	From, To NodeID
	Port     int16    // of the sender; 0 catches those of all its processes
	Op       *Op      // nil catches every class
	Until    sim.Time // when the message arrives
	Count    int      // how many messages it catches; 0 is one
	// Caught counts the messages it has caught.
	Caught int
}

// Hold puts a hold in force. It must stay where it is until the run ends.
func (n *Network) Hold(h *Hold) { n.holds = append(n.holds, h) }

// hold delays the arrival of a message that holds in force catch.
func (n *Network) hold(m *Message, arrival *sim.Time) (held bool) {
	due := *arrival
	for _, h := range n.holds {
		if h.catches(m) && due < h.Until {
			h.Caught++
			held = true
			*arrival = max(*arrival, h.Until)
		}
	}
	return held
}

func (h *Hold) catches(m *Message) bool {
	return h.From == m.From.Node && h.To == m.To.Node && h.Caught < max(h.Count, 1) &&
		(h.Port == 0 || h.Port == m.From.Port) && (h.Op == nil || h.Op == m.Op)
}
