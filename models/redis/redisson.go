package redis

import (
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// redisson is Redisson's RLock, or RFencedLock, in one thread (redisson/redisson
// RedissonLock.java, RedissonFencedLock.java). Its owner id, the client's UUID and the
// thread's number, stays the same from lock to lock.
//
// lock() and unlock() are not sent again (evalWriteSyncedNoRetryAsync): without a reply they
// throw. The lock of a script that was run then stays until it expires, unless the same
// thread asks again: it enters its own lock a second time, and one unlock() leaves it locked.
type redisson struct {
	*library
	owner    int64
	unlocks  int64         // how often it has sent one
	waiter   *host.Process // who is woken by a message
	listener *host.Process // the connection for messages, nil before the first wait
	watchdog Watchdog
}

func newRedisson(l *library) *redisson {
	r := &redisson{library: l, owner: NewValue(&l.random)}
	r.watchdog = Watchdog{Lease: l.clients.ttl, Renew: r.renew, Dropped: r.dropped}
	return r
}

// subscriptionTimeout is how long lock() waits for the answer to SUBSCRIBE
// (BaseConfig.java, subscriptionTimeout).
const subscriptionTimeout = 7500 * time.Millisecond

// Acquire is lock().
func (l *redisson) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	l.begin(hold, l.owner)
	try := l.tryAcquire
	if l.clients.interrupt > 0 {
		try = l.tryInterruptibly
	}
	reply, err := try(p)
	if err == nil && !reply.OK {
		reply, err = l.wait(p)
	}
	if err != nil {
		return models.Grant{}, notAcquired(err)
	}
	if l.clients.watchdog {
		l.watchdog.Start(p)
	}
	return models.Grant{Token: reply.Token}, nil
}

// tryAcquire runs the script once. A lock that the service does not confirm is unlocked
// (RedissonBaseLock.java, handleNoSync).
func (l *redisson) tryAcquire(p *host.Process) (network.Message, error) {
	b := network.Body{Op: OpLock, Value: l.value, TTL: l.clients.ttl}
	if l.clients.counts {
		b.Key = withToken
	}
	p.Step("acquire.send")
	reply, err := l.call(p, b)
	p.Step("acquire.reply")
	if err == nil && reply.OK && !l.confirm(p) {
		l.givenBack()
		_, _ = l.unlock(p)
		err = errNotConfirmed
	}
	return reply, err
}

// tryInterruptibly is tryAcquire in a thread that is interrupted before the answer is there. That goes
// to a callback, whoever waits for it.
func (l *redisson) tryInterruptibly(p *host.Process) (reply network.Message, err error) {
	answered, gone := false, false
	p.TakeSignal()
	p.Go("callback", func(q *host.Process) {
		reply, err = l.tryAcquire(q)
		answered = true
		switch {
		case !gone:
			p.Signal()
		case err != nil || !reply.OK:
		case l.clients.givesBack:
			l.givenBack()
			_, _ = l.unlock(q)
		case l.clients.watchdog:
			l.note(q, "callback: renewals begin for a caller that has gone")
			l.watchdog.Start(q)
		}
	})
	if p.SleepUnlessSignalled(l.clients.interrupt); answered {
		return reply, err
	}
	gone = true
	return network.Message{}, errInterrupted
}

// wait is the loop of lock(): it subscribes, and tries anew after each message or when the
// time to live that it was told is over.
func (l *redisson) wait(p *host.Process) (network.Message, error) {
	if err := l.subscribe(p); err != nil {
		return network.Message{}, err
	}
	defer l.unsubscribe(p)
	for {
		reply, err := l.tryAcquire(p)
		if err != nil || reply.OK {
			return reply, err
		}
		p.Step(stepWait)
		p.SleepUnlessSignalled(reply.TTL)
	}
}

// subscribe has messages about the lock sent to the listener, and forgets those of an
// earlier subscription.
func (l *redisson) subscribe(p *host.Process) error {
	if l.waiter = p; l.listener == nil {
		l.listener = p.Go("listener", l.listen)
	}
	p.TakeSignal()
	_, err := l.clients.service.Call(p, l.index, network.Body{Op: OpSubscribe, Key: int64(l.listener.Port()), Hold: l.hold}, subscriptionTimeout)
	return err
}

// unsubscribe does not wait for the answer.
func (l *redisson) unsubscribe(p *host.Process) {
	l.clients.service.Send(p, l.index, network.Body{Op: OpUnsubscribe, Key: int64(l.listener.Port()), Hold: l.hold})
}

// listen wakes the waiter at each message (LockPubSub.java, onMessage).
func (l *redisson) listen(p *host.Process) {
	for {
		if m, ok := p.Recv(p.Now().Add(host.Forever)); ok && m.Op == OpUnlocked {
			l.waiter.Signal()
		}
	}
}

// Release is unlock(). Whatever comes of it, nothing is renewed any more; somebody else's
// lock is an IllegalMonitorStateException.
func (l *redisson) Release(p *host.Process) error {
	l.taken = true
	p.Step("release.send")
	err := answered(l.unlock(p))
	l.watchdog.Stop()
	p.Step("release.reply")
	return err
}

// unlock runs the script, once, and has its latch deleted when there is an answer.
func (l *redisson) unlock(p *host.Process) (network.Message, error) {
	l.unlocks++
	b := Unlock(l.value, l.unlocks, l.clients.ttl, l.clients.timeout)
	b.Hold = l.hold
	reply, err := l.call(p, b)
	if err == nil {
		l.clients.service.Send(p, l.index, Unlatch(b))
	}
	return reply, err
}

// renew is the script that sets the TTL anew if the owner's field is there. Redisson sends
// it again, like most commands.
func (l *redisson) renew(p *host.Process) (ok bool, err error) {
	b := network.Body{Op: OpExtend, Value: l.value, TTL: l.clients.ttl}
	reply, err := RedissonResends(p, l.clients.retries, &l.random, func() (network.Message, error) { return l.call(p, b) })
	return reply.OK, err
}

func (l *redisson) dropped(p *host.Process) {
	l.note(p, "watchdog: the lock is gone, and dropped without a word")
}
