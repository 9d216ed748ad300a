package network

import "fencepost/sim"

// Fire implements [sim.Target]: a message arrives. Its place in the slab is kept until
// it has been handled, since handling it sends others.
func (n *Network) Fire(e sim.Event) {
	f := &n.inflight[e.Slot]
	id := f.message.To.Node
	l := n.link(f.message.From.Node, id)
	if (f.flags != 0 || l.stalled > 0 || len(l.rules) > 0) && !n.passes(l, f, &e) {
		return
	}
	to := &n.nodes[id]
	f.serial = apart // a reset that handling it brings about does not concern it
	if f.flags&doubled != 0 && to.receiver.Incarnation() == f.incarnation {
		n.arrive(f, to.receiver)
		n.repeat(e.Slot)
		return
	}
	to.inbound--
	n.arrive(f, to.receiver)
	n.release(e.Slot)
	if to.inbound == 0 && n.Idle != nil {
		n.Idle(id)
	}
}

// passes reports whether a message reaches its receiver now, and does what is to be done
// if not.
func (n *Network) passes(l *link, f *flight, e *sim.Event) bool {
	m := &f.message
	c := l.find(m.From.Port, m.To.Port)
	if c != nil && c.serial != f.serial {
		c = nil // it is of an earlier one, or of none
	}
	switch {
	case f.flags&gone != 0:
		n.release(e.Slot)
		return false
	case f.flags&notice != 0:
		return true
	case f.flags&doomed != 0:
		n.giveUp(c, f, e.Slot)
		return false
	case e.Kind == kindResend:
		n.resend(l, c, f, e.Slot)
		return false
	case e.Kind == kindResent:
		return n.resent(l, c, f, e.Slot)
	}
	v := later
	if f.flags&swallowed == 0 {
		v = l.cut(f)
	}
	switch {
	case v == later && c != nil, v == passes && c != nil && c.waiting > 0:
		n.stall(l, c, e.Slot)
		return false
	case v != passes: // also a copy, or when the sender has crashed: nobody sends it again
		n.drop(e.Slot)
		return false
	}
	return true
}

// arrive hands a message over, unless its receiver is not the one that it was sent to.
func (n *Network) arrive(f *flight, to Receiver) {
	if to.Incarnation() != f.incarnation {
		n.lose(f)
		return
	}
	m := &f.message
	n.world.Digest().Mix(m.fingerprint())
	if n.world.Tracing() {
		n.trace("deliver", m)
	}
	to.Deliver(m)
}

// repeat sends a copy of what has just arrived.
func (n *Network) repeat(slot int32) {
	f := &n.inflight[slot]
	at := n.world.Now().Add(f.again)
	f.flags = aCopy
	if n.Tap != nil {
		f.number = n.Tap.Sent(f.message, f.sent, at, false)
	}
	if n.world.Tracing() {
		n.trace("copy", &f.message)
	}
	n.schedule(sim.ClassDelivery, at, slot, kindArrive)
}

// lose tells who listens that a message does not arrive.
func (n *Network) lose(f *flight) {
	if n.Tap != nil && f.number != unseen {
		n.Tap.Lost(f.number)
	}
	if n.world.Tracing() {
		n.trace("lost", &f.message)
	}
}

// drop loses a message that was on its way, for which no event is due any more.
func (n *Network) drop(slot int32) {
	f := &n.inflight[slot]
	to := f.message.To.Node
	n.lose(f)
	n.release(slot)
	n.arrived(to)
}

// arrived counts a message that is not on its way any more.
func (n *Network) arrived(to NodeID) {
	n.nodes[to].inbound--
	if n.nodes[to].inbound == 0 && n.Idle != nil {
		n.Idle(to)
	}
}
