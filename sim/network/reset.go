package network

import "fencepost/sim"

// OpReset is the class of the notice that a process gets when a connection of its was
// reset. It comes from the other end; its Call is the last that the connection carried.
var OpReset = NewOp("net.reset")

// Break resets the connections between two hosts: those of the process of a port on
// either, or all if the port is 0. It returns how many that were.
//
// It is the reset that a middlebox between the two sends to both ends, such as a firewall
// that was restarted or a load balancer that was reconfigured (RFC 9293, section 3.5.3: a
// segment with RST ends a connection at once, and nothing answers it). Both ends learn of
// it at once: the box is on the way, and a RST that it makes need not pass where the
// messages would. What was on its way either way is lost. A process that waits for a
// reply is told; a server has nothing to do, and what it still answers to the dead
// connection is lost. What a process sends next begins a new connection.
func (n *Network) Break(a, b NodeID, port int16) (broken int) {
	n.disturbs(a, b)
	for _, way := range [...]struct{ from, to NodeID }{{a, b}, {b, a}} {
		l := n.link(way.from, way.to)
		for i := range l.conns {
			c := &l.conns[i]
			if c.life != n.life(a, b) || port != 0 && port != c.from && port != c.to {
				continue
			}
			from, to := Addr{way.from, c.from}, Addr{way.to, c.to}
			n.sever(from, to)
			n.tell(from, to)
			n.tell(to, from)
			broken++
		}
	}
	return broken
}

// giveUp ends the connection of a message that was sent again too often. Only the sender
// knows: the other end hears nothing.
func (n *Network) giveUp(c *connection, f *flight, slot int32) {
	from, to := f.message.From, f.message.To
	switch {
	case c == nil: // an end has crashed, and the connection is another
		n.drop(slot)
		return
	case c.life != n.life(from.Node, to.Node):
		n.severOneWay(from, to)
	default:
		n.sever(from, to)
		n.tell(from, to)
	}
	n.release(slot)
}

// sever ends a connection, both ways, and loses what is on its way.
func (n *Network) sever(from, to Addr) {
	n.resets = true
	n.severOneWay(from, to)
	n.severOneWay(to, from)
}

func (n *Network) severOneWay(from, to Addr) {
	l := n.link(from.Node, to.Node)
	c := l.find(from.Port, to.Port)
	if c == nil || c.life == broken {
		return
	}
	n.dropWaiting(l, c)
	c.life = broken
	for slot := range n.inflight {
		f := &n.inflight[slot]
		if f.serial != c.serial || f.message.From != from || f.message.To != to {
			continue
		}
		n.lose(f)
		f.flags = gone
		n.arrived(to.Node)
	}
}

// tell sends the notice of a reset to an end that is a process.
func (n *Network) tell(end, peer Addr) {
	if end.Port == 0 {
		return
	}
	call := uint32(0)
	if c := n.link(end.Node, peer.Node).find(end.Port, peer.Port); c != nil {
		call = c.call
	}
	slot := n.reserve()
	to := &n.nodes[end.Node]
	n.inflight[slot] = flight{message: Message{From: peer, To: end, Call: call, Body: Body{Op: OpReset}},
		flags: notice, serial: apart, number: unseen, incarnation: to.receiver.Incarnation()}
	to.inbound++
	n.schedule(sim.ClassDelivery, n.world.Now(), slot, kindArrive)
}

// orphan reports whether a message answers to a connection that is no more: only a
// process begins a new one.
func (n *Network) orphan(m *Message) bool {
	if m.From.Port != 0 || m.To.Port == 0 {
		return false
	}
	c := n.link(m.To.Node, m.From.Node).find(m.To.Port, m.From.Port)
	return c != nil && (c.life == broken || m.Call != 0 && m.Call < c.opened)
}

// discard loses what its sender cannot send.
func (n *Network) discard(f *flight, slot int32) {
	if n.Tap != nil {
		now := n.world.Now()
		f.number = n.Tap.Sent(f.message, now, now, false)
	}
	if n.world.Tracing() {
		n.trace("send", &f.message)
	}
	n.lose(f)
	n.release(slot)
}
