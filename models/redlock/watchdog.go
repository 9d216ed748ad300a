package redlock

import (
	"time"

	"fencepost/models/redis"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// watchdogLease is Config.lockWatchdogTimeout, the lease of a lock that was taken without
// one. It is renewed every third of it (RedissonLock.java, scheduleExpirationRenewal).
const watchdogLease = 30 * time.Second

// watchdog renews a multiLock that has no lease, on each server for as long as that says
// yes. It tells nobody when it stops.
type watchdog struct {
	process  *host.Process
	watching bool
}

// watch begins to renew a lock that has just been acquired, if it has no lease.
func (l *multiLock) watch(p *host.Process) {
	if l.system.ttl > 0 {
		return
	}
	l.watching = true
	if l.process == nil {
		l.process = p.Go("watchdog", l.renewAlways)
	} else {
		l.process.Signal()
	}
}

// stop ends the renewals.
func (l *multiLock) stop() {
	l.watching = false
	if l.process != nil {
		l.process.Signal()
	}
}

// renewAlways renews every third of a lease, whether or not a server keeps a renewal waiting.
func (l *multiLock) renewAlways(p *host.Process) {
	const period = watchdogLease / 3
	for next := p.Now().Add(period); ; {
		wait := host.Forever
		if l.watching {
			wait = next.Sub(p.Now())
		}
		if p.SleepUnlessSignalled(wait) {
			next = p.Now().Add(period)
			continue
		}
		next = p.Now().Add(period)
		l.renew(p)
	}
}

// renew asks every server that still has the lock. One that says no, or nothing in time, is
// not asked again.
func (l *multiLock) renew(p *host.Process) {
	s, hold := l.system, l.hold
	asked, start := p.Host().World().Now(), p.Now()
	p.Step("renew.send")
	first, n := uint32(0), 0
	for i, had := range l.had {
		if had {
			call := p.Send(s.servers[i].Addr(), network.Body{Op: redis.OpExtend, Value: l.value, TTL: watchdogLease, Hold: hold})
			if n++; n == 1 {
				first = call
			}
		}
	}
	if n == 0 {
		l.watching = false
		return
	}
	replies := p.Gather(first, n, start.Add(s.timeout))
	p.Step("renew.reply")
	if !l.watching || l.hold != hold {
		return
	}
	renewed := 0
	for i, server := range s.servers {
		l.had[i] = l.had[i] && saysYes(replies, server.Addr())
		if l.had[i] {
			renewed++
		}
	}
	if renewed >= s.quorum {
		s.prolong(hold, asked, watchdogLease, l.token)
	}
}

// saysYes reports whether a server is among those that said yes.
func saysYes(replies []network.Message, server network.Addr) bool {
	for i := range replies {
		if replies[i].From == server && replies[i].OK {
			return true
		}
	}
	return false
}
