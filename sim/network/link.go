package network

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// link is one direction between two hosts.
type link struct {
	key    uint64 // from both names: the noise of this link
	delay  rng.Dist
	cuts   []*Cut // in force
	conns  []connection
	counts []opCount
}

// connection is what one end has sent to one other over a link, in order.
type connection struct {
	from, to int16    // ports
	last     sim.Time // latest arrival so far
}

// connection returns the connection between two ports.
func (l *link) connection(from, to int16) *connection {
	for i := range l.conns {
		if c := &l.conns[i]; c.from == from && c.to == to {
			return c
		}
	}
	l.conns = append(l.conns, connection{from: from, to: to})
	return &l.conns[len(l.conns)-1]
}

// opCount numbers the messages of one class on one link, so that the noise of a
// message depends on nothing but its own number.
type opCount struct {
	op   *Op
	key  uint64 // of this class on this link in this run
	sent uint64
}

func (l *link) reset() {
	clear(l.cuts)
	l.cuts, l.conns, l.counts = l.cuts[:0], l.conns[:0], l.counts[:0]
}

// noise draws the delay of the next message of its class on the link. The draw is
// keyed by the link, the class and the message's number, and by nothing else, so
// that a lock that sends more does not shift anybody's delays.
func (n *Network) noise(l *link, op *Op) time.Duration {
	if d, ok := l.delay.IsConstant(); ok {
		return d
	}
	c := n.count(l, op)
	c.sent++
	s := rng.New(c.key+c.sent, n.world.Digest())
	return l.delay.Sample(&s)
}

// count returns the counter of a class on the link.
func (n *Network) count(l *link, op *Op) *opCount {
	for i := range l.counts {
		if c := &l.counts[i]; c.op == op {
			return c
		}
	}
	l.counts = append(l.counts, opCount{op: op, key: rng.Hash(n.seed, l.key, op.hash)})
	return &l.counts[len(l.counts)-1]
}
