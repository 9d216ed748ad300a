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
	disturbed []func(from, to NodeID)
}

type node struct {
	name     string
	hash     uint64
	receiver Receiver
	inbound  int // messages on their way to it
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

// Sent returns how many messages of some classes have left from one node for another in this run,
// lost ones and skipped ones included, copies and what is sent again excluded.
func (n *Network) Sent(from, to NodeID, of func(*Op) bool) (messages uint64) {
	for _, c := range n.link(from, to).counts {
		if of(c.op) {
			messages += c.sent
		}
	}
	return messages
}

// Inbound returns how many messages are on their way to a host, held ones included.
func (n *Network) Inbound(to NodeID) int { return n.nodes[to].inbound }

func (n *Network) trace(what string, m *Message) {
	n.world.Trace(trace.Record{Who: n.nodes[m.From.Node].name, What: what,
		Text: n.nodes[m.To.Node].name + " " + m.describe()})
}
