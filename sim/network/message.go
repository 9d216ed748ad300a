package network

import (
	"time"

	"fencepost/sim/history"
)

// NodeID names a host on the network.
type NodeID int16

// Addr is one end of a connection: a host and a port on it. Port 0 is the host's
// server; processes have ports of their own.
type Addr struct {
	Node NodeID
	Port int16
}

// Body is what a message says: the words that lock protocols use. A protocol uses
// those it needs and leaves the others zero.
type Body struct {
	Op       *Op
	Key      int64
	Value    int64
	Token    int64
	Revision int64
	Content  int64
	TTL      time.Duration
	// Hold ties the message to the hold on whose behalf it is sent. It is for the
	// record only; no protocol step reads it.
	Hold history.HoldID
	OK   bool
	// Ref carries what does not fit, such as a consensus message. Its content does
	// not enter the digest; whoever uses it mixes in what matters.
	Ref any
}

// Message is a body on its way.
type Message struct {
	From, To Addr
	Call     uint32 // correlates a reply with its request; 0 is none
	Body
}

// fingerprint folds what the message says into one word for the digest.
func (m *Message) fingerprint() uint64 {
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	h := m.Op.hash
	h = h*odd + (uint64(uint16(m.From.Node))<<48 | uint64(uint16(m.From.Port))<<32 | uint64(uint16(m.To.Node))<<16 | uint64(uint16(m.To.Port)))
	h = h*odd + (uint64(m.Call)<<32 | uint64(uint32(m.Hold)))
	h = h*odd + uint64(m.Key)
	h = h*odd + uint64(m.Value)
	h = h*odd + uint64(m.Token)
	h = h*odd + uint64(m.Revision)
	if m.Content != 0 {
		h = h*odd + uint64(m.Content)
	}
	if m.OK {
		h = ^h
	}
	return h*odd + uint64(m.TTL)
}
