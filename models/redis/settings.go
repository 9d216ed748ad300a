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
	backoff Backoff

	acquire   int  // bare: how the key is set
	byDel     bool // bare: DEL deletes the key, whosever it is
	byGetDel  bool // bare: after a look whose it is
	sets      bool // bare: a renewal sets a key that is gone
	mutex     int  // bare
	refreshes bool // redislock: again after an error
	watchdog  bool // redisson
	counts    bool // redisson: a lock has a token

	interrupt time.Duration // redisson
	givesBack bool          // redisson: what comes after an interrupt is given back
}

func settingsOf(p models.Params) settings {
	client := p.Choice(clientParam.Name)
	return settings{
		client:  client,
		ttl:     p.Duration("ttl"),
		timeout: Timeout(p),
		retry:   models.RetryOf(p),
		retries: CommandRetries(p, retries[client]),
		backoff: BackoffOf(p),

		acquire:  p.Choice(acquireParam.Name),
		byDel:    p.Choice(releaseParam.Name) == releaseByDel,
		byGetDel: p.Choice(releaseParam.Name) == releaseByGetDel,
		sets:     p.Choice(extendParam.Name) == extendBySet,
		watchdog: p.Choice(WatchdogParam.Name) == WatchdogOn,
		counts:   p.Choice(tokenParam.Name) == tokenByIncr,
		mutex:    p.Choice(mutexParam.Name),

		refreshes: p.Choice(refreshParam.Name) == refreshRetried,

		interrupt: p.Duration(interruptParam.Name),
		givesBack: p.Choice(lateReplyParam.Name) == lateReplyGivesBack,
	}
}
