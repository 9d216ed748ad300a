package client

import (
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// startRenewing makes the process beside the section renew a hold, if there is one.
func (c *Client) startRenewing(hold history.HoldID) {
	if c.renewer != nil {
		c.holding = hold
		c.renewer.Signal()
	}
}

// renew is that process. It waits for a hold and renews it until the section has ended or
// the library says that the lock is lost. It tells the section nothing: that asks the
// library itself, if its policy says so. The timer of redsync's and of others' documented
// examples runs from renewal to renewal.
func (c *Client) renew(p *host.Process) {
	const forever = time.Duration(sim.Forever / 2)
	locker := c.Locker.(models.Renewer)
	for {
		hold := c.holding
		if hold == 0 {
			p.SleepUnlessSignalled(forever)
			continue
		}
		if another := p.SleepUnlessSignalled(c.Workload.Renew); another || c.holding != hold {
			continue
		}
		if err := locker.Renew(p); err != nil && c.holding == hold {
			c.holding = 0
		}
	}
}
