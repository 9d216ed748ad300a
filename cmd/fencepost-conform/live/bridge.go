//go:build linux

package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fencepost/sim"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// bridge has a simulated world go along with real time: an event is handled when its instant has come, and
// what real processes answer becomes an event of the instant at which it comes in.
type bridge struct {
	ctx    context.Context
	world  *sim.World
	target sim.TargetID
	// late is by how much the world may be behind real time, and lag by how much it was.
	late, lag time.Duration
	// changed is called after each event: it does to real processes what has befallen simulated ones.
	changed func()

	begin time.Time // of the world's time, zero before the first event
	calls []*call   // that are under way, by their number
	rang  chan news
	err   error // that ended the run
}

// call is something that a simulated process waits for and a real one does.
type call struct {
	process  *host.Process
	number   int
	finished bool
}

// news is that a call has come back, or that something real has changed or failed.
type news struct {
	call *call
	err  error
}

// opBell wakes a process whose call has come back.
var opBell = network.NewOp("conform.bell")

func newBridge(ctx context.Context, w *sim.World, late time.Duration, changed func()) *bridge {
	b := &bridge{ctx: ctx, world: w, late: late, changed: changed, rang: make(chan news)}
	b.target = w.Register(b)
	w.Pace = b.pace
	return b
}

// now is the world's time in reality.
func (b *bridge) now() sim.Time { return sim.Time(time.Since(b.begin)) }

// pace waits until an instant has come, or until a call has come back before.
func (b *bridge) pace(at sim.Time) {
	if b.begin.IsZero() {
		b.begin = time.Now()
	}
	b.changed()
	for asked := false; !asked && b.err == nil && b.now() < at; {
		timer := time.NewTimer(at.Sub(b.now()))
		select {
		case <-timer.C:
		case n := <-b.rang:
			b.fail(n.err)
			b.changed()
			asked = n.call != nil && b.wake(n.call)
		case <-b.ctx.Done():
			b.fail(b.ctx.Err())
		}
		timer.Stop()
	}
	if b.lag = max(b.lag, b.now().Sub(at)); b.lag > b.late && b.err == nil {
		b.fail(fmt.Errorf("%w: an event came %v late", errBusy, b.lag))
	}
}

// errBusy says that a run is worth nothing, since its world could not keep up with real time.
var errBusy = errors.New("the machine is too busy")

// wake has the process of a call look, now; not if it is gone.
func (b *bridge) wake(c *call) bool {
	c.finished = true
	if b.calls[c.number] == nil {
		return false
	}
	b.world.Schedule(sim.ClassTimer, sim.Event{At: max(b.now(), b.world.Now()), Target: b.target, Slot: int32(c.number)})
	return true
}

// Fire implements [sim.Target]: the bell rings at the process of a call.
func (b *bridge) Fire(e sim.Event) {
	c := b.calls[e.Slot]
	if c == nil {
		return
	}
	h := c.process.Host()
	m := network.Message{To: network.Addr{Node: h.ID, Port: c.process.Port()}}
	m.Op = opBell
	h.Deliver(&m) // kept, if the host stands still
}

// do has a real process do something, while the world goes on, and returns when the simulated one has
// heard that it is done.
func (b *bridge) do(p *host.Process, real func()) {
	c := &call{process: p, number: len(b.calls)}
	b.calls = append(b.calls, c)
	defer func() { b.calls[c.number] = nil }() // also if the process is killed
	go func() {
		real()
		b.tell(news{call: c})
	}()
	for !c.finished {
		p.Recv(p.Now().Add(host.Forever))
	}
}

// tell is called by whoever has news.
func (b *bridge) tell(n news) {
	select {
	case b.rang <- n:
	case <-b.ctx.Done():
	}
}

// fail ends the run with an error, the first one.
func (b *bridge) fail(err error) {
	if err != nil && b.err == nil {
		b.err = err
		b.world.Stop()
	}
}
