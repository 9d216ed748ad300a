package redis

import (
	"errors"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Retry is redsync's delay of 50 to 250 ms, without its limit of 32 attempts.
var Retry = models.Retry{Base: 50 * time.Millisecond, Max: 50 * time.Millisecond, Jitter: 200 * time.Millisecond}

// bare is the client of the documentation's protocol.
type bare struct {
	*library
	locked bool // the mutex that stands before the key
}

// Acquire locks the mutex, if there is one, and then the key. Who waits for a mutex that nobody unlocks
// waits for ever.
func (l *bare) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	if l.clients.mutex == 0 {
		return l.acquire(p, hold)
	}
	for l.locked {
		p.SleepUnlessSignalled(host.Forever)
	}
	l.locked = true
	grant, err := l.acquire(p, hold)
	l.locked = err == nil
	return grant, err
}

// acquire sets the key, sooner or later.
func (l *bare) acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	retry := &l.clients.retry
	for attempt := 0; ; attempt++ {
		l.begin(hold, NewValue(&l.random))
		p.Step("acquire.send")
		reply, err := l.set(p)
		p.Step("acquire.reply")
		switch {
		case err != nil:
			// A client that deletes whosever key it is takes nothing back: it could not tell.
			if !errors.Is(err, ErrRefused) && !l.clients.byDel {
				l.takeBack(p)
			}
		case !reply.OK:
			l.noticeFalseTaken(p)
		case l.confirm(p):
			return models.Grant{}, nil
		default:
			l.takeBack(p)
		}
		if retry.Over(attempt) {
			return models.Grant{}, models.ErrNotAcquired
		}
		attempt = l.clients.foresight.Wait(p, retry, attempt, l.value, &l.random)
	}
}

// set sends what sets the key, and returns the last reply.
func (l *bare) set(p *host.Process) (network.Message, error) {
	switch l.clients.acquire {
	case acquireBySetNX:
		reply, err := l.command(p, network.Body{Op: OpSetNX, Value: l.value}, NoDeadline)
		if err != nil || !reply.OK {
			return reply, err
		}
		p.Step(stepExpire)
		return l.command(p, network.Body{Op: OpExpire, Value: l.value, TTL: l.clients.ttl}, NoDeadline)
	case acquireBySetTwice:
		reply, err := l.command(p, network.Body{Op: OpSet, Value: l.value, TTL: l.clients.ttl}, NoDeadline)
		if err == nil {
			return reply, nil
		}
		return l.command(p, network.Body{Op: OpSetAny, Value: l.value, TTL: l.clients.ttl}, NoDeadline)
	}
	return l.command(p, network.Body{Op: OpSet, Value: l.value, TTL: l.clients.ttl}, NoDeadline)
}

// noticeFalseTaken is for the record: the key is there because a first SET of this very
// client was run and its reply was lost. The client, which got nil for the second, takes the
// lock for another's; nobody holds it until the key expires.
func (l *bare) noticeFalseTaken(p *host.Process) {
	if l.clients.service.Promises(l.value) {
		l.note(p, "false-taken: a SET that was sent again met its own key")
	}
}

// takeBack deletes the key of a SET that was not answered and may have been run.
func (l *bare) takeBack(p *host.Process) {
	l.givenBack()
	_ = l.delete(p)
}

// Renew implements [models.Renewer].
func (l *bare) Renew(p *host.Process) error {
	p.Step("renew.send")
	op := OpExtend
	if l.clients.sets {
		op = OpExtendOrSet
	}
	reply, err := l.command(p, network.Body{Op: op, Value: l.value, TTL: l.clients.ttl}, NoDeadline)
	p.Step("renew.reply")
	return answered(reply, err)
}

func (l *bare) Release(p *host.Process) error {
	l.taken = true
	p.Step("release.send")
	err := l.delete(p)
	p.Step("release.reply")
	l.locked = err != nil && l.clients.mutex == mutexKeptOnError
	return err
}

// delete runs the script that deletes the key if it has this client's value, or DEL, with or
// without a look before.
func (l *bare) delete(p *host.Process) error {
	if l.clients.byGetDel {
		return l.getAndDelete(p)
	}
	op := OpDelete
	if l.clients.byDel {
		op = OpDel
	}
	return answered(l.command(p, network.Body{Op: op, Value: l.value}, NoDeadline))
}

// getAndDelete is redis-py's do_release without its transaction. What DEL answers is not looked at.
func (l *bare) getAndDelete(p *host.Process) error {
	if err := answered(l.command(p, network.Body{Op: OpGet, Value: l.value}, NoDeadline)); err != nil {
		return err
	}
	p.Step(stepDelete)
	_, err := l.command(p, network.Body{Op: OpDel, Value: l.value}, NoDeadline)
	return err
}
