package host

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// StepObserver is told when a process reaches a named step, before the step takes
// effect, so that a fault can be placed exactly there.
type StepObserver interface {
	ReachedStep(h *Host, p *Process, step string)
}

// StepHeeder is a [StepObserver] that can tell whether it makes any difference that a process reaches
// a step once more while all is as it was the last time. To every other observer it does.
type StepHeeder interface {
	Heeds(h *Host, p *Process, step string) bool
}

// DefaultStepCost is the CPU time of a named step. Local code is not free, and a
// pause can fall into it.
const DefaultStepCost = time.Microsecond

// Fleet is all hosts of a world, with the network between them and the coroutines
// on which their processes run.
type Fleet struct {
	World    *sim.World
	Net      *network.Network
	Hosts    []*Host
	Observer StepObserver
	StepCost time.Duration
	Wake     Wake
	// RhoPPB is the declared bound on how much a monotonic clock deviates from true time's
	// rate, in parts per billion; hosts count when one does. 0 declares none.
	RhoPPB int64
	// OnCrash, if set, is told of each crash after the processes are gone, and OnRestart
	// of each restart after the server.
	OnCrash, OnRestart func(h *Host)
	// OnClockStep, if set, is told when the wall clock of a host has been stepped in the
	// course of its own life: by its daemon, a leap second or a bump.
	OnClockStep func(h *Host, by time.Duration)

	pool      sim.Pool
	disturbed []func(h *Host)
}

// NewFleet returns a fleet without hosts.
func NewFleet(w *sim.World, n *network.Network) *Fleet {
	return &Fleet{World: w, Net: n, StepCost: DefaultStepCost}
}

// NewHost adds a host. Its name is unique and keys its randomness; hosts are made
// once and survive resets.
func (f *Fleet) NewHost(name string) *Host {
	h := &Host{fleet: f, Name: name, key: rng.HashString(name)}
	h.Disk.host = h
	h.target = f.World.Register(h)
	h.ID = f.Net.Attach(name, h)
	f.Hosts = append(f.Hosts, h)
	return h
}

// Reset ends all processes and returns every host to a fresh first incarnation with
// a perfect clock, a disk in order and no quota.
func (f *Fleet) Reset() {
	for _, h := range f.Hosts {
		h.reset()
	}
}

// Close ends all processes and the coroutines under them.
func (f *Fleet) Close() {
	f.Reset()
	f.pool.Close()
}

func (h *Host) reset() {
	h.endProcesses()
	h.spare, h.retired = append(h.spare, h.retired...), h.retired[:0]
	h.Clock.Reset()
	h.machine.Reset()
	h.course, h.beyondRho = clock.Course{}, 0
	h.state, h.lost, h.incarnation, h.ports = Running, 0, 0, 0
	h.timers, h.freeTimers = h.timers[:0], h.freeTimers[:0]
	h.halt.forget()
	h.halt = halt{backlog: h.halt.backlog}
	h.quota = quota{}
	h.Disk.reset()
}

// Find returns the host of a name, or nil.
func (f *Fleet) Find(name string) *Host {
	for _, h := range f.Hosts {
		if h.Name == name {
			return h
		}
	}
	return nil
}
