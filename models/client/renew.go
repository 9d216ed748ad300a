package client

import (
	"errors"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// startRenewing makes the process beside the section renew a hold, if there is one.
func (c *Client) startRenewing(hold history.HoldID) {
	if c.renewer != nil {
		c.holding = hold
		c.renewer.Signal()
	}
}

// renew is that process. It waits for a hold and renews it until the section has ended, or the loop
// gives up as its policy says: at a loss, if it heeds what the library says, or at an error. It tells the
// section nothing: that asks the library itself, if its policy says so. The timer of
// redsync's and of others' documented examples runs from renewal to renewal.
func (c *Client) renew(p *host.Process) {
	locker := c.Locker.(models.Renewer)
	random := rng.New(rng.Hash(c.Seed, rng.HashString("client.renew"), uint64(c.Index), uint64(c.executor)), p.Host().World().Digest())
	for renewals := 0; ; {
		hold := c.holding
		if hold == 0 {
			p.SleepUnlessSignalled(host.Forever)
			renewals = 0
			continue
		}
		another := p.SleepUnlessSignalled(c.Workload.Renew + c.Workload.RenewLate.Sample(&random))
		if another {
			renewals = 0
		}
		if another || c.holding != hold {
			continue
		}
		renewals++
		if err := locker.Renew(p); c.holding == hold && c.quits(err, renewals) {
			c.holding = 0
		}
	}
}

// quits reports whether the loop renews a hold no more.
func (c *Client) quits(err error, renewals int) bool {
	w := &c.Workload
	switch {
	case w.RenewTimes > 0 && renewals >= w.RenewTimes:
		return true
	case errors.Is(err, models.ErrNotHeld):
		return w.RenewOnLoss != RenewOn
	}
	return err != nil && w.RenewOnError == QuitRenewing
}
