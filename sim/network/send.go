package network

import (
	"time"

	"fencepost/sim"
)

// flight is a message on its way to an incarnation of its receiver.
type flight struct {
	message     Message
	incarnation uint32
	flags       flags
	next        int32         // the one that waits behind it
	number      int           // the tap's
	serial      uint64        // of its connection
	nth         uint64        // of its class on the link
	sent        sim.Time      // for the first time
	delay       time.Duration // of the bare link
	again       time.Duration // how much later its copy arrives
}

// flags are what is special about a flight.
type flags uint8

const (
	swallowed flags = 1 << iota // by a cut or a loss, when it was sent; it is sent again
	waits                       // behind a head that is sent again; no event is due for it
	doomed                      // with it the connection is given up
	gone                        // lost already; the event that is due only frees its place
	doubled                     // it has a copy
	aCopy
	notice // of a reset
)

// unseen is the number of what the tap does not see.
const unseen = -1

// Send puts a message on its link. The body is copied.
func (n *Network) Send(from, to Addr, call uint32, b *Body) {
	n.depart(from, to, call, b, n.world.Now())
}

// depart puts a message on its link at an instant.
func (n *Network) depart(from, to Addr, call uint32, b *Body, at sim.Time) {
	slot := n.reserve()
	f := &n.inflight[slot]
	m := &f.message
	m.From, m.To, m.Call = from, to, call
	m.Body = *b
	if n.resets && n.orphan(m) {
		n.discard(f, slot)
		return
	}
	l, receiver := n.link(from.Node, to.Node), &n.nodes[to.Node]
	f.incarnation = receiver.receiver.Incarnation()
	life := f.incarnation + n.nodes[from.Node].receiver.Incarnation()
	c := l.find(from.Port, to.Port)
	if c == nil || c.life != life {
		c = n.begin(l, c, from, to, life, call)
	}
	c.call = call
	count := n.count(l, m.Op)
	count.sent++
	f.flags, f.serial, f.nth, f.sent, f.delay = 0, c.serial, count.sent, at, l.noise(count, count.sent, n.world.Digest())

	arrival, lost, held := at.Add(f.delay), false, false
	if !l.plain() {
		arrival, lost = n.travel(l, count, f, arrival)
	}
	if len(n.holds) > 0 && !lost && f.flags&swallowed == 0 {
		arrival, held = n.hold(m, arrival)
	}
	arrival = max(arrival, c.last)
	if n.Tap != nil {
		f.number = n.Tap.Sent(*m, at, arrival, held)
	}
	if n.world.Tracing() {
		n.trace("send", m)
	}
	if lost {
		n.lose(f)
		n.release(slot)
		return
	}
	c.last = arrival
	receiver.inbound++
	n.schedule(sim.ClassDelivery, arrival, slot, kindArrive)
}

// travel works out when a message arrives, and whether it does, on a link that is more
// than a delay.
func (n *Network) travel(l *link, c *opCount, f *flight, arrival sim.Time) (_ sim.Time, lost bool) {
	now := n.world.Now()
	u := underway{flight: f, bytes: f.message.Op.Bytes, leaves: now, arrival: arrival}
	if l.base.set {
		n.take(l, c, &u)
	}
	if !u.lost {
		n.disturb(l, c, &u)
	}
	if u.losses > maxRetries {
		f.flags |= doomed
		u.arrival = now.Add(timeouts(maxRetries + 1))
	}
	return u.arrival, u.lost
}

// Event kinds of the network; the slot is the flight's.
const (
	kindArrive uint16 = iota
	kindResend        // a head is sent again
	kindResent        // it, or one that waited behind it, arrives
)

func (n *Network) schedule(class sim.Class, at sim.Time, slot int32, kind uint16) {
	n.world.Schedule(class, sim.Event{At: at, Target: n.target, Slot: slot, Kind: kind})
}

// reserve takes a place in the slab.
func (n *Network) reserve() int32 {
	if k := len(n.free); k > 0 {
		slot := n.free[k-1]
		n.free = n.free[:k-1]
		return slot
	}
	n.inflight = append(n.inflight, flight{})
	return int32(len(n.inflight) - 1)
}

func (n *Network) release(slot int32) {
	f := &n.inflight[slot]
	f.message.Ref, f.serial = nil, apart
	n.free = append(n.free, slot)
}
