package dynamodb

import (
	"fmt"
	"time"

	"fencepost/models"
)

// Defaults are those of AmazonDynamoDBLockClientOptions.java and of acquireLock; the README's
// example has a lease of 10 s and a heartbeat of 3 s.
var params = []models.Param{
	models.TTL(20*time.Second, 4*time.Millisecond, "leaseDuration of the item; the README's example has 10 s"),
	{Name: "heartbeat", Unit: models.Duration, Doc: "heartbeatPeriod; 0 is a quarter of ttl, which makes 5 s by default"},
	{Name: "refresh", Unit: models.Duration, Default: int64(time.Second), Min: int64(time.Millisecond), Doc: "refreshPeriod: from one look at the item to the next"},
	{Name: "extra-wait", Unit: models.Duration, Default: int64(time.Second), Doc: "additionalTimeToWaitForLock, beyond the item's lease"},
	{Name: "timeout", Unit: models.Duration, Default: int64(30 * time.Second), Min: 1, Doc: "how long the SDK waits for a reply: the read timeout of its HTTP client"},
	{Name: "sdk-retries", Unit: models.Count, Default: 8, Max: 30, Doc: "how often the SDK sends a request again that was not answered"},
	{Name: "session-monitor", Unit: models.Duration, Doc: "safe time of a session monitor, after which the program is told that the lock is about to expire; 0 is none"},
	{Name: "unavailable", Unit: models.Duration, Doc: "for how long the service answers 503 after a restart"},
	waitParam, releaseParam, holdParam,
}

var waitParam = models.Param{Name: "skip-blocking-wait", Unit: models.Choice, Choices: []string{"no", "yes"},
	Doc: "shouldSkipBlockingWait: whether acquire gives up at once if somebody has the lock; it then remembers the version for the next time"}

var releaseParam = models.Param{Name: "release", Unit: models.Choice, Choices: []string{"delete", "mark"},
	Doc: "whether a release deletes the item (deleteLockOnRelease) or marks it as released"}

var holdParam = models.Param{Name: "hold-on-unavailable", Unit: models.Choice, Choices: []string{"no", "yes"},
	Doc: "holdLockOnServiceUnavailable: whether a heartbeat that is answered with 503 counts as one that succeeded, for whom two holders are better than none"}

const yes = 1

// config is what the parameters say.
type config struct {
	lease, heartbeat, refresh, extra, timeout, safe, unavailable time.Duration
	retries                                                      int
	skipWait, mark, holdOn                                       bool
}

func configOf(p models.Params) config {
	c := config{
		lease: p.Duration("ttl"), heartbeat: p.Duration("heartbeat"), refresh: p.Duration("refresh"),
		extra: p.Duration("extra-wait"), timeout: p.Duration("timeout"), retries: p.Int("sdk-retries"),
		safe: p.Duration("session-monitor"), unavailable: p.Duration("unavailable"),
		skipWait: p.Choice(waitParam.Name) == yes, mark: p.Choice(releaseParam.Name) == yes, holdOn: p.Choice(holdParam.Name) == yes,
	}
	if c.heartbeat == 0 {
		c.heartbeat = c.lease / 4
	}
	return c
}

// validate is what the constructor and sessionMonitorArgsValidate refuse
// (AmazonDynamoDBLockClient.java).
func validate(p models.Params) error {
	c := configOf(p)
	switch {
	case c.heartbeat < time.Millisecond:
		return fmt.Errorf("heartbeat is %v: the client counts whole milliseconds, at least 1ms", c.heartbeat)
	case c.lease < 2*c.heartbeat:
		return fmt.Errorf("heartbeat is %v and ttl %v: the lease must be twice the heartbeat at least; leave heartbeat out for a quarter of it", c.heartbeat, c.lease)
	case c.safe != 0 && c.safe <= c.heartbeat:
		return fmt.Errorf("session-monitor is %v and heartbeat %v: the safe time must be longer than a heartbeat", c.safe, c.heartbeat)
	case c.safe >= c.lease:
		return fmt.Errorf("session-monitor is %v and ttl %v: the safe time must be shorter than the lease", c.safe, c.lease)
	}
	return nil
}

// takeover: a waiter whose time is over just before the lease of the silent holder is gives
// up, and the next attempt begins its wait anew: two leases, the additional wait, and a
// refresh period in each attempt. Time that a program spends between two attempts is not
// in it.
func takeover(p models.Params) time.Duration {
	c := configOf(p)
	return 2*c.lease + c.extra + 2*c.refresh
}
