package network

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// base is what a link is like when nothing disturbs it, beside its delay.
type base struct {
	set            bool // something below is, or the network is partially synchronous
	loss           rng.Chance
	resend         bool
	bytesPerSecond int64
	free           sim.Time // when what was sent before has left
}

// SetDelay sets the one-way delay from one host to another.
func (n *Network) SetDelay(from, to NodeID, d rng.Dist) {
	n.disturbs(from, to)
	n.link(from, to).delay = d
}

// SetLoss makes the link from one host to another lose a share of its messages, which
// are sent again as TCP does it, or, as datagrams, are not.
func (n *Network) SetLoss(from, to NodeID, loss rng.Chance, resend bool) {
	n.disturbs(from, to)
	l := n.link(from, to)
	l.base.loss, l.base.resend = loss, resend
	n.mark(l)
}

// SetBandwidth limits the link from one host to another. A message leaves after those
// that were sent before it, whatever their connections, and takes its size over the rate
// (see [Op]); the delay comes on top. A rate of 0 is no limit.
func (n *Network) SetBandwidth(from, to NodeID, bytesPerSecond int64) {
	n.disturbs(from, to)
	l := n.link(from, to)
	l.base.bytesPerSecond = bytesPerSecond
	n.mark(l)
}

// Synchrony is partial synchrony as of Dwork, Lynch and Stockmeyer ("Consensus in the
// Presence of Partial Synchrony", JACM 1988, the variant with an unknown instant): from
// the global stabilization time on, messages take at most a bound.
type Synchrony struct {
	GST sim.Time
	// Before is added to the delay of what is sent before GST. It may be unbounded.
	Before rng.Dist
	// Bound is how long a message takes at most after GST or, if it was sent later, after
	// it was sent. 0 means that the network is not partially synchronous.
	Bound time.Duration
}

// SetSynchrony makes all links partially synchronous. The bound covers what links are
// like by themselves: delay, bandwidth, and loss that TCP makes good. Rules and holds are
// faults, which come on top and know no bound, and a datagram that is lost stays lost.
func (n *Network) SetSynchrony(s Synchrony) {
	for from := range n.nodes {
		for to := range n.nodes {
			n.disturbs(NodeID(from), NodeID(to))
		}
	}
	n.synchrony = s
	for i := range n.links {
		n.mark(&n.links[i])
	}
}

func (n *Network) mark(l *link) {
	l.base.set = !l.base.loss.Never() || l.base.bytesPerSecond != 0 || n.synchrony.Bound > 0
}

// underway is how far the way of a message that is being sent is known.
type underway struct {
	flight  *flight
	bytes   int32
	leaves  sim.Time // the last byte
	arrival sim.Time
	losses  int // in a row, each made good by a retransmission
	lost    bool
}

// take lets the link's own properties act on a message.
func (n *Network) take(l *link, c *opCount, u *underway) {
	b, now := &l.base, n.world.Now()
	s := n.fate(c, 0)
	u.leaves = transmit(&b.free, b.bytesPerSecond, now, u.bytes)
	u.arrival = u.arrival.Add(u.leaves.Sub(now))
	u.lose(b.loss, b.resend, &s)
	y := &n.synchrony
	if y.Bound == 0 {
		return
	}
	if now < y.GST {
		u.arrival = u.arrival.Add(y.Before.Sample(&s))
	}
	if latest := max(now, y.GST).Add(y.Bound); u.arrival > latest {
		u.arrival, u.losses = latest, 0
	}
}

// lose draws whether a message is lost, or how often in a row if it is sent again.
func (u *underway) lose(loss rng.Chance, resend bool, s *rng.Stream) {
	if !resend {
		u.lost = loss.Sample(s)
		return
	}
	for u.losses <= maxRetries && loss.Sample(s) {
		u.losses++
	}
	u.arrival = u.arrival.Add(timeouts(u.losses))
}
