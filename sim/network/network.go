// Package network carries messages between hosts: delay, bandwidth, loss, duplicates,
// partitions, connections that are reset or hang, and messages that are held back.
//
// A process or a server has one connection to each other one, and it is FIFO, as a TCP
// connection is: a message never overtakes an earlier one of the same connection, so
// one that is late, held or sent again also holds up those behind it. Messages of
// different connections, also of two processes of one host, are reordered freely by
// their delays. A connection begins with the first message between its ends, and anew
// after a reset ([Network.Break]) or a crash of either end.
//
// What a partition does. A cut ([Rule]) takes one direction of one link. A message is
// swallowed if a cut is in force when it is sent or when it would arrive, so one that is
// on its way when a partition begins is swallowed if that lasts until it would arrive, and
// one that is on its way for the whole of a shorter partition passes. What is swallowed is
// lost for good, as if the connection did not survive it, unless the cut says that it is
// sent again: then it goes out again when TCP's timer says so (200, 600, 1400 ms... after
// it was sent), and the first of these at or after the end of the partition gets through,
// with all that waited behind it. A partition in one direction leaves the other alone:
// what is asked there is served, and the answer swallowed, or the other way round.
// Messages that are on their way are not touched by anything else that is imposed or
// lifted later, except by a reset, which loses those of its connection.
//
// A copy of a message is made by a proxy or a retry on the way, so it comes over a
// connection of its own: it may arrive after later messages, a reset does not lose it, a
// cut does, for good. It is meant for the incarnation that the original was sent to.
//
// A message for an incarnation of a host that is gone is lost, however it travels.
//
// Randomness is keyed: the delay of a message depends on the seed, the link, the class of
// the message and its number, and so does what befalls it, from streams of its own.
// Nothing that is imposed on any link changes the delays.
package network

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// Receiver is a host as the network sees it.
type Receiver interface {
	// Deliver hands over a message that has arrived; it is valid during the call.
	Deliver(m *Message)
	// Incarnation counts the host's lives.
	Incarnation() uint32
}

// Tap sees every message. It serves drawings, and costs nothing when it is nil.
type Tap interface {
	// Sent: a message left at an instant and will arrive at another, held or not.
	// The number is given back if it is lost.
	Sent(m Message, at, arrival sim.Time, held bool) (number int)
	// Lost: the message did not arrive.
	Lost(number int)
}

// Network is the set of links between all hosts.
type Network struct {
	Tap Tap
	// Idle, if set, is called when the last message on its way to a host is gone.
	Idle func(to NodeID)

	world     *sim.World
	target    sim.TargetID
	seed      uint64
	nodes     []node
	links     []link   // from*len(nodes) + to
	inflight  []flight // slab
	free      []int32
	holds     []*Hold
	synchrony Synchrony
	serial    uint64 // connections begun so far
	resets    bool   // there have been some
}

type node struct {
	name     string
	hash     uint64
	receiver Receiver
	inbound  int // messages on their way to it
}

// flight is a message on its way to an incarnation of its receiver.
type flight struct {
	message     Message
	incarnation uint32
	flags       flags
	next        int32         // the one that waits behind it
	number      int           // the tap's
	serial      uint64        // of its connection
	sent        sim.Time      // for the first time
	delay       time.Duration // of the bare link
	again       time.Duration // how much later its copy arrives
}

// flags are what is special about a flight.
type flags uint8

const (
	swallowed flags = 1 << iota // by a cut, when it was sent; it is sent again
	waits                       // behind a head that is sent again; no event is due for it
	doomed                      // with it the connection is given up
	gone                        // lost already; the event that is due only frees its place
	doubled                     // it has a copy
	aCopy
	notice // of a reset
)

// unseen is the number of what the tap does not see.
const unseen = -1

// New returns an empty network.
func New(w *sim.World) *Network {
	n := &Network{world: w}
	n.target = w.Register(n)
	return n
}

// Attach adds a host under a name that is unique, such as "redis/1". The name keys
// the noise of its links.
func (n *Network) Attach(name string, r Receiver) NodeID {
	before := len(n.nodes)
	n.nodes = append(n.nodes, node{name: name, hash: rng.HashString(name), receiver: r})
	links := make([]link, 0, len(n.nodes)*len(n.nodes))
	for from := range n.nodes {
		for to := range n.nodes {
			if from < before && to < before {
				links = append(links, n.links[from*before+to])
			} else {
				links = append(links, link{key: rng.Hash(n.nodes[from].hash, n.nodes[to].hash)})
				n.mark(&links[len(links)-1])
			}
		}
	}
	n.links = links
	return NodeID(before)
}

// link returns the link from one host to another.
func (n *Network) link(from, to NodeID) *link {
	return &n.links[int(from)*len(n.nodes)+int(to)]
}

// Name returns the name under which a host was attached.
func (n *Network) Name(id NodeID) string { return n.nodes[id].name }

// Reset forgets all traffic, rules and holds. What the links are like by themselves stays
// as it was set: delays, bandwidths, losses, synchrony.
func (n *Network) Reset(seed uint64) {
	n.seed, n.serial, n.resets = seed, 0, false
	clear(n.inflight) // what the messages refer to can go
	n.inflight, n.free, n.holds = n.inflight[:0], n.free[:0], n.holds[:0]
	for i := range n.nodes {
		n.nodes[i].inbound = 0
	}
	for i := range n.links {
		n.links[i].reset()
	}
}

// Send puts a message on its link. The body is copied.
func (n *Network) Send(from, to Addr, call uint32, b *Body) {
	slot := n.reserve()
	f := &n.inflight[slot]
	m := &f.message
	m.From, m.To, m.Call, m.Body = from, to, call, *b
	if n.resets && n.orphan(m) {
		n.discard(f, slot)
		return
	}
	now := n.world.Now()
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
	f.flags, f.serial, f.sent, f.delay = 0, c.serial, now, l.noise(count, count.sent, n.world.Digest())

	arrival, lost, held := now.Add(f.delay), false, false
	if !l.plain() {
		arrival, lost = n.travel(l, count, f, arrival)
	}
	if len(n.holds) > 0 && !lost && f.flags&swallowed == 0 {
		arrival, held = n.hold(m, arrival)
	}
	arrival = max(arrival, c.last)
	if n.Tap != nil {
		f.number = n.Tap.Sent(*m, now, arrival, held)
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
	v := l.cut(f, f.flags&swallowed == 0)
	if f.flags&swallowed != 0 {
		v = max(v, later)
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

// Inbound returns how many messages are on their way to a host, held ones included.
func (n *Network) Inbound(to NodeID) int { return n.nodes[to].inbound }

func (n *Network) trace(what string, m *Message) {
	n.world.Trace(trace.Record{Who: n.nodes[m.From.Node].name, What: what,
		Text: n.nodes[m.To.Node].name + " " + m.describe()})
}
