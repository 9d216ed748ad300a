package network

import "fencepost/sim"

// Cut is a link that carries nothing for a while, in one direction. Cuts of several
// faults add up: a link heals when the last of them is lifted.
type Cut struct {
	From, To NodeID
	// Offered counts the messages that the cut has swallowed.
	Offered int
}

// Cut puts a cut in force.
func (n *Network) Cut(c *Cut) {
	l := &n.links[c.From][c.To]
	l.cuts++
	l.onCut = append(l.onCut, c)
}

// Heal lifts a cut.
func (n *Network) Heal(c *Cut) {
	l := &n.links[c.From][c.To]
	for i, other := range l.onCut {
		if other == c {
			l.cuts--
			l.onCut = append(l.onCut[:i], l.onCut[i+1:]...)
			return
		}
	}
}

// cut reports whether the link is cut, on behalf of a message that is offered to it.
func (l *link) cut() bool {
	for _, c := range l.onCut {
		c.Offered++
	}
	return l.cuts > 0
}

// Hold catches the next messages of a class from one host to another and keeps them
// until an instant.
type Hold struct {
	From, To NodeID
	Op       *Op      // nil catches every class
	Until    sim.Time // when the message arrives, at the earliest
	Count    int      // how many messages it catches; 0 is one
	// Caught counts the messages it has caught.
	Caught int
}

// Hold puts a hold in force.
func (n *Network) Hold(h *Hold) { n.holds = append(n.holds, h) }

// hold delays the arrival of a message that a hold in force catches.
func (n *Network) hold(m *Message, arrival *sim.Time) bool {
	held := false
	for _, h := range n.holds {
		if h.From != m.From.Node || h.To != m.To.Node || h.Caught >= max(h.Count, 1) || (h.Op != nil && h.Op != m.Op) {
			continue
		}
		h.Caught++
		held = true
		if *arrival < h.Until {
			*arrival = h.Until
		}
	}
	return held
}
