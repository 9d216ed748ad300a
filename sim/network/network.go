// Package network carries messages between hosts: delay, loss by a cut link, and
// messages that are held back.
//
// Between two hosts there is one connection in each direction, and it is FIFO, as a
// TCP connection is: a message never overtakes an earlier one of the same
// connection, so a held message also holds those behind it. Messages of different
// connections are reordered freely by their delays.
//
// What a cut does: a message is lost if the link is cut when it is sent or when it
// would arrive. A message that was on its way for the whole of a shorter cut passes.
// A message for an incarnation of a host that is gone is lost.
package network

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// Receiver is a host as the network sees it.
type Receiver interface {
	// Deliver hands over a message that has arrived.
	Deliver(m Message)
	// Incarnation counts the host's lives.
	Incarnation() uint32
}

// Tap sees every message that is sent: when it left, when it will arrive or would
// have, and whether it was held or lost. It serves drawings, and costs nothing when
// it is nil.
type Tap interface {
	Sent(m Message, at, arrival sim.Time, held, lost bool)
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
	links    [][]link // [from][to]
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

// link is one direction between two hosts.
type link struct {
	key    uint64 // from both names: the noise of this link
	delay  rng.Dist
	cuts   int // how many faults cut it now
	onCut  []*Cut
	last   sim.Time // latest arrival so far, for FIFO
	counts []opCount
}

// opCount numbers the messages of one class on one link, so that the noise of a
// message depends on nothing but its own number.
type opCount struct {
	op   *Op
	sent uint64
}

type flight struct {
	message     Message
	incarnation uint32
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
	id := NodeID(len(n.nodes))
	n.nodes = append(n.nodes, node{name: name, hash: rng.HashString(name), receiver: r})
	for from := range n.links {
		n.links[from] = append(n.links[from], n.newLink(from, int(id)))
	}
	row := make([]link, len(n.nodes))
	for to := range row {
		row[to] = n.newLink(int(id), to)
	}
	n.links = append(n.links, row)
	return id
}

func (n *Network) newLink(from, to int) link {
	return link{key: rng.Hash(n.nodes[from].hash, n.nodes[to].hash)}
}

// Name returns the name under which a host was attached.
func (n *Network) Name(id NodeID) string { return n.nodes[id].name }

// Reset forgets all traffic, cuts and holds; delays stay as they were set.
func (n *Network) Reset(seed uint64) {
	n.seed = seed
	n.inflight, n.free, n.holds = n.inflight[:0], n.free[:0], n.holds[:0]
	for from := range n.links {
		n.nodes[from].inbound = 0
		for to := range n.links[from] {
			l := &n.links[from][to]
			l.cuts, l.last, l.onCut, l.counts = 0, 0, l.onCut[:0], l.counts[:0]
		}
	}
}

// SetDelay sets the one-way delay from one host to another.
func (n *Network) SetDelay(from, to NodeID, d rng.Dist) { n.links[from][to].delay = d }

// Send puts a message on its link.
func (n *Network) Send(m Message) {
	l := &n.links[m.From.Node][m.To.Node]
	now := n.world.Now()
	arrival := now.Add(n.noise(l, m.Op))
	held := n.hold(&m, &arrival)
	if arrival < l.last {
		arrival = l.last
	}
	lost := l.cut()
	if n.Tap != nil {
		n.Tap.Sent(m, now, arrival, held, lost)
	}
	if n.world.Tracing() {
		n.trace("send", &m)
	}
	if lost {
		return
	}
	l.last = arrival
	to := &n.nodes[m.To.Node]
	to.inbound++
	n.world.Schedule(sim.ClassDelivery, sim.Event{
		At: arrival, Target: n.target, Slot: n.store(flight{m, to.receiver.Incarnation()})})
}

// noise draws the delay of the next message of its class on the link. The draw is
// keyed by the link, the class and the message's number, and by nothing else, so
// that a lock that sends more does not shift anybody's delays.
func (n *Network) noise(l *link, op *Op) time.Duration {
	if d, ok := l.delay.IsConstant(); ok {
		return d
	}
	s := rng.New(rng.Hash(n.seed, l.key, op.hash, l.number(op)), n.world.Digest())
	return l.delay.Sample(&s)
}

// number counts the messages of a class on the link.
func (l *link) number(op *Op) uint64 {
	for i := range l.counts {
		if l.counts[i].op == op {
			l.counts[i].sent++
			return l.counts[i].sent
		}
	}
	l.counts = append(l.counts, opCount{op: op, sent: 1})
	return 1
}

func (n *Network) store(f flight) int32 {
	if k := len(n.free); k > 0 {
		slot := n.free[k-1]
		n.free = n.free[:k-1]
		n.inflight[slot] = f
		return slot
	}
	n.inflight = append(n.inflight, f)
	return int32(len(n.inflight) - 1)
}

// Fire implements [sim.Target]: a message arrives.
func (n *Network) Fire(e sim.Event) {
	f := n.inflight[e.Slot]
	n.inflight[e.Slot].message.Ref = nil
	n.free = append(n.free, e.Slot)
	to := &n.nodes[f.message.To.Node]
	to.inbound--
	n.arrive(&f, to.receiver)
	if to.inbound == 0 && n.Idle != nil {
		n.Idle(f.message.To.Node)
	}
}

// arrive hands a message over, unless its link is cut or its receiver is not the one
// that it was sent to.
func (n *Network) arrive(f *flight, to Receiver) {
	m := &f.message
	if n.links[m.From.Node][m.To.Node].cut() || to.Incarnation() != f.incarnation {
		if n.world.Tracing() {
			n.trace("lost", m)
		}
		return
	}
	d := n.world.Digest()
	d.Mix(m.Op.hash ^ uint64(m.Value))
	d.Mix(uint64(m.Token) ^ uint64(m.Revision)<<32 ^ uint64(m.Key))
	if n.world.Tracing() {
		n.trace("deliver", m)
	}
	to.Deliver(*m)
}

// Inbound returns how many messages are on their way to a host, held ones included.
func (n *Network) Inbound(to NodeID) int { return n.nodes[to].inbound }

func (n *Network) trace(what string, m *Message) {
	n.world.Trace(trace.Record{Who: n.nodes[m.From.Node].name, What: what,
		Text: n.nodes[m.To.Node].name + " " + m.describe()})
}
