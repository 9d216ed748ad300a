package redlock

import (
	"time"

	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// watchdogOf is the watchdog of one server. The locks of a RedissonRedLock are those of as many
// clients of Redisson's, and each of them has its own.
func (l *multiLock) watchdogOf(i int) redis.Watchdog {
	return redis.Watchdog{
		Lease: l.system.ttl,
		Renew: func(p *host.Process) (bool, error) { return l.renew(p, i) },
		Dropped: func(p *host.Process) {
			l.parts[i].asked = 0
			l.system.env.Recorder.Add(history.Record{Kind: history.Note, Hold: l.hold, Local: time.Duration(p.Now()),
				Text: "watchdog: a server has not the lock any more, and is dropped without a word"})
		},
	}
}

// watch begins to renew a server's lock, unless it will have a lease.
func (l *multiLock) watch(p *host.Process, i int, asked sim.Time) {
	l.parts[i].asked = asked
	if l.system.watchdog {
		l.parts[i].watchdog.Start(p)
	}
}

// renew renews one server's lock.
func (l *multiLock) renew(p *host.Process, i int) (bool, error) {
	s, hold, asked := l.system, l.hold, sim.Time(0)
	reply, err := redis.RedissonResends(p, s.resends, &l.random, func() (network.Message, error) {
		asked = p.Host().World().Now()
		return l.call(p, i, network.Body{Op: redis.OpExtend, Value: l.value, TTL: s.ttl})
	})
	if err == nil && reply.OK && l.parts[i].had && l.hold == hold {
		l.renewed(i, asked)
	}
	return reply.OK, err
}

// renewed records a promise if a majority has been renewed lately.
func (l *multiLock) renewed(i int, asked sim.Time) {
	l.parts[i].asked = asked
	if since := l.majoritySince(); l.begun && since > l.proven {
		l.proven = since
		l.system.prolong(l.hold, since, l.system.ttl, l.token)
	}
}

// majoritySince is the latest instant at or after which a majority has been asked for the lock
// and has said yes.
func (l *multiLock) majoritySince() (since sim.Time) {
	for i := range l.parts {
		later := 0
		for k := range l.parts {
			if l.parts[k].asked >= l.parts[i].asked {
				later++
			}
		}
		if later >= l.system.quorum {
			since = max(since, l.parts[i].asked)
		}
	}
	return since
}
