package redis

import (
	"errors"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// redislock is bsm/redislock (redislock.go) on go-redis. A command that is sent again is no
// danger to it: its script finds the client's own token, and is as good as the first.
type redislock struct {
	*library
	obtained bool // the program has a Lock
}

// Acquire is Obtain. "Held by somebody else" is tried again if the caller has asked for
// that; any error ends it, and the key of a script that was run stays until it expires. A
// call whose context has no deadline ends after one TTL; go-redis looks at the context
// before it sends a command again, not while it waits for a reply (ContextTimeoutEnabled is
// off).
func (l *redislock) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	l.begin(hold, NewValue(&l.random))
	l.obtained = false
	deadline := p.Now().Add(l.clients.ttl)
	retry := l.tries()
	for attempt := 0; ; attempt++ {
		p.Step("acquire.send")
		reply, err := l.command(p, network.Body{Op: OpObtain, Value: l.value, TTL: l.clients.ttl}, deadline)
		p.Step("acquire.reply")
		switch {
		case err != nil:
			return models.Grant{}, notAcquired(err)
		case reply.OK:
			l.obtained = true
			return models.Grant{}, nil
		case retry.Over(attempt):
			return models.Grant{}, models.ErrNotAcquired // ErrNotObtained
		case !Pause(p, retry.Delay(attempt, &l.random), deadline):
			return models.Grant{}, notAcquired(errDeadline)
		}
	}
}

// errDeadline is that of a context: Obtain does not say that the lock is another's then.
var errDeadline = errors.New("context deadline exceeded")

// tries is the retry strategy: none, unless the caller gives one.
func (l *redislock) tries() models.Retry {
	retry := l.clients.retry
	retry.Attempts = max(retry.Attempts, 1)
	return retry
}

// Renew is Refresh. The one that tries again after an error does so as often as Obtain would, but not
// after it was told that the lock is lost.
func (l *redislock) Renew(p *host.Process) error {
	deadline, retry := NoDeadline, models.Retry{Attempts: 1}
	if l.clients.refreshes {
		deadline, retry = p.Now().Add(l.clients.ttl), l.tries()
	}
	for attempt := 0; ; attempt++ {
		p.Step("renew.send")
		reply, err := l.command(p, network.Body{Op: OpExtend, Value: l.value, TTL: l.clients.ttl}, deadline)
		p.Step("renew.reply")
		err = answered(reply, err)
		if err == nil || errors.Is(err, models.ErrNotHeld) || retry.Over(attempt) ||
			!Pause(p, retry.Delay(attempt, &l.random), deadline) {
			return err
		}
	}
}

// Release has no deadline. Who was given no Lock has nothing to send it by.
func (l *redislock) Release(p *host.Process) error {
	if !l.obtained {
		return models.ErrNotHeld
	}
	l.taken = true
	p.Step("release.send")
	err := answered(l.command(p, network.Body{Op: OpDelete, Value: l.value}, NoDeadline))
	p.Step("release.reply")
	return err
}
