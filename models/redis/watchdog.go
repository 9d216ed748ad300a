package redis

import (
	"time"

	"fencepost/sim/host"
	"fencepost/sim/network"
)

// startRenewing registers a lock with the watchdog (redisson/redisson
// renewal/LockRenewalScheduler.java). Its first renewal comes after a third of the TTL.
func (l *redisson) startRenewing(p *host.Process) {
	l.renewing = true
	if l.watchdog == nil {
		l.watchdog = p.Go("watchdog", l.watch)
		return
	}
	l.watchdog.Signal()
}

// watch is RenewalTask (renewal/RenewalTask.java, LockTask.java). After an error it goes on
// in a third of the TTL; a lock that is gone is dropped. The holder hears of neither.
func (l *redisson) watch(p *host.Process) {
	period := (l.ttl() / 3).Truncate(time.Millisecond)
	for {
		if !l.renewing {
			p.SleepUnlessSignalled(host.Forever)
			continue
		}
		if another := p.SleepUnlessSignalled(period); another || !l.renewing {
			continue
		}
		p.Step("renew.send")
		reply, err := l.renew(p)
		p.Step("renew.reply")
		if err == nil && !reply.OK && l.renewing {
			l.renewing = false
			l.note(p, "watchdog: the lock is gone, and dropped without a word")
		}
	}
}

// renew is the script that sets the TTL anew if the owner's field is there. Redisson sends
// it again, like any command.
func (l *redisson) renew(p *host.Process) (reply network.Message, err error) {
	for attempt := 0; ; attempt++ {
		reply, err = l.call(p, network.Body{Op: OpExtend, Value: l.value, TTL: l.ttl()})
		if err == nil || attempt == l.retries {
			return reply, err
		}
		p.Sleep(l.equalJitter(attempt))
		p.Step(stepResend)
	}
}

// equalJitter is the default delay before a command is sent again, between half of 1 s and
// of 2 s and all of it (config/BaseConfig.java, retryDelay; config/EqualJitterDelay.java).
func (l *redisson) equalJitter(attempt int) time.Duration {
	delay := min(time.Second<<min(attempt, 1), 2*time.Second)
	return l.random.Between(delay/2, delay)
}
