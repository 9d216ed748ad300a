package sim

// Class orders events that fall on one instant. Faults come first, so a pause "at
// 5 s" covers whatever else happens at 5 s; timers come before deliveries, so a
// deadline that is reached in the instant of a reply has passed.
type Class uint8

const (
	ClassFault Class = iota
	ClassTimer
	ClassDelivery
)

// TargetID names a registered [Target].
type TargetID int32

// Event is one thing that happens at one instant. It is a 40-byte value: the queue
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

func (e Event) before(f Event) bool {
	if e.At != f.At {
		return e.At < f.At
	}
	return e.order < f.order
}
