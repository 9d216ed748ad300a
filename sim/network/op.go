package network

import (
	"slices"

	"fencepost/sim/rng"
)

// Op names a kind of message. Models declare theirs as package variables.
type Op struct {
	Name string
	// Bytes is the size of such a message on the wire, for links of limited bandwidth.
	Bytes int32
	// Upkeep says that servers send each other such messages whether there are clients or not.
	Upkeep bool
	hash   uint64
}

// DefaultBytes is the size of a message whose kind declares none: the 60 or so bytes of
// a lock request (SET key token NX PX ttl in Redis' protocol, with a short key and a
// token of 20 bytes) and the 40 of its IPv4 and TCP headers.
const DefaultBytes = 100

// declared are all kinds. It is filled while packages are initialized, and read only
// after that.
var declared []*Op

// NewOp declares a kind of message, such as "redis.set". Names are unique, since they key
// the noise of messages; a name that is taken is a mistake of the program's.
func NewOp(name string) *Op {
	if FindOp(name) != nil {
		panic("network: a second kind of message " + name)
	}
	o := &Op{Name: name, Bytes: DefaultBytes, hash: rng.HashString(name)}
	declared = append(declared, o)
	return o
}

// NewUpkeep declares a kind of message that servers send each other whether there are clients or not,
// such as a heartbeat.
func NewUpkeep(name string) *Op {
	o := NewOp(name)
	o.Upkeep = true
	return o
}

// FindOp returns the kind of a name, or nil.
func FindOp(name string) *Op {
	for _, o := range declared {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// OpNames returns the names of all kinds, sorted.
func OpNames() (names []string) {
	for _, o := range declared {
		names = append(names, o.Name)
	}
	slices.Sort(names)
	return names
}

// String returns the name.
func (o *Op) String() string {
	if o == nil {
		return "(no op)"
	}
	return o.Name
}
