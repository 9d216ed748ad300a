// Package virtual runs unmodified client libraries in a simulated world: the network, the servers, the
// faults and the resource are those of package scenarios, and the library is the real one.
//
// A library runs in goroutines of a testing/synctest bubble, whose clock is the world's: before the
// world handles an event, the bubble sleeps until its instant ([sim.World].Pace). What the library
// wants of a server it posts, and a process of the simulated client sends it; the reply goes the same
// way back. So a pause of the client's host stops the process and not the bubble: a timer of the
// library's own that is due meanwhile fires, and what it leads to is late.
//
// Below a library is either a client interface of ours and the model's servers, so that the library alone
// is compared, or a stack of real things: go-redis, and miniredis on the servers' hosts.
//
// The clocks of the clients have to be perfect, as the bubble's is, and steps take no time.
package virtual

import (
	"testing/synctest"
	"time"

	"fencepost/models"
	"fencepost/sim"
)

// bridge ties the libraries of some clients to a world.
type bridge struct {
	env    *models.Env
	target sim.TargetID
	base   time.Time // when the world's time began, on the bubble's clock
	rang   chan struct{}
	calls  []*call // that are under way, by their number
}

// newBridge ties libraries to the world of an environment.
func newBridge(e *models.Env) *bridge {
	b := &bridge{env: e, rang: make(chan struct{}, 1)}
	w := e.Fleet.World
	b.target = w.Register(b)
	w.Pace = b.pace
	return b
}

// reset begins a trial.
func (b *bridge) reset() { b.base, b.calls = time.Now(), nil }

// now is the world's time on the bubble's clock.
func (b *bridge) now() sim.Time { return sim.Time(time.Since(b.base)) }

// pace lets the bubble go on until an instant, or until a library wants something.
func (b *bridge) pace(at sim.Time) {
	for asked := false; !asked && b.now() < at; {
		timer := time.NewTimer(at.Sub(b.now()))
		select {
		case <-timer.C:
		case <-b.rang:
			timer.Stop()
		}
		synctest.Wait()
		asked = b.wake()
	}
}

// wake has the processes look for which something was posted, and reports whether there are any.
func (b *bridge) wake() (asked bool) {
	for number, c := range b.calls {
		if c != nil && c.posted() {
			asked = true
			b.env.Fleet.World.Schedule(sim.ClassTimer, sim.Event{At: b.now(), Target: b.target, Slot: int32(number)})
		}
	}
	return asked
}

// Fire implements [sim.Target]: the bell rings at the process of a call.
func (b *bridge) Fire(e sim.Event) {
	if c := b.calls[e.Slot]; c != nil && c.posted() {
		c.ring()
	}
}

// begin takes a call up, and returns what ends it.
func (b *bridge) begin(c *call) (end func()) {
	number := len(b.calls)
	b.calls = append(b.calls, c)
	return func() { b.calls[number] = nil }
}

// tell says that something was posted.
func (b *bridge) tell() {
	select {
	case b.rang <- struct{}{}:
	default:
	}
}
