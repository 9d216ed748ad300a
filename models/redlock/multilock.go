package redlock

import (
	"time"

	"fencepost/models"
	"fencepost/models/redis"
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
// Until then each key lives twice the budget; after that it is given its real lease, and
// nobody looks at what the servers say to that. Nothing compares the lease with the time
// that has passed.
type multiLock struct {
	system *system
	random rng.Stream
	token  int64

	// value is the thread's name: the same for every lock that it takes, so that a key which
	// it has left behind lets it in again.
	value int64
	hold  history.HoldID
	had   []bool // by server: it is locked
	start instant
	watchdog
}

func (l *multiLock) reset(s rng.Stream) {
	*l = multiLock{system: l.system, random: s, had: l.had[:0]}
	for range l.system.servers {
		l.had = append(l.had, false)
	}
}

func (l *multiLock) forget() { l.reset(l.random) }

// Acquire is lock(), which tries without end, or lock(leaseTime) if there is a TTL.
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
	if err := l.lease(p); err != nil {
		return models.Grant{}, err
	}
	p.Step("acquire.reply")
	if s.counts {
		l.token++
	}
	s.accept(hold, l.start.true, l.promised(), l.token)
	l.watch(p)
	return models.Grant{Token: l.token}, nil
}

// budget is the waitTime of lock() (RedissonMultiLock.lockInterruptibly).
func (l *multiLock) budget() time.Duration {
	lease, base := l.system.ttl, baseBudget(len(l.system.servers))
	switch {
	case lease == 0:
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

// takeoverOfMultiLock is how long keys live that are not leased yet, and a round of a waiter's
// that is under way.
func takeoverOfMultiLock(lease time.Duration, servers int) time.Duration {
	budget := max(lease, shortestBudget)
	if lease == 0 {
		budget = baseBudget(servers)
	}
	return max(2*budget, watchdogLease) + redis.Granularity + budget
}

// promised is how long the keys live from the last instant at which nothing was asked yet.
func (l *multiLock) promised() time.Duration {
	if l.system.ttl == 0 {
		return watchdogLease
	}
	return l.system.ttl
}

// tryLock goes through the servers. It reports whether a majority is locked; if not, none is.
func (l *multiLock) tryLock(p *host.Process, budget time.Duration) bool {
	s := l.system
	servers := len(s.servers)
	share, mayFail := max(budget/time.Duration(servers), time.Millisecond), servers-s.quorum
	left, last, failed, locked := budget, wallMillis(p), 0, 0
	p.Step("acquire.send")
	l.start = instant{true: p.Host().World().Now()}
	for i := 0; i < servers; {
		switch l.had[i] = l.tryServer(p, i, min(share, left), budget); {
		case l.had[i]:
			locked++
			i++
		case locked == s.quorum:
			return true // without a look at the clock
		case failed == mayFail: // from the beginning
			l.unlock(p)
			failed, locked, i = 0, 0, 0
			l.start = instant{true: p.Host().World().Now()}
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
	ttl := 2 * budget
	if l.system.ttl == 0 {
		ttl = watchdogLease
	}
	until := wallMillis(p) + wait
	for {
		reply, err := l.call(p, i, redis.OpLock, ttl)
		switch left := until - wallMillis(p); {
		case err == host.ErrTimeout:
			_, _ = l.call(p, i, redis.OpUnlock, ttl)
			return false
		case err != nil || reply.OK:
			return err == nil
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
// there, and whether there is one is not looked at; only a reply that does not come makes
// lock(leaseTime) fail, and then nothing is given back.
func (l *multiLock) lease(p *host.Process) error {
	ttl := l.system.ttl
	if ttl == 0 {
		return nil
	}
	p.Step(stepLease)
	l.start = instant{true: p.Host().World().Now()}
	for i, had := range l.had {
		if !had {
			continue
		}
		if _, err := l.call(p, i, redis.OpExpire, ttl); err != nil {
			return err
		}
	}
	return nil
}

func (l *multiLock) call(p *host.Process, i int, op *network.Op, ttl time.Duration) (network.Message, error) {
	s := l.system
	return p.Call(s.servers[i].Addr(), network.Body{Op: op, Value: l.value, TTL: ttl, Hold: l.hold}, s.timeout)
}

// unlock gives back what is locked, and ignores what becomes of that.
func (l *multiLock) unlock(p *host.Process) {
	for i, had := range l.had {
		if had {
			_, _ = l.call(p, i, redis.OpUnlock, l.promised())
			l.had[i] = false
		}
	}
}

// Valid: the library keeps no deadline.
func (l *multiLock) Valid(*host.Process) bool { return true }

// Release unlocks every server, locked or not, one after the other.
func (l *multiLock) Release(p *host.Process) error {
	l.stop()
	p.Step("release.send")
	for i := range l.had {
		_, _ = l.call(p, i, redis.OpUnlock, l.promised())
		l.had[i] = false
	}
	p.Step("release.reply")
	return nil
}
