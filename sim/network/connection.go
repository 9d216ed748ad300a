package network

import "fencepost/sim"

// connection is what one end has sent to one other over a link, in order. The record of
// the other direction has the same serial number.
type connection struct {
	from, to int16    // ports
	life     uint32   // of both ends when it was made, or broken
	serial   uint64   // numbers the connections of a run
	last     sim.Time // latest arrival so far
	opened   uint32   // the first call that it carried
	call     uint32   // the last one
	waiting  int32    // messages that wait for a retransmission
	head     int32    // the one that is sent again first: its place in the slab
	tail     int32
	resent   sim.Time // when that was sent last
}

// broken is the life of a connection that was reset.
const broken = ^uint32(0)

// apart is the serial number of what belongs to no connection.
const apart = ^uint64(0)

// life tells two incarnations of the ends of a connection apart: both only count up.
func (n *Network) life(from, to NodeID) uint32 {
	return n.nodes[from].receiver.Incarnation() + n.nodes[to].receiver.Incarnation()
}

// find returns the connection between two ports, or nil.
func (l *link) find(from, to int16) *connection {
	for i := range l.conns {
		if c := &l.conns[i]; c.from == from && c.to == to {
			return c
		}
	}
	return nil
}

// room returns a place for a connection that is new: that of one whose end has crashed
// since and for which nothing waits, if there is one, so that a host that crashes again and
// again does not fill the list.
func (l *link) room(life uint32) *connection {
	for i := range l.conns {
		if c := &l.conns[i]; c.life < life && c.waiting == 0 {
			return c
		}
	}
	l.conns = append(l.conns, connection{})
	return &l.conns[len(l.conns)-1]
}

// begin begins a connection for a call, because there is none yet, it was broken or an
// end has crashed since: then in the place of the former one, which it gets. What still
// waits for a retransmission of that is lost. What is on its way
// does not hold up the new one.
func (n *Network) begin(l *link, c *connection, from, to Addr, life, call uint32) *connection {
	if c == nil {
		c = l.room(life)
	}
	n.dropWaiting(l, c)
	n.serial++
	serial := n.serial
	if back := n.link(to.Node, from.Node).find(to.Port, from.Port); back != nil && back != c && back.life == life {
		serial = back.serial
	}
	*c = connection{from: from.Port, to: to.Port, life: life, serial: serial, opened: call}
	return c
}
