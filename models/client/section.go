package client

import (
	"errors"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// Why a client stops in the middle of its critical section, besides
// [host.ErrTimeout]: then a request's outcome is indefinite.
var (
	errNotValid = errors.New(history.TakenForLost)
	errRejected = errors.New("its request was rejected")
)

// section is the critical section: it reads what the lock protects, and writes what it makes of
// that; before them it leaves a mark, if the guard of the resource wants one, and beside the write
// has an effect outside of the data, if that is what the lock is for.
func (c *Client) section(p *host.Process, w work) error {
	p.Step("acquired")
	c.token, c.seen = c.tokenToShow(), [history.MaxObjects]seen{}
	if err := c.mark(p); err != nil {
		return err
	}
	if err := c.work(p, w.beforeRead); err != nil {
		return err
	}
	if err := c.check(p, CheckEvery, CheckTimer); err != nil {
		return err
	}
	if err := c.each(p, history.ReadEffect, nil); err != nil {
		return err
	}
	if err := c.work(p, w.between); err != nil {
		return err
	}
	if err := c.check(p, CheckBeforeWrite, CheckEvery, CheckTimer); err != nil {
		return err
	}
	if err := c.act(p); err != nil {
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
