package sim

import (
	"fmt"

	"fencepost/sim/trace"
)

// Target receives the events that were scheduled for it.
type Target interface {
	Fire(e Event)
}

// Voider is a [Target] that can tell which of its events will come to nothing, such as those of
// cancelled timers.
type Voider interface {
	Void(e *Event) bool
}

// Outcome says why [World.Run] came back.
type Outcome uint8

const (
	// Stopped: somebody called [World.Stop].
	Stopped Outcome = iota
	// Elapsed: every event up to and including the horizon has run.
	Elapsed
	// Drained: no event is left at all.
	Drained
	// Exhausted: the bound on the number of events was reached, so whatever was
	// still to come is unknown.
	Exhausted
	// Interrupted: [World.Interrupt] said so; the run is worth nothing.
	Interrupted
)

// DefaultMaxEvents bounds a run that would not end by itself.
const DefaultMaxEvents = 50_000_000

// interruptEvery is how many events run between two looks at [World.Interrupt].
const interruptEvery = 1 << 14

// World owns virtual time and the event queue. The zero value is ready to use; a
// world is reset and reused, so that a trial in steady state allocates nothing.
type World struct {
	// MaxEvents bounds the events of one run; 0 means DefaultMaxEvents.
	MaxEvents uint64
	// Interrupt, if set, is asked now and then whether to give the run up. What it
	// says makes no difference to a run that is not given up.
	Interrupt func() bool
	// Pace, if set, is called before an event is handled, with its instant, and before the end of a run,
	// and may schedule others that come before. It serves worlds that go along with something outside of them.
	Pace func(at Time)
	// Sink, if set, receives the run's trace. A nil sink costs one comparison.
	Sink trace.Sink

	now      Time
	handling Class // of the event that is being handled
	horizon  Time  // of the run
	resets   uint64
	sequence uint64
	fired    uint64
	queue    Queue
	targets  []Target
	digest   trace.Digest
	stopped  bool
}

// Register adds a target for events and returns its name. Targets survive
// [World.Reset]; register them in a fixed order, since the name enters the digest.
func (w *World) Register(t Target) TargetID {
	w.targets = append(w.targets, t)
	return TargetID(len(w.targets) - 1)
}

// Reset returns to time zero with an empty queue and a digest that starts from the
// seed. Targets stay registered.
func (w *World) Reset(seed uint64) {
	w.now, w.handling, w.sequence, w.fired, w.stopped = 0, 0, 0, 0, false
	w.resets++
	w.queue.Reset()
	w.digest = 0
	w.digest.Mix(seed)
}

// Now returns true time.
func (w *World) Now() Time { return w.now }

// Resets counts the calls of [World.Reset]: it tells what belongs to an earlier run.
func (w *World) Resets() uint64 { return w.resets }

// Passed reports whether an event of a class at an instant, had there been one, would
// have been handled by now. It takes an event of the class and the instant that are
// being handled for one that is still to come.
func (w *World) Passed(at Time, c Class) bool {
	return at < w.now || at == w.now && c < w.handling
}

// Next returns an instant before which nothing is handled but what is yet to be scheduled: that of
// the earliest event that is pending and not void, or one after the end of the run.
func (w *World) Next() Time {
	next := w.horizon + 1
	for i, pending := 0, w.queue.Pending(); i < len(pending); i++ {
		e := &pending[i]
		if e.At >= next {
			continue
		}
		if v, ok := w.targets[e.Target].(Voider); !ok || !v.Void(e) {
			next = e.At
		}
	}
	return next
}

// Fired returns the number of events that have run, cancelled timers included.
func (w *World) Fired() uint64 { return w.fired }

// Digest is the run's fingerprint. Streams of random numbers mix their draws in.
func (w *World) Digest() *trace.Digest { return &w.digest }

// Schedule puts an event into the queue. Virtual time never goes back: scheduling
// in the past is a broken invariant.
func (w *World) Schedule(class Class, e Event) {
	if e.At < w.now {
		panic(fmt.Sprintf("sim: event for target %d scheduled at %v, before now (%v, sequence %d)",
			e.Target, e.At, w.now, w.sequence))
	}
	w.sequence++
	e.order = uint64(class)<<classShift | w.sequence
	w.queue.Push(e)
}

// Stop makes [World.Run] return once the current event has been handled.
func (w *World) Stop() { w.stopped = true }

// Run handles events in order up to and including the horizon.
func (w *World) Run(horizon Time) Outcome {
	w.horizon = horizon
	bound := w.MaxEvents
	if bound == 0 {
		bound = DefaultMaxEvents
	}
	for !w.stopped {
		if w.Pace != nil && w.overtaken(horizon) {
			continue
		}
		if w.queue.Len() == 0 {
			w.handling = classes
			return Drained
		}
		if w.queue.Peek() > horizon {
			w.now, w.handling = max(w.now, horizon), classes
			return Elapsed
		}
		if w.fired == bound {
			return Exhausted
		}
		if w.fired%interruptEvery == 0 && w.Interrupt != nil && w.Interrupt() {
			return Interrupted
		}
		e := w.queue.Pop()
		w.now, w.handling = e.At, e.Class()
		w.fired++
		w.digest.Mix(e.word())
		w.targets[e.Target].Fire(e)
	}
	return Stopped
}

// overtaken calls Pace, and reports whether it has scheduled something that comes before what was to
// come, or before the horizon.
func (w *World) overtaken(horizon Time) bool {
	at := min(w.queue.Peek(), horizon)
	w.Pace(at)
	return w.queue.Peek() < at
}

// Trace hands a record to the sink, if there is one. Callers on hot paths test
// [World.Tracing] first, to save building the record.
func (w *World) Trace(r trace.Record) {
	if w.Sink == nil {
		return
	}
	r.Sequence, r.At, r.Digest = w.fired, int64(w.now), w.digest.Sum()
	w.Sink.Record(r)
}

// Tracing reports whether anybody listens to the trace.
func (w *World) Tracing() bool { return w.Sink != nil }
