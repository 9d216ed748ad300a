package client

import (
	"slices"
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// belief is what a client takes itself to hold, from the return of acquire on until its
// section has stopped.
type belief struct {
	hold    history.HoldID
	token   int64
	latency time.Duration // from noticing a loss to having stopped

	suspended bool // the library blocks its caller
	stopping  bool // a loss has been noticed
	stopAt    clock.Mono
}

func (c *Client) believe(p *host.Process, hold history.HoldID, g models.Grant, latency time.Duration) {
	c.belief = belief{hold: hold, token: g.Token, latency: latency}
	c.record(p, history.Record{Kind: history.BeliefBegin, Hold: hold, Token: g.Token})
}

// stopBelieving ends the belief. A reason is why the section was not finished, if it was not.
func (c *Client) stopBelieving(p *host.Process, reason error) {
	if c.belief.suspended {
		return // it ended when the library blocked, and did not come back
	}
	end := history.Record{Kind: history.BeliefEnd, Hold: c.belief.hold}
	if reason != nil {
		end.Text = reason.Error()
	}
	c.record(p, end)
}

// check asks the library whether the lock is still held, if the policy is one of those that
// ask at this point. An error means that the section has to stop here.
func (c *Client) check(p *host.Process, policies ...Check) error {
	if !c.belief.stopping && slices.Contains(policies, c.Workload.Check) {
		p.Step("check")
		held := c.ask(p)
		c.answer(p, held)
		c.heed(p, held)
	}
	return c.stopped(p)
}

// lookUp asks in the middle of work, where only a no is worth a record.
func (c *Client) lookUp(p *host.Process) error {
	if !c.belief.stopping && c.Workload.Check == CheckTimer {
		p.Step("check")
		held := c.ask(p)
		if !held {
			c.answer(p, held)
		}
		c.heed(p, held)
	}
	return c.stopped(p)
}

// answer records what the library said.
func (c *Client) answer(p *host.Process, held bool) {
	text := "failed"
	if held {
		text = "passed"
	}
	c.record(p, history.Record{Kind: history.Check, Hold: c.belief.hold, Text: text})
}

// heed begins to stop the section for a loss, if the policy is to stop.
func (c *Client) heed(p *host.Process, held bool) {
	if b := &c.belief; !held && c.Workload.OnLoss != IgnoreLoss {
		b.stopping, b.stopAt = true, p.Now().Add(b.latency)
	}
}

// stopped reports whether the section has to stop here.
func (c *Client) stopped(p *host.Process) error {
	if b := &c.belief; b.stopping && p.Now() >= b.stopAt {
		return errNotValid
	}
	return nil
}

// ask asks the library, which may block its caller for as long as it does not know. The
// belief is suspended then, and goes on if the lock turns out to be held, or the section goes
// on without it: for the time that it takes to stop, if that takes any.
func (c *Client) ask(p *host.Process) (held bool) {
	b := &c.belief
	if s, ok := c.Locker.(models.Suspender); ok && s.InDoubt(p) {
		b.suspended = true
		c.record(p, history.Record{Kind: history.BeliefEnd, Hold: b.hold, Text: history.Suspended})
		s.Settle(p)
	}
	held = c.Locker.Valid(p)
	if b.suspended && (held || c.Workload.OnLoss == IgnoreLoss || b.latency > 0) {
		b.suspended = false
		c.record(p, history.Record{Kind: history.BeliefBegin, Hold: b.hold, Token: b.token, Text: history.Resumed})
	}
	return held
}

// await waits for the reply to a request, as long as the section goes on.
func (c *Client) await(p *host.Process, call uint32, deadline clock.Mono) (network.Message, error) {
	if c.belief.stopping && c.belief.stopAt < deadline {
		reply, err := p.Reply(call, c.belief.stopAt)
		if err == host.ErrTimeout {
			err = errNotValid
		}
		return reply, err
	}
	return p.Reply(call, deadline)
}
