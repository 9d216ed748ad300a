package redis

import (
	"time"

	"fencepost/models"
)

// settings are the parameters of the clients, read once.
type settings struct {
	client  int
	ttl     time.Duration
	timeout time.Duration
	retry   models.Retry
	retries int // how often a command is sent again

	twoSteps bool // bare: the key is set, and then given its time to live
	byDel    bool // bare: DEL deletes the key, whosever it is
	byGetDel bool // bare: after a look whose it is
	sets     bool // bare: a renewal sets a key that is gone
	watchdog bool // redisson
	counts   bool // redisson: a lock has a token
}

func settingsOf(p models.Params) settings {
	client := p.Choice(clientParam.Name)
	return settings{
		client:  client,
		ttl:     p.Duration("ttl"),
		timeout: p.Duration("timeout"),
		retry:   models.RetryOf(p),
		retries: CommandRetries(p, retries[client]),

		twoSteps: p.Choice(acquireParam.Name) != acquireBySet,
		byDel:    p.Choice(releaseParam.Name) == releaseByDel,
		byGetDel: p.Choice(releaseParam.Name) == releaseByGetDel,
		sets:     p.Choice(extendParam.Name) == extendBySet,
		watchdog: p.Choice(WatchdogParam.Name) == WatchdogOn,
		counts:   p.Choice(tokenParam.Name) == tokenByIncr,
	}
}
