package dynamodb

import (
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Valid implements [models.Locker]: isExpired, and whether the session monitor has called
// back.
func (c *client) Valid(p *host.Process) bool {
	return !c.item.expired(p.Now()) && !c.item.danger
}

// beat is the heartbeat thread (run). It belongs to the client and not to a lock, so a lock
// gets its first heartbeat up to a period after it was acquired.
func (c *client) beat(p *host.Process) {
	for {
		begun := p.Now()
		if c.beats {
			c.sendHeartbeat(p, c.item)
		}
		p.Sleep(max(0, c.system.config.heartbeat-p.Now().Sub(begun)))
	}
}

// sendHeartbeat is the method of that name. After a heartbeat whose condition was not met
// there are no more, and the program hears nothing.
func (c *client) sendHeartbeat(p *host.Process, i *lockItem) {
	if i.expired(p.Now()) {
		c.beats = false
		return
	}
	i.busy = true
	p.Step("renew.send")
	version, sent := c.newVersion(), millis(p.Now())
	err := c.write(p, network.Body{Op: OpHeartbeat, Value: version, Token: i.version, TTL: c.system.config.lease})
	p.Step("renew.reply")
	switch {
	case err == nil:
		i.version, i.lookup = version, sent
	case err == errCondition:
		c.beats = false
		c.note(p, "heartbeats end: the item has another version")
	case err == errUnavailable && c.system.config.holdOn:
		i.lookup = millis(p.Now())
		c.note(p, "holds the lock without the service")
	}
	i.busy = false
	if i.waits != nil {
		i.waits.Signal()
	}
}

// monitor begins to monitor the item that was acquired, unless no session monitor is set. The
// library starts a thread for each lock and ends it with the lock; here one does for all.
func (c *client) monitor(p *host.Process) {
	switch {
	case c.system.config.safe == 0:
	case c.monitors == nil:
		c.monitors = p.Go("session monitor", c.check)
	default:
		c.monitors.Signal()
	}
}

// check is lockSessionMonitorChecker. It calls back once for an item, when no heartbeat has
// succeeded for the safe time.
func (c *client) check(p *host.Process) {
	for {
		i, left := c.item, host.Forever
		if !i.closed && !i.danger {
			left = c.system.config.safe - time.Duration(millis(p.Now())-i.lookup)*time.Millisecond
		}
		if left > 0 {
			p.SleepUnlessSignalled(left)
			continue
		}
		i.danger = true
		c.note(p, "session monitor: the lock is about to expire")
	}
}

func (c *client) note(p *host.Process, text string) {
	c.system.env.Recorder.Add(history.Record{Kind: history.Note, Hold: c.hold, Local: time.Duration(p.Now()), Text: text})
}

// Release implements [models.Locker]: releaseLock. It waits for a heartbeat that is on its
// way, since both synchronize on the lock item.
func (c *client) Release(p *host.Process) error {
	i := c.item
	if i == nil {
		return models.ErrNotHeld // it has never acquired
	}
	c.beats, i.closed = false, true
	for i.busy {
		i.waits = p
		p.SleepUnlessSignalled(host.Forever)
	}
	p.Step("release.send")
	op := OpDelete
	if c.system.config.mark {
		op = OpMark
	}
	err := c.write(p, network.Body{Op: op, Token: i.version})
	p.Step("release.reply")
	if err == errCondition {
		return models.ErrNotHeld
	}
	return err
}
