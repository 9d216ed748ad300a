package client

import (
	"errors"
	"time"

	"fencepost/models"
	"fencepost/models/resource"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

var (
	sendStep  = [...]string{history.ReadEffect: "read.send", history.WriteEffect: "write.send", history.MarkEffect: "mark.send"}
	replyStep = [...]string{history.ReadEffect: "read.reply", history.WriteEffect: "write.reply", history.MarkEffect: "mark.reply"}
)

// Why a client stops in the middle of its critical section, besides
// [host.ErrTimeout]: then a request's outcome is indefinite.
var (
	errNotValid = errors.New("its check failed")
	errRejected = errors.New("its request was rejected")
)

// section is the critical section: a read, and a write that is based on it; and a mark before
// them, if the guard of the resource wants one.
func (c *Client) section(p *host.Process, w work) error {
	p.Step("acquired")
	c.shown = shown{token: c.tokenToShow()}
	if err := c.mark(p); err != nil {
		return err
	}
	if err := c.work(p, w.beforeRead); err != nil {
		return err
	}
	if err := c.check(p, CheckEvery, CheckTimer); err != nil {
		return err
	}
	if err := c.request(p, resource.OpRead, history.ReadEffect); err != nil {
		return err
	}
	if err := c.work(p, w.between); err != nil {
		return err
	}
	if err := c.check(p, CheckBeforeWrite, CheckEvery, CheckTimer); err != nil {
		return err
	}
	if err := c.request(p, resource.OpWrite, history.WriteEffect); err != nil {
		return err
	}
	return c.work(p, w.afterWrite)
}

// work is a stretch of work. With a timer the client looks up from it now and then; who has
// noticed a loss works on until its latency is over.
func (c *Client) work(p *host.Process, d time.Duration) error {
	for d > 0 {
		slice := d
		if c.Workload.Check == CheckTimer {
			slice = min(slice, c.Workload.CheckPeriod)
		}
		if c.belief.stopping {
			slice = min(slice, c.belief.stopAt.Sub(p.Now()))
		}
		p.Work(slice)
		d -= slice
		if err := c.lookUp(p); err != nil {
			return err
		}
	}
	return nil
}

// request sends a protected request and waits for its outcome. A rejection or a
// timeout ends the section.
func (c *Client) request(p *host.Process, op *network.Op, e history.Effect) error {
	p.Step(sendStep[e])
	body := network.Body{Op: op, Hold: c.belief.hold, Token: c.shown.token}
	if e == history.WriteEffect {
		body.Value, body.Revision = c.Recorder.NextValue(), c.shown.version
	}
	c.record(p, history.Record{Kind: history.Request, Effect: e, Hold: body.Hold, Token: body.Token, Value: body.Value})
	call, deadline := p.Send(c.Resource, body), p.Now().Add(c.Workload.RequestTimeout)
	if e == history.WriteEffect {
		p.Step("write.sent")
	}
	reply, err := c.await(p, call, deadline)
	if err != nil {
		return err
	}
	p.Step(replyStep[e])
	if !reply.OK {
		return errRejected
	}
	c.shown.version = reply.Revision
	return nil
}

// giveBack releases the lock, again if there is no answer and the policy says so.
func (c *Client) giveBack(p *host.Process, hold history.HoldID) {
	c.record(p, history.Record{Kind: history.ReleaseBegin, Hold: hold})
	err := c.Locker.Release(p)
	for try := 1; err != nil && !errors.Is(err, models.ErrNotHeld) && try < c.Workload.ReleaseAttempts; try++ {
		err = c.Locker.Release(p)
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	c.record(p, history.Record{Kind: history.ReleaseEnd, Hold: hold, Text: text})
}
