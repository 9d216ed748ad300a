package redlock

import (
	"time"

	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// stepLease is between the last server of Redisson's round and the lease.
const stepLease = "acquire.lease"

// multiLock is Redisson's RedissonRedLock, a RedissonMultiLock that does without a minority
// (redisson/redisson, RedissonMultiLock.java, tryLock; RedissonRedLock.java). It locks the
// servers' re-entrant locks one after the other, waits at each for its share of a budget of
// time, and gives back what it has when a majority is out of reach or the budget is used up.
//
// Each server's key is renewed by a watchdog of its own from when it is locked. Or there is a
// lease: then each key lives twice the budget at first, and is given the lease when a majority
// is locked, and nobody looks at what the servers say to that. Nothing compares a lease with
// the time that has passed.
type multiLock struct {
	system *system
	random rng.Stream
	token  int64

	// value is the thread's name: the same for every lock that it takes, so that a key which
	// it has left behind lets it in again.
	value   int64
	hold    history.HoldID
	unlocks int64        // how often it has sent one
	parts   []serverLock // by server
	start   sim.Time
	begun   bool     // the program has the lock
	proven  sim.Time // since when a majority is known to have had its whole time to live
}

// serverLock is the lock on one server.
type serverLock struct {
	had      bool
	asked    sim.Time // when the lock, or the last renewal that succeeded, was asked for
	watchdog redis.Watchdog
}

func (l *multiLock) reset(s rng.Stream) {
	*l = multiLock{system: l.system, random: s, parts: l.parts[:0]}
	for i := range l.system.servers {
		l.parts = append(l.parts, serverLock{watchdog: l.watchdogOf(i)})
	}
}

func (l *multiLock) forget() { l.reset(l.random) }

// Acquire is lock(), or lock(leaseTime) with watchdog: off. Both try without end.
func (l *multiLock) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	s := l.system
	if l.value == 0 {
		l.value = redis.NewValue(&l.random)
	}
	l.hold = hold
	s.begin(hold, l.value)
	budget := l.budget()
	for !l.tryLock(p, budget) {
	}
	if !s.watchdog {
		if err := l.lease(p); err != nil {
			return models.Grant{}, err
		}
	}
	p.Step("acquire.reply")
	if s.counts {
		l.token++
	}
	s.accept(hold, l.start, s.ttl, l.token)
	l.begun, l.proven = true, l.majoritySince()
	return models.Grant{Token: l.token}, nil
}

// budget is the waitTime of lock() (RedissonMultiLock.lockInterruptibly).
func (l *multiLock) budget() time.Duration {
	lease, base := l.system.ttl, baseBudget(len(l.system.servers))
	switch {
	case l.system.watchdog:
		return base
	case lease <= shortestBudget:
		return shortestBudget
	case lease <= base:
		return floor(l.random.Between(lease/2, lease-time.Millisecond))
	default:
		return floor(l.random.Between(base, lease-time.Millisecond))
	}
}

const shortestBudget = 2 * time.Second

func baseBudget(servers int) time.Duration { return time.Duration(servers) * 1500 * time.Millisecond }

// takeoverOfMultiLock is how long keys live, also those that are not leased yet, and a round of
// a waiter's that is under way and one that is given back.
func (b *behaviour) takeoverOfMultiLock(servers int) time.Duration {
	keys, budget := b.ttl, baseBudget(servers)
	if !b.watchdog {
		budget = max(b.ttl, shortestBudget)
		keys = 2 * budget
	}
	return keys + redis.Granularity + budget + 2*time.Duration(servers)*b.timeout
}

// tryLock goes through the servers. It reports whether a majority is locked; if not, none is.
func (l *multiLock) tryLock(p *host.Process, budget time.Duration) bool {
	s := l.system
	servers := len(s.servers)
	share, mayFail := max(budget/time.Duration(servers), time.Millisecond), servers-s.quorum
	left, last, failed, locked := budget, wallMillis(p), 0, 0
	p.Step("acquire.send")
	l.start = p.Host().World().Now()
	for i := 0; i < servers; {
		switch l.parts[i].had = l.tryServer(p, i, min(share, left), budget); {
		case l.parts[i].had:
			locked++
			i++
		case locked == s.quorum:
			return true // without a look at the clock
		case failed == mayFail: // from the beginning
			l.unlock(p)
			failed, locked, i = 0, 0, 0
			l.start = p.Host().World().Now()
		default:
			failed++
			i++
		}
		p.Step(stepServer)
		now := wallMillis(p)
		left, last = left-(now-last), now
		if left <= 0 {
			l.unlock(p)
			return false
		}
	}
	return true
}

// wallMillis is System.currentTimeMillis.
func wallMillis(p *host.Process) time.Duration {
	return time.Duration(p.Wall().Milli()) * time.Millisecond
}

// tryServer is RedissonLock.tryLock on one server: it asks again when the key there ought to
// have expired. Where a reply does not come in time it gives the lock back.
func (l *multiLock) tryServer(p *host.Process, i int, wait, budget time.Duration) bool {
	ttl := l.system.ttl
	if !l.system.watchdog {
		ttl = 2 * budget
	}
	until := wallMillis(p) + wait
	for {
		asked := p.Host().World().Now()
		reply, err := l.call(p, i, network.Body{Op: redis.OpLock, Value: l.value, TTL: ttl})
		switch left := until - wallMillis(p); {
		case err == host.ErrTimeout:
			l.unlockServer(p, i)
			return false
		case err != nil:
			return false
		case reply.OK:
			l.watch(p, i, asked)
			return true
		case left <= 0:
			return false
		case reply.TTL >= left:
			p.Sleep(left)
			return false
		default:
			p.Sleep(max(reply.TTL, time.Millisecond))
		}
	}
}

// lease sets the lease on every server that is locked. It is a PEXPIRE of whosever key is
// there, and whether there is one is not looked at; only a reply that does not come at all
// makes lock(leaseTime) fail, and then nothing is given back.
func (l *multiLock) lease(p *host.Process) error {
	s := l.system
	p.Step(stepLease)
	l.start = p.Host().World().Now()
	for i := range l.parts {
		if !l.parts[i].had {
			continue
		}
		_, err := redis.RedissonResends(p, s.resends, &l.random, func() (network.Message, error) {
			return l.call(p, i, network.Body{Op: redis.OpExpire, Value: l.value, TTL: s.ttl})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// call sends a request once, as Redisson does with lock() and unlock().
func (l *multiLock) call(p *host.Process, i int, b network.Body) (network.Message, error) {
	s := l.system
	b.Hold = l.hold
	return p.Call(s.servers[i].Addr(), b, s.timeout)
}

// unlock gives back what is locked, and ignores what becomes of that.
func (l *multiLock) unlock(p *host.Process) {
	for i := range l.parts {
		if l.parts[i].had {
			l.unlockServer(p, i)
		}
	}
}

// unlockServer ends the renewals when the server has answered, whatever it said.
func (l *multiLock) unlockServer(p *host.Process, i int) {
	l.unlocks++
	b := redis.Unlock(l.value, l.unlocks, l.system.ttl, l.system.timeout)
	b.Hold = l.hold
	if _, err := l.call(p, i, b); err == nil {
		p.Send(l.system.servers[i].Addr(), redis.Unlatch(b))
	}
	part := &l.parts[i]
	part.had, part.asked = false, 0
	part.watchdog.Stop()
}

// Valid: the library keeps no deadline.
func (l *multiLock) Valid(*host.Process) bool { return true }

// Release unlocks every server, locked or not, one after the other.
func (l *multiLock) Release(p *host.Process) error {
	l.begun = false
	p.Step("release.send")
	for i := range l.parts {
		l.unlockServer(p, i)
	}
	p.Step("release.reply")
	return nil
}
