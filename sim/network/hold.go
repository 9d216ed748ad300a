package network

import (
	"slices"

	"fencepost/sim"
)

// Hold catches the next messages of a class from one host to another and keeps them
// until an instant. A message whose own delay is longer than that is not caught, and
// neither is one that a rule swallows.
type Hold struct {
	From, To NodeID
	Port     int16    // of the sender; 0 catches those of all its processes
	Op       *Op      // nil catches every class
	Until    sim.Time // when the message arrives
	Count    int      // how many messages it catches; 0 is one
	// Caught counts the messages it has caught.
	Caught int
}

// Hold puts a hold in force. It must stay where it is until it is released.
func (n *Network) Hold(h *Hold) {
	n.disturbs(h.From, h.To)
	n.holds = append(n.holds, h)
}

// Release ends a hold: it catches nothing more. What it has caught arrives when it said.
func (n *Network) Release(h *Hold) {
	if i := slices.Index(n.holds, h); i >= 0 {
		n.disturbs(h.From, h.To)
		n.holds = slices.Delete(n.holds, i, i+1)
	}
}

// hold delays the arrival of a message that holds in force catch.
func (n *Network) hold(m *Message, due sim.Time) (arrival sim.Time, held bool) {
	arrival = due
	for _, h := range n.holds {
		if h.catches(m) && due < h.Until {
			h.Caught++
			held = true
			arrival = max(arrival, h.Until)
		}
	}
	return arrival, held
}

func (h *Hold) catches(m *Message) bool {
	return h.From == m.From.Node && h.To == m.To.Node && h.Caught < max(h.Count, 1) &&
		(h.Port == 0 || h.Port == m.From.Port) && (h.Op == nil || h.Op == m.Op)
}
