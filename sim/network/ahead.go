package network

import "time"

// PeekDelay returns the delay that a link will give to the nth next message of a class,
// counted from 1, if nothing else acts on it (see [Network.Quiet]). Looking ahead changes
// nothing: neither what the message will get nor the digest.
func (n *Network) PeekDelay(from, to NodeID, op *Op, nth uint64) time.Duration {
	l := n.link(from, to)
	c := n.count(l, op)
	return l.noise(c, c.sent+nth, nil)
}

// Skip passes over the next messages of a class on a link, as if they had been sent. It
// leaves the digest alone, so whoever skips mixes in that it did.
func (n *Network) Skip(from, to NodeID, op *Op, messages uint64) {
	n.count(n.link(from, to), op).sent += messages
}

// Quiet reports whether nothing but the delay acts on messages of a class that are sent
// over a link now: no rule and no hold, no loss, no bandwidth, no synchrony, and no
// connection that waits for a retransmission. A nil class is every class. A hold for a
// single process counts too. What is on its way is not looked at: a message waits for those
// before it on its connection; see [Network.Inbound].
func (n *Network) Quiet(from, to NodeID, op *Op) bool {
	l := n.link(from, to)
	if l.base.set || l.stalled > 0 {
		return false
	}
	for _, r := range l.rules {
		if r.Op == nil || op == nil || r.Op == op {
			return false
		}
	}
	for _, h := range n.holds {
		if h.From == from && h.To == to && (h.Op == nil || op == nil || h.Op == op) &&
			h.Caught < max(h.Count, 1) && n.world.Now() < h.Until {
			return false
		}
	}
	return true
}
