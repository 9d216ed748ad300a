package network

import (
	"time"

	"fencepost/sim"
)

// OnDisturb has f called before anything but traffic acts on the link from one host to
// another: a rule, a hold or its release, a reset, another delay, loss, bandwidth or
// synchrony, but not the end of a rule. It serves models that work out what messages would do instead of sending them. f stays for good, and who
// registered first is called first.
func (n *Network) OnDisturb(f func(from, to NodeID)) { n.disturbed = append(n.disturbed, f) }

// disturbs is called before the change.
func (n *Network) disturbs(from, to NodeID) {
	for _, f := range n.disturbed {
		f(from, to)
	}
}

// MaxDelay returns a duration that no delay of a link exceeds, if nothing else acts on
// its messages (see [Network.Quiet]).
func (n *Network) MaxDelay(from, to NodeID) time.Duration { return n.link(from, to).delay.Max() }

// Open reports whether a connection, and none that was reset or one of whose ends has crashed, has
// carried a message in this direction.
func (n *Network) Open(from, to Addr) bool {
	c := n.link(from.Node, to.Node).find(from.Port, to.Port)
	return c != nil && c.life == n.life(from.Node, to.Node)
}

// SendLate puts a message on its way as if it had been sent at an earlier instant. Its
// link must have been quiet since (see [Network.Quiet]), and it must not be due before
// now.
func (n *Network) SendLate(from, to Addr, call uint32, b *Body, at sim.Time) {
	n.depart(from, to, call, b, at)
}
