package network

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// link is one direction between two hosts.
type link struct {
	key     uint64 // from both names: the noise of this link
	delay   rng.Dist
	base    base
	rules   []*Rule // in force, in the order in which they were imposed
	stalled int     // connections on which messages wait for a retransmission
	conns   []connection
	counts  []opCount
}

// plain reports whether nothing but the delay acts on what is sent over the link.
func (l *link) plain() bool { return len(l.rules) == 0 && !l.base.set }

// opCount numbers the messages of one class on one link, so that the noise of a
// message depends on nothing but its own number.
type opCount struct {
	op   *Op
	key  uint64 // of this class on this link in this run
	sent uint64
}

func (l *link) reset() {
	clear(l.rules)
	l.rules, l.conns, l.counts = l.rules[:0], l.conns[:0], l.counts[:0]
	l.stalled, l.base.free = 0, 0
}

// noise is the delay of a message of the link by its number. The draw is keyed by the
// link, the class and the number, and by nothing else, so that a lock that sends more
// does not shift anybody's delays.
func (l *link) noise(c *opCount, number uint64, digest *trace.Digest) time.Duration {
	if d, ok := l.delay.IsConstant(); ok {
		return d
	}
	s := rng.New(c.key+number, digest)
	return l.delay.Sample(&s)
}

// count returns the counter of a class on the link.
func (n *Network) count(l *link, op *Op) *opCount {
	for i := range l.counts {
		if c := &l.counts[i]; c.op == op {
			return c
		}
	}
	l.counts = append(l.counts, opCount{op: op, key: rng.Hash(n.seed, l.key, op.hash)})
	return &l.counts[len(l.counts)-1]
}

// fate is the stream of what befalls the message that was counted last: for the link's
// own properties under index 0, for its rules from 1 on. No other draw depends on it.
func (n *Network) fate(c *opCount, index int) rng.Stream {
	return rng.New(rng.Hash(c.key, c.sent, uint64(index)), n.world.Digest())
}

// transmit sends bytes through a pipe that is busy until an instant, and returns when
// the last of them has left. A rate of 0 is no limit.
func transmit(busy *sim.Time, bytesPerSecond int64, at sim.Time, bytes int32) sim.Time {
	if bytesPerSecond == 0 {
		return at
	}
	whole := int64(bytes) * int64(time.Second)
	took := whole / bytesPerSecond
	if whole%bytesPerSecond > 0 {
		took++ // what has not left entirely has not left
	}
	*busy = max(at, *busy).Add(time.Duration(took))
	return *busy
}
