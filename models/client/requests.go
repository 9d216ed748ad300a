package client

import (
	"errors"

	"fencepost/models/resource"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// What a client sends for each effect, and the steps that it passes.
var (
	ops       = [...]*network.Op{history.ReadEffect: resource.OpRead, history.WriteEffect: resource.OpWrite, history.MarkEffect: resource.OpMark, history.OutsideEffect: resource.OpEffect}
	sendStep  = [...]string{history.ReadEffect: "read.send", history.WriteEffect: "write.send", history.MarkEffect: "mark.send", history.OutsideEffect: "effect.send"}
	replyStep = [...]string{history.ReadEffect: "read.reply", history.WriteEffect: "write.reply", history.MarkEffect: "mark.reply", history.OutsideEffect: "effect.reply"}
)

// seen is what a holder knows of an object.
type seen struct {
	content int64
	version int64 // that the last reply to a read or write came with
}

// act writes what the holder makes of what it has read, and has the effect outside of the data that
// the write records, if there is one: before it or after it, as the program is written.
func (c *Client) act(p *host.Process) error {
	made := func(object int) resource.Write { return c.Protected.Next(c.seen[object].content, c.Workload.Prunes) }
	if c.Protected.Kind != resource.Effect {
		return c.each(p, history.WriteEffect, made)
	}
	first, second := history.OutsideEffect, history.WriteEffect
	if c.Protected.RecordsFirst {
		first, second = second, first
	}
	jobs := [history.MaxObjects]resource.Write{} // before the record's reply tells that this one is done
	for object := range c.Protected.Count() {
		jobs[object] = made(object)
	}
	made = func(object int) resource.Write { return jobs[object] }
	if err := c.each(p, first, made); err != nil {
		return err
	}
	if err := c.checkAgain(p); err != nil {
		return err
	}
	return c.each(p, second, made)
}

// each does the same with each object, one after the other. Before the first the caller has checked.
func (c *Client) each(p *host.Process, e history.Effect, made func(object int) resource.Write) error {
	checked := true
	for object := range c.Protected.Count() {
		write := resource.Write{}
		if made != nil {
			write = made(object)
		}
		if write.Nothing {
			continue
		}
		if !checked {
			if err := c.checkAgain(p); err != nil {
				return err
			}
		}
		checked = false
		if err := c.request(p, e, object, write); err != nil {
			return err
		}
	}
	return nil
}

// checkAgain is the check before a request that is not the first of its kind.
func (c *Client) checkAgain(p *host.Process) error { return c.check(p, CheckEvery, CheckTimer) }

// request sends a protected request and waits for its outcome; if there is none, it sends it again
// as often as the program does. A rejection, or no outcome, ends the section.
func (c *Client) request(p *host.Process, e history.Effect, object int, w resource.Write) error {
	body := network.Body{Op: ops[e], Key: int64(object), Hold: c.belief.hold, Token: c.token}
	if e == history.WriteEffect || e == history.OutsideEffect {
		body.Content, body.Revision = w.Content, c.seen[object].version
	}
	reply, err := c.send(p, e, &body)
	for try := 1; errors.Is(err, host.ErrTimeout) && try < c.Workload.RequestAttempts; try++ {
		if err := c.checkAgain(p); err != nil {
			return err
		}
		reply, err = c.send(p, e, &body)
	}
	if err != nil {
		return err
	}
	p.Step(replyStep[e])
	if !reply.OK {
		return errRejected
	}
	if e != history.OutsideEffect { // what that reply tells of the data, no work was based on
		c.seen[object] = seen{reply.Content, reply.Revision}
	}
	return c.work(p, reply.TTL)
}

// send sends a request once and waits for its reply. What is to take effect once gets a value that
// nothing else has, and keeps it when it is sent again.
func (c *Client) send(p *host.Process, e history.Effect, body *network.Body) (network.Message, error) {
	p.Step(sendStep[e])
	if body.Value == 0 && (e == history.WriteEffect || e == history.OutsideEffect) {
		body.Value = c.Recorder.NextValue()
	}
	c.record(p, history.Record{Kind: history.Request, Effect: e, Object: uint8(body.Key), Hold: body.Hold, Token: body.Token, Value: body.Value, Content: body.Content})
	call, deadline := p.Send(c.Resource, *body), p.Now().Add(c.Workload.RequestTimeout)
	if e == history.WriteEffect {
		p.Step("write.sent")
	}
	return c.await(p, call, deadline)
}
