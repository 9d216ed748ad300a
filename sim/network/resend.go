package network

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// How Linux retransmits (Documentation/networking/ip-sysctl: tcp_rto_min_us,
// tcp_rto_max_ms, tcp_retries2; RFC 6298): after 200 ms, then after twice as long each
// time up to 120 s; when the timer runs out after the fifteenth retransmission, 924.6 s
// after the message was sent, the connection is given up.
//
// Linux adds the smoothed round-trip time to the 200 ms, so this is the first timeout on
// a LAN, where that is next to nothing; over a long way the real one is longer by the
// round trip. Fast retransmit needs segments that follow the lost one, and a tail loss
// probe (RFC 8985) of a lone segment also waits for an acknowledgement that may be
// delayed for 200 ms, so neither is any faster for a request that waits for its reply.
const (
	minTimeout = 200 * time.Millisecond
	maxTimeout = 120 * time.Second
	maxRetries = 15
)

// timeouts is the sum of the first n timeouts: how long after a message the n-th
// retransmission is sent.
func timeouts(n int) (sum time.Duration) {
	for timeout := minTimeout; n > 0; n-- {
		sum += timeout
		timeout = min(2*timeout, maxTimeout)
	}
	return sum
}

// A connection retransmits one message, its head. What arrives meanwhile waits behind
// it at the receiver, in order; what is sent meanwhile gets there and waits too, since
// the head is what the receiver asks for. Once the head has arrived, all of them are
// there: the round trip in which TCP would send those that are missing is left out.

// stall makes a message wait for a retransmission, of itself or of an earlier one.
func (n *Network) stall(l *link, c *connection, slot int32) {
	f := &n.inflight[slot]
	if n.Tap != nil {
		n.Tap.Lost(f.number) // this transmission of it
	}
	f.number = unseen
	if n.world.Tracing() {
		n.trace("wait", &f.message)
	}
	c.waiting++
	if c.waiting > 1 {
		f.flags |= waits
		n.inflight[c.tail].next = slot
		c.tail = slot
		return
	}
	c.head, c.tail = slot, slot
	l.stalled++
	n.retry(f, slot)
}

// retry schedules the next retransmission of a head or, after the last, the end of the
// connection.
func (n *Network) retry(f *flight, slot int32) {
	now := n.world.Now()
	for i := 1; i <= maxRetries; i++ {
		if at := f.sent.Add(timeouts(i)); at > now {
			n.schedule(sim.ClassTimer, at, slot, kindResend)
			return
		}
	}
	f.flags |= doomed
	n.schedule(sim.ClassTimer, max(now, f.sent.Add(timeouts(maxRetries+1))), slot, kindArrive)
}

// resend sends a head again.
func (n *Network) resend(l *link, c *connection, f *flight, slot int32) {
	if c.life != n.life(f.message.From.Node, f.message.To.Node) {
		n.dropWaiting(l, c)
		n.release(slot)
		return
	}
	if n.world.Tracing() {
		n.trace("resend", &f.message)
	}
	switch v := l.cut(f); {
	case v == never:
		n.advance(l, c, kindResend)
		n.drop(slot)
	case v == later || n.lostAgain(l, f):
		n.retry(f, slot)
	default:
		c.resent = n.world.Now()
		n.schedule(sim.ClassDelivery, c.resent.Add(f.delay), slot, kindResent)
	}
}

// lostAgain draws whether a rule in force loses a retransmission too. The draws are keyed
// by the message and by which of its retransmissions this is.
func (n *Network) lostAgain(l *link, f *flight) (lost bool) {
	c, retransmission := n.count(l, f.message.Op), uint64(1)
	for f.sent.Add(timeouts(int(retransmission))) < n.world.Now() {
		retransmission++
	}
	for i, r := range l.rules {
		if r.Cut || !r.Resend || !r.concerns(&f.message, f.serial) {
			continue
		}
		s := rng.New(rng.Hash(c.key, f.nth, uint64(i+1), retransmission), n.world.Digest())
		if r.Loss.Sample(&s) {
			r.Touched++
			lost = true
		}
	}
	return lost
}

// resent reports whether a head, or one that waited behind it, has got through.
func (n *Network) resent(l *link, c *connection, f *flight, slot int32) bool {
	switch l.cut(f) {
	case later:
		n.retry(f, slot)
		return false
	case never:
		n.advance(l, c, kindResent)
		n.drop(slot)
		return false
	}
	if n.Tap != nil {
		f.number = n.Tap.Sent(f.message, c.resent, n.world.Now(), false)
	}
	n.advance(l, c, kindResent)
	return true
}

// advance makes the next message that waits the head, and lets happen to it, now, what
// the former head was due for.
func (n *Network) advance(l *link, c *connection, kind uint16) {
	next := n.inflight[c.head].next
	if c.waiting--; c.waiting == 0 {
		l.stalled--
		return
	}
	c.head = next
	n.inflight[next].flags &^= waits
	n.schedule(sim.ClassDelivery, n.world.Now(), next, kind)
}

// dropWaiting loses all that wait for a retransmission. The place of the head stays
// taken, since an event waits for it.
func (n *Network) dropWaiting(l *link, c *connection) {
	if c.waiting == 0 {
		return
	}
	slot := c.head
	for i := range c.waiting {
		f := &n.inflight[slot]
		next := f.next
		n.lose(f)
		n.arrived(f.message.To.Node)
		if i == 0 {
			f.flags, f.serial = gone, apart
		} else {
			n.release(slot)
		}
		slot = next
	}
	c.waiting = 0
	l.stalled--
}
