// Package client is the lock user's program: acquire, read, check, work, write,
// release. It is the same for every lock system, so that systems can be compared.
package client

import (
	"errors"
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
	Recorder *history.Recorder
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
}

var (
	sendStep  = [...]string{history.ReadEffect: "read.send", history.WriteEffect: "write.send"}
	replyStep = [...]string{history.ReadEffect: "read.reply", history.WriteEffect: "write.reply"}
)

// Why a client stops in the middle of its critical section, besides
// [host.ErrTimeout]: then a request's outcome is indefinite.
var (
	errNotValid = errors.New("its check failed")
	errRejected = errors.New("its request was rejected")
)

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
}

// draw draws the times of a cycle from a stream of its own, so that they are the same
// under every lock.
func (c *Client) draw(cycle int) work {
	s := rng.New(rng.Hash(c.Seed, rng.HashString("client.work"), uint64(c.Index), uint64(cycle)), c.process.Host().World().Digest())
	w := &c.Workload
	return work{w.Think.Sample(&s), w.BeforeRead.Sample(&s), w.Between.Sample(&s), w.AfterWrite.Sample(&s)}
}

// turn is one cycle: it acquires, runs the section and releases. It reports whether the
// client goes on with another.
func (c *Client) turn(p *host.Process, w work) bool {
	hold := c.Recorder.NewHold(c.Index, c.executor)
	c.record(p, history.Record{Kind: history.Attempt, Hold: hold})
	grant, err := c.Locker.Acquire(p, hold)
	if err != nil {
		c.record(p, history.Record{Kind: history.GiveUp, Hold: hold, Text: err.Error()})
		return true
	}
	c.record(p, history.Record{Kind: history.BeliefBegin, Hold: hold, Token: grant.Token})
	c.startRenewing(hold)
	err = c.section(p, hold, grant, w)
	c.holding = 0
	c.release(p, hold, err)
	return err == nil
}

// section is the critical section: a read, and a write that is based on it.
func (c *Client) section(p *host.Process, hold history.HoldID, g models.Grant, w work) error {
	p.Step("acquired")
	p.Work(w.beforeRead)
	if err := c.check(p, hold, CheckEvery); err != nil {
		return err
	}
	if err := c.request(p, hold, resource.OpRead, history.ReadEffect, g.Token); err != nil {
		return err
	}
	p.Work(w.between)
	if err := c.check(p, hold, CheckEvery, CheckBeforeWrite); err != nil {
		return err
	}
	if err := c.request(p, hold, resource.OpWrite, history.WriteEffect, g.Token); err != nil {
		return err
	}
	p.Work(w.afterWrite)
	return nil
}

// check asks the library whether the lock is still held, if the policy asks at this
// point.
func (c *Client) check(p *host.Process, hold history.HoldID, when ...Check) error {
	for _, policy := range when {
		if c.Workload.Check != policy {
			continue
		}
		p.Step("check")
		if valid := c.Locker.Valid(p); valid {
			c.record(p, history.Record{Kind: history.Check, Hold: hold, Text: "passed"})
		} else {
			c.record(p, history.Record{Kind: history.Check, Hold: hold, Text: "failed"})
			return errNotValid
		}
	}
	return nil
}

// request sends a protected request and waits for its outcome. A rejection or a
// timeout ends the section.
func (c *Client) request(p *host.Process, hold history.HoldID, op *network.Op, e history.Effect, token int64) error {
	p.Step(sendStep[e])
	body := network.Body{Op: op, Hold: hold, Token: token}
	if e == history.WriteEffect {
		body.Value = c.Recorder.NextValue()
	}
	c.record(p, history.Record{Kind: history.Request, Effect: e, Hold: hold, Token: token, Value: body.Value})
	call, deadline := p.Send(c.Resource, body), p.Now().Add(c.Workload.RequestTimeout)
	if e == history.WriteEffect {
		p.Step("write.sent")
	}
	reply, err := p.Reply(call, deadline)
	if err != nil {
		return err
	}
	p.Step(replyStep[e])
	if !reply.OK {
		return errRejected
	}
	return nil
}

// release ends the belief and gives the lock back. A reason is why the section was not
// finished, if it was not.
func (c *Client) release(p *host.Process, hold history.HoldID, reason error) {
	end := history.Record{Kind: history.BeliefEnd, Hold: hold}
	if reason != nil {
		end.Text = reason.Error()
	}
	c.record(p, end)
	c.record(p, history.Record{Kind: history.ReleaseBegin, Hold: hold})
	text := ""
	if err := c.Locker.Release(p); err != nil {
		text = err.Error()
	}
	c.record(p, history.Record{Kind: history.ReleaseEnd, Hold: hold, Text: text})
}

// record stamps a record with the client's local time.
func (c *Client) record(p *host.Process, r history.Record) {
	r.Local = time.Duration(p.Now())
	c.Recorder.Add(r)
}
