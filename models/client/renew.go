package client

import (
	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// startRenewing starts a process beside the section that renews the lock, if the workload
// asks for it and the library can.
func (c *Client) startRenewing(p *host.Process, hold history.HoldID) {
	renewer, ok := c.Locker.(models.Renewer)
	if !ok || c.Workload.Renew == 0 {
		return
	}
	c.holding = hold
	p.Go(renewing, func(p *host.Process) { c.renew(p, renewer, hold) })
}

// renewing is the name of the process that renews.
const renewing = "renewing"

// renew renews until the section has ended or the library says that the lock is lost. It
// tells the section nothing: that asks the library itself, if its policy says so. The
// timer of redsync's and of others' documented examples runs from renewal to renewal.
func (c *Client) renew(p *host.Process, renewer models.Renewer, hold history.HoldID) {
	for {
		p.Sleep(c.Workload.Renew)
		if c.holding != hold || renewer.Renew(p) != nil {
			return
		}
	}
}
