package dynamodb

import (
	"errors"
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// client is an AmazonDynamoDBLockClient with the one lock that it wants.
type client struct {
	system *system
	random *rng.Stream
	hold   history.HoldID
	awaits int64 // version of the put that is not answered yet

	started  bool          // the heartbeat thread
	monitors *host.Process // the session monitor's, if there is one
	seen     lockItem      // notMyLocks: what a call that did not wait has seen
	item     *lockItem     // that was acquired last
	beats    bool          // it is given heartbeats: it is in the map locks
}

// lockItem is a LockItem: an item as one client knows it.
type lockItem struct {
	version  int64
	lease    time.Duration
	lookup   int64 // lookupTime
	released bool

	busy   bool          // a heartbeat is on its way
	waits  *host.Process // to release it when that is over
	closed bool          // its release has begun
	danger bool          // the session monitor has called back
}

// millis is LockClientUtils.millisecondTime.
func millis(m clock.Mono) int64 { return int64(m) / int64(time.Millisecond) }

// expired is isExpired.
func (i *lockItem) expired(now clock.Mono) bool {
	return i.released || millis(now)-i.lookup > i.lease.Milliseconds()
}

// errHeld is a LockCurrentlyUnavailableException: who does not want to wait gets it.
var errHeld = errors.New("the lock is held by another client")

// search is one call of acquireLock.
type search struct {
	start  int64 // in milliseconds, as what follows
	budget int64
	found  *lockItem // lockTryingToBeAcquired
}

const (
	stepRead = "acquire.read"
	stepPut  = "acquire.put"
)

// Acquire implements [models.Locker]: tryAcquireLock.
func (c *client) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	c.hold = hold
	if !c.started {
		c.started = true
		p.Go("heartbeat", c.beat)
	}
	s := search{start: millis(p.Now()), budget: c.system.config.extra.Milliseconds()}
	for {
		p.Step("acquire.send")
		acquired, err := c.look(p, &s)
		switch {
		case acquired:
			return models.Grant{}, nil
		case err == errHeld || err == errUnavailable: // what acquireLock does not catch
			return models.Grant{}, err
		case millis(p.Now())-s.start > s.budget:
			return models.Grant{}, models.ErrNotAcquired
		}
		p.Sleep(c.system.config.refresh)
	}
}

// look reads the item, and writes it if it is free. The error of a condition, or of the SDK,
// is one to go on after.
func (c *client) look(p *host.Process, s *search) (acquired bool, err error) {
	reply, err := c.call(p, network.Body{Op: OpGet, Hold: c.hold})
	if err != nil {
		return false, err
	}
	p.Step(stepRead)
	if !reply.OK {
		return c.put(p, OpPutNew, 0)
	}
	existing := &lockItem{version: reply.Value, lease: reply.TTL, lookup: millis(p.Now()), released: reply.Token == 1}
	if c.system.config.skipWait && !existing.released {
		if err := c.remember(p, existing, s); err != nil {
			return false, err
		}
	}
	switch {
	case existing.released:
		return c.put(p, OpPutReleased, 0)
	case s.found == nil:
		s.budget += existing.lease.Milliseconds()
		s.found = existing
	case s.found.version != existing.version:
		s.found = existing
	case s.found.expired(p.Now()):
		return c.put(p, OpPutExpired, existing.version)
	}
	return false, nil
}

// remember is what a call that does not wait does: it compares with what an earlier one has
// seen.
func (c *client) remember(p *host.Process, existing *lockItem, s *search) error {
	if c.seen.version != existing.version {
		c.seen = *existing
		return errHeld
	}
	if !c.seen.expired(p.Now()) {
		return errHeld
	}
	seen := c.seen
	s.found = &seen
	return nil
}

// put is putLockItemAndStartSessionMonitor: the lease begins before the request is sent.
func (c *client) put(p *host.Process, op *network.Op, expected int64) (acquired bool, err error) {
	item := &lockItem{version: c.newVersion(), lease: c.system.config.lease, lookup: millis(p.Now())}
	p.Step(stepPut)
	c.awaits = item.version
	err = c.write(p, network.Body{Op: op, Value: item.version, Token: expected, TTL: item.lease})
	c.awaits = 0
	p.Step("acquire.reply")
	if err != nil {
		if c.system.table.present && c.system.table.version == item.version {
			c.system.abandon(c.hold)
		}
		return false, err
	}
	c.item, c.beats = item, true
	c.monitor(p)
	return true, nil
}

// newVersion draws a recordVersionNumber. It stands for a random UUID.
func (c *client) newVersion() int64 { return int64(c.random.Uint64()>>1) | 1 }
