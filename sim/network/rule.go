package network

import (
	"slices"

	"fencepost/sim"
	"fencepost/sim/rng"
)

// Rule is a disturbance of one link, in one direction, while it is in force. Rules of
// several faults add up: each acts as if it were alone, and lifting one leaves what the
// others do.
//
// A cut acts on what is sent and on what would arrive while it is in force; everything
// else acts on what is sent.
type Rule struct {
	From, To NodeID
	Port     int16 // of the process at either end whose connection it is; 0 is all connections
	Op       *Op   // nil is every class
	// Existing spares connections that begin later: the half-open hang of a connection
	// that a middlebox has forgotten.
	Existing bool

	// Cut carries nothing; what is said below but Resend then does not matter.
	Cut bool
	// Loss is the share of messages that are lost.
	Loss rng.Chance
	// Resend makes late, as TCP does, what Cut or Loss would make never arrive.
	Resend bool
	// Duplicate is the share of messages that arrive a second time, Again after the
	// first. A message has one copy at most.
	Duplicate rng.Chance
	Again     rng.Dist
	// Extra is added to each delay: a slow link.
	Extra rng.Dist
	// BytesPerSecond limits the bandwidth for what the rule concerns. 0 is no limit.
	BytesPerSecond int64

	// Touched counts the messages to which it made a difference, that it copied or made
	// slower, and each transmission of one that it swallowed or lost.
	Touched int

	since uint64   // connections up to this number existed when it was imposed
	free  sim.Time // when what was sent before has left
}

// Impose puts a rule in force, once at a time. It must stay where it is until it is
// lifted.
func (n *Network) Impose(r *Rule) {
	n.disturbs(r.From, r.To)
	r.since, r.free = n.serial, 0
	l := n.link(r.From, r.To)
	l.rules = append(l.rules, r)
}

// Lift ends a rule; for one that is not in force it does nothing.
func (n *Network) Lift(r *Rule) {
	l := n.link(r.From, r.To)
	if i := slices.Index(l.rules, r); i >= 0 {
		l.rules = slices.Delete(l.rules, i, i+1)
	}
}

// InForce returns the rules that are in force on the link from one host to another. They are the network's.
func (n *Network) InForce(from, to NodeID) []*Rule { return n.link(from, to).rules }

// concerns reports whether a rule acts on a message of a connection.
func (r *Rule) concerns(m *Message, serial uint64) bool {
	return (r.Port == 0 || r.Port == m.From.Port || r.Port == m.To.Port) &&
		(r.Op == nil || r.Op == m.Op) && (!r.Existing || serial <= r.since)
}

// verdict is what cuts do to a message.
type verdict uint8

const (
	passes verdict = iota
	later          // swallowed, and to be sent again
	never          // swallowed
)

// cut asks the cuts in force about a message. A cut for good prevails over one after
// which messages are sent again.
func (l *link) cut(f *flight) (v verdict) {
	for _, r := range l.rules {
		if !r.Cut || !r.concerns(&f.message, f.serial) {
			continue
		}
		r.Touched++
		if r.Resend {
			v = max(v, later)
		} else {
			v = never
		}
	}
	return v
}

// disturb lets the rules in force act on a message that is sent.
func (n *Network) disturb(l *link, c *opCount, u *underway) {
	f := u.flight
	switch l.cut(f) {
	case never:
		u.lost = true
		return
	case later:
		f.flags |= swallowed
	}
	for i, r := range l.rules {
		if !r.Cut && r.concerns(&f.message, f.serial) && r.act(n.fate(c, i+1), u) {
			r.Touched++
		}
		if u.lost {
			return
		}
	}
}

// act is what a rule that is no cut does to a message. It reports whether that
// made a difference. The order of draws is fixed, so that none shifts another.
func (r *Rule) act(s rng.Stream, u *underway) (touched bool) {
	f, before := u.flight, u.arrival
	if touched = r.Loss.Sample(&s); touched && !r.Resend {
		u.lost = true
		return true
	}
	if touched { // this transmission of it; what becomes of the next, the next will tell
		f.flags |= swallowed
	}
	left := transmit(&r.free, r.BytesPerSecond, u.leaves, u.bytes)
	u.arrival = u.arrival.Add(left.Sub(u.leaves)).Add(r.Extra.Sample(&s))
	u.leaves = left
	if r.Duplicate.Sample(&s) && f.flags&doubled == 0 {
		f.flags |= doubled
		f.again = r.Again.Sample(&s)
		touched = true
	}
	return touched || u.arrival > before
}
