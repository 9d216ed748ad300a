// Package network carries messages between hosts: delay, loss by a cut link, and
// messages that are held back.
//
// A process or a server has one connection to each other one, and it is FIFO, as a TCP
// connection is: a message never overtakes an earlier one of the same connection, so
// a held message also holds those behind it. Messages of different connections, also
// of two processes of one host, are reordered freely by their delays.
//
// What a cut does: a message is lost if the link is cut when it is sent or when it
// would arrive. A message that was on its way for the whole of a shorter cut passes.
// A message for an incarnation of a host that is gone is lost.
package network

import (
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

	world    *sim.World
	target   sim.TargetID
	seed     uint64
	nodes    []node
	links    []link   // from*len(nodes) + to
	inflight []flight // slab
	free     []int32
	holds    []*Hold
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
	number      int // the tap's
}

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

// Reset forgets all traffic, cuts and holds; delays stay as they were set.
func (n *Network) Reset(seed uint64) {
	n.seed = seed
	clear(n.inflight) // what the messages refer to can go
	n.inflight, n.free, n.holds = n.inflight[:0], n.free[:0], n.holds[:0]
	for i := range n.nodes {
		n.nodes[i].inbound = 0
	}
	for i := range n.links {
		n.links[i].reset()
	}
}

// SetDelay sets the one-way delay from one host to another.
func (n *Network) SetDelay(from, to NodeID, d rng.Dist) { n.link(from, to).delay = d }

// Send puts a message on its link. The body is copied.
func (n *Network) Send(from, to Addr, call uint32, b *Body) {
	slot := n.reserve()
	f := &n.inflight[slot]
	m := &f.message
	m.From, m.To, m.Call, m.Body = from, to, call, *b

	l, now := n.link(from.Node, to.Node), n.world.Now()
	arrival := now.Add(n.noise(l, m.Op))
	lost := l.cut()
	held := !lost && n.hold(m, &arrival)
	c := l.connection(from.Port, to.Port)
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
	receiver := &n.nodes[to.Node]
	receiver.inbound++
	f.incarnation = receiver.receiver.Incarnation()
	n.world.Schedule(sim.ClassDelivery, sim.Event{At: arrival, Target: n.target, Slot: slot})
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
	n.inflight[slot].message.Ref = nil
	n.free = append(n.free, slot)
}

// Fire implements [sim.Target]: a message arrives. Its place in the slab is kept until
// it has been handled, since handling it sends others.
func (n *Network) Fire(e sim.Event) {
	f := &n.inflight[e.Slot]
	id := f.message.To.Node
	to := &n.nodes[id]
	to.inbound--
	n.arrive(f, to.receiver)
	n.release(e.Slot)
	if to.inbound == 0 && n.Idle != nil {
		n.Idle(id)
	}
}

// arrive hands a message over, unless its link is cut or its receiver is not the one
// that it was sent to.
func (n *Network) arrive(f *flight, to Receiver) {
	m := &f.message
	if n.link(m.From.Node, m.To.Node).cut() || to.Incarnation() != f.incarnation {
		n.lose(f)
		return
	}
	n.world.Digest().Mix(m.fingerprint())
	if n.world.Tracing() {
		n.trace("deliver", m)
	}
	to.Deliver(m)
}

// lose tells who listens that a message does not arrive.
func (n *Network) lose(f *flight) {
	if n.Tap != nil {
		n.Tap.Lost(f.number)
	}
	if n.world.Tracing() {
		n.trace("lost", &f.message)
	}
}

// Inbound returns how many messages are on their way to a host, held ones included.
func (n *Network) Inbound(to NodeID) int { return n.nodes[to].inbound }

func (n *Network) trace(what string, m *Message) {
	n.world.Trace(trace.Record{Who: n.nodes[m.From.Node].name, What: what,
		Text: n.nodes[m.To.Node].name + " " + m.describe()})
}
