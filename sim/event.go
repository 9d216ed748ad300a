package sim

import "math/bits"

// Class orders events that fall on one instant. Faults come first, so a pause "at
// 5 s" covers whatever else happens at 5 s; timers come before deliveries, so a
// deadline that is reached in the instant of a reply has passed.
type Class uint8

const (
	ClassFault Class = iota
	ClassTimer
	ClassDelivery

	classes
)

// TargetID names a registered [Target].
type TargetID int32

// Event is one thing that happens at one instant. It is a 32-byte value: the queue
// copies it, nothing allocates it. Kind, Gen and Slot mean what the target says
// they mean; targets use Slot as an index into a slab of their own and Gen to tell
// a cancelled event from a live one.
type Event struct {
	At     Time
	order  uint64 // class in the top byte, then the sequence number
	Target TargetID
	Slot   int32
	Gen    uint32
	Kind   uint16
}

// Class returns the class under which the event was scheduled.
func (e Event) Class() Class { return Class(e.order >> classShift) }

const classShift = 56

// before returns 1 if e comes before f, else 0. It compares (At, order) as one number
// of 128 bits, whose borrow is the answer without a branch; no time is negative.
func before(e, f *Event) int {
	_, borrow := bits.Sub64(e.order, f.order, 0)
	_, borrow = bits.Sub64(uint64(e.At), uint64(f.At), borrow)
	return int(borrow)
}

// word is the event in one word for the digest. The odd factors spread the instant and
// what the target keeps over all bits, so that no small change of one field makes up for
// a small change of another.
func (e *Event) word() uint64 {
	own := uint64(uint32(e.Slot))<<32 | uint64(e.Gen)
	return uint64(e.At)*0x9e3779b97f4a7c15 ^ e.order ^ uint64(e.Kind)<<48 ^ uint64(uint32(e.Target))<<24 ^ own*0xd1342543de82ef95
}
