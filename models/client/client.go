// Package client is the lock user's program: acquire, read, check, work, write,
// release. It is the same for every lock system, so that systems can be compared.
package client

import (
	"time"

	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Client runs a workload on a host.
type Client struct {
	Index    int
	Workload Workload
	Locker   models.Locker
	Resource network.Addr
	// Protocol is what the guard of the resource asks of the program, and Protected what the
	// resource is.
	Protocol  resource.Protocol
	Protected resource.Settings
	Recorder  *history.Recorder
	// Seed keys the work and think times by client and cycle.
	Seed uint64
	// OnDone, if set, is called when the client has no more to do.
	OnDone func()

	executor history.Executor
	process  *host.Process
	cycle    int            // the one it is in
	due      sim.Time       // when that begins
	renewer  *host.Process  // nil if nothing is renewed
	holding  history.HoldID // the hold that is renewed
	belief   belief
	token    int64 // that the requests of its hold show to the guard
	seen     [history.MaxObjects]seen
}

// Executor is the thread that holds, in the record.
func (c *Client) Executor() history.Executor { return c.executor }

// Start launches the client's process in a run that begins.
func (c *Client) Start(h *host.Host, name string) {
	c.cycle, c.due = 0, sim.Time(0).Add(c.Workload.Start)
	c.Restart(h, name)
}

// Restart launches it after a crash: it begins the cycle anew in which it crashed, or
// waits on for the one that it waited for.
func (c *Client) Restart(h *host.Host, name string) {
	c.executor, c.holding, c.renewer = history.ExecutorOf(c.Index, int(h.Incarnation())), 0, nil
	c.belief = belief{}
	c.process = h.Go(name, c.run)
	if _, ok := c.Locker.(models.Renewer); ok && c.Workload.Renew > 0 {
		c.renewer = h.Go("renewing", c.renew)
	}
}

func (c *Client) run(p *host.Process) {
	for first := c.cycle; c.cycle < c.Workload.Cycles; c.cycle++ {
		work, now := c.draw(c.cycle), p.Host().World().Now()
		if c.cycle > first {
			c.due = now.Add(work.think)
		}
		p.Sleep(c.due.Sub(now))
		p.Step("start")
		if !c.turn(p, work) {
			break
		}
	}
	if c.OnDone != nil {
		c.OnDone()
	}
}

// work holds the drawn times of one cycle.
type work struct {
	think, beforeRead, between, afterWrite time.Duration
	stopLatency, releaseDelay              time.Duration
}

// draw draws the times of a cycle from a stream of its own, so that they are the same
// under every lock.
func (c *Client) draw(cycle int) work {
	s := rng.New(rng.Hash(c.Seed, rng.HashString("client.work"), uint64(c.Index), uint64(cycle)), c.process.Host().World().Digest())
	w := &c.Workload
	return work{w.Think.Sample(&s), w.BeforeRead.Sample(&s), w.Between.Sample(&s), w.AfterWrite.Sample(&s),
		w.StopLatency.Sample(&s), w.ReleaseDelay.Sample(&s)}
}

// turn is one cycle: it acquires, runs the section and releases. It reports whether the
// client goes on with another.
func (c *Client) turn(p *host.Process, w work) bool {
	hold := c.Recorder.NewHold(c.Index, c.executor)
	c.record(p, history.Record{Kind: history.Attempt, Hold: hold})
	grant, err := c.Locker.Acquire(p, hold)
	if err != nil {
		c.record(p, history.Record{Kind: history.GiveUp, Hold: hold, Text: err.Error()})
		if c.Workload.UnownedRelease {
			c.giveBack(p, hold)
		}
		return true
	}
	c.believe(p, hold, grant, w.stopLatency)
	c.startRenewing(hold)
	err = c.section(p, w)
	c.holding = 0
	c.stopBelieving(p, err)
	if w.releaseDelay > 0 {
		p.Sleep(w.releaseDelay)
	}
	c.giveBack(p, hold)
	return err == nil
}

// record stamps a record with the client's local time.
func (c *Client) record(p *host.Process, r history.Record) {
	r.Local = time.Duration(p.Now())
	c.Recorder.Add(r)
}
