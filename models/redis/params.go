package redis

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"fencepost/models"
)

// Client libraries, by the word for them.
const (
	bareClient = iota
	redislockClient
	redissonClient
)

var clientParam = models.Param{Name: "client", Unit: models.Choice, Choices: []string{"bare", "redislock", "redisson"},
	Doc: "the library: the documentation's protocol and no more, bsm/redislock on go-redis, or Redisson's RLock"}

// acquireParam says how the key is set. Before Redis 2.6.12 SET had no options, and much
// code still sets the key and its time to live in two steps: a client that stops between
// them leaves a key that never expires (redis.io, SETNX, Design pattern: Locking with
// SETNX). set-twice is the lock of docker/libkv on etcd's keys, as far as a key of Redis can show it: a
// first set only if there is no key, and a second one of a key that is there, which is to follow only
// upon the word that the first has found one, and to fail then. An error of the connection is no such
// word, and the second set was sent without its condition, so that it took whosever key there was
// (store/etcd/etcd.go, Lock; pull request 186).
var acquireParam = models.Param{Name: "acquire", Unit: models.Choice, Choices: []string{"set-nx-px", "setnx-pexpire", "set-twice"},
	Doc: "how the key is set: with its time to live; in two steps; or, should there be no answer, a second time, whosever key is there"}

const (
	acquireBySet      = 0
	acquireBySetNX    = 1
	acquireBySetTwice = 2
)

// releaseParam says how the key is deleted. DEL alone deletes whosever key is there, so
// that a holder whose key has expired takes away the next holder's lock (redis.io,
// Distributed Locks with Redis, Correct Implementation with a Single Instance). With get-del
// a client looks first and deletes then, and the key may expire in between: redis-py 2.10
// watched the key, but opened no transaction, so that both commands ran at once (redis/redis-py
// lock.py, do_release; pull request 1031).
var releaseParam = models.Param{Name: "release", Unit: models.Choice, Choices: []string{"compare-and-delete", "del", "get-del"},
	Doc: "how the key is deleted: only if it has the client's value; whosever it is; or in two steps, GET and, if that is the client's value, DEL"}

const (
	releaseByDel    = 1
	releaseByGetDel = 2
)

// extendParam says what a renewal does to a key that is gone. RedLock.net's script sets it
// (samcook/RedLock.net, Lua/Extend.lua), and so did redis-semaphore before 5.3.1 (swarthy/
// redis-semaphore, CHANGELOG; issue 175): the client never learns that others were inside.
var extendParam = models.Param{Name: "extend", Unit: models.Choice, Choices: []string{"compare", "set"},
	Doc: "what a renewal does: it sets the TTL anew if the key has the client's value, or it also sets the key if there is none"}

const extendBySet = 1

// WatchdogParam says what ttl is to Redisson: lockWatchdogTimeout of a lock() without a
// lease, which the library renews, or the lease of a lock(lease), which nobody renews.
var WatchdogParam = models.Param{Name: "watchdog", Unit: models.Choice, Choices: []string{"on", "off"},
	Doc: "client redisson: renew the lock every third of its ttl, as lock() does, or give it that ttl as a lease"}

const WatchdogOn = 0

var tokenParam = models.Param{Name: "token", Unit: models.Choice, Choices: []string{"none", "incr"},
	Doc: "client redisson: none, or that of RFencedLock, an INCR in the script that takes the lock"}

const tokenByIncr = 1

// interruptParam ends an acquire of Redisson's before it is answered, as lockInterruptibly() and a
// tryLock() in a thread that is cancelled do: the caller gets an exception. The command is not taken
// back, and what tryLockInnerAsync was given to do when it is answered is done: if the lock was free it
// schedules renewals for a thread that does not know of it (redisson/redisson RedissonLock.java,
// tryAcquireAsync; RedissonBaseLock.java, scheduleExpirationRenewal; issue 7272).
var interruptParam = models.Param{Name: "interrupt", Unit: models.Duration,
	Doc: "client redisson: after how long the thread that acquires is interrupted, should there be no answer yet; 0 is never"}

// lateReplyParam says what is done with a lock whose caller has gone.
var lateReplyParam = models.Param{Name: "late-reply", Unit: models.Choice, Choices: []string{"renew", "give-back"},
	Doc: "client redisson, with interrupt: what an answer does that comes later and says that the lock is taken: it starts the renewals, or it gives the lock back"}

const lateReplyGivesBack = 1

// mutexParam puts a mutex of the process before the key, as Spring Integration's RedisLockRegistry has: a
// thread locks that first, and whoever unlocks a key that has expired gets an exception. Before version
// 4.3.2 the mutex stayed locked then (spring-projects/spring-integration RedisLockRegistry.java, unlock;
// issue 1888, pull request 2661). The cycles of a client are one thread after the other.
var mutexParam = models.Param{Name: "mutex", Unit: models.Choice, Choices: []string{"none", "kept-on-error", "unlocked"},
	Doc: "client bare: a mutex in the client's process that is locked before the key is set: none, one that an unlock without a key leaves locked, or one that every unlock unlocks"}

const mutexKeptOnError = 1

// refreshParam says what Refresh of bsm/redislock does without a reply. That of v0.9.4, the released one,
// returns the error. On its main branch it tries again as Obtain does, until one TTL has passed.
var refreshParam = models.Param{Name: "refresh", Unit: models.Choice, Choices: []string{"once", "retried"},
	Doc: "client redislock: what Refresh does without a reply: it fails (v0.9.4), or it tries again as often as Obtain does (its main branch)"}

const refreshRetried = 1

// retries are those that the clients have by themselves.
var retries = [...]int{bareClient: 0, redislockClient: GoRedisRetries, redissonClient: RedissonRetries}

// GoRedisTimeout is go-redis's Options.ReadTimeout, since v9.22; it was 3 s before.
const GoRedisTimeout = 5 * time.Second

// timeouts are those that the clients have by themselves: Redisson's is its timeout (redisson/redisson
// config/BaseConfig.java), and bare's what both had for long.
var timeouts = [...]time.Duration{bareClient: 3 * time.Second, redislockClient: GoRedisTimeout, redissonClient: 3 * time.Second}

// Timeout is how long the client waits for a reply.
func Timeout(p models.Params) time.Duration {
	return cmp.Or(p.Duration("timeout"), timeouts[p.Choice(clientParam.Name)])
}

// ClientParams are the parameters of the clients of Redis.
func ClientParams() []models.Param {
	retry := models.RetryParams(Retry)
	retry[len(retry)-1].Doc = "attempts before the client gives up; 0 is the client's own: bare no end, redislock one (NoRetry), redisson no end and no other value"
	return slices.Concat([]models.Param{
		models.TTL(30*time.Second, time.Millisecond, "time to live of the key; the documentation's example is 30000 ms, and so is Redisson's lockWatchdogTimeout"),
		{Name: "timeout", Unit: models.Duration, Doc: "how long the client waits for a reply; 0 is the client's own: bare 3s, redislock 5s (go-redis, ReadTimeout), redisson 3s (timeout)"},
		clientParam, commandRetriesParam, BackoffParam, WatchdogParam, tokenParam, acquireParam, releaseParam, extendParam,
		interruptParam, lateReplyParam, mutexParam, refreshParam,
	}, retry)
}

// ValidateClient says why parameters of a client make no sense together.
func ValidateClient(p models.Params) error {
	bare := p.Choice(clientParam.Name) == bareClient
	redisson := p.Choice(clientParam.Name) == redissonClient
	switch {
	case !bare && p.Choice(acquireParam.Name) != acquireBySet:
		return errors.New("acquire: setnx-pexpire and set-twice are how client: bare may set the key; the libraries do it in one script")
	case !bare && p.Choice(releaseParam.Name) != 0:
		return fmt.Errorf("release: %s is how client: bare may delete the key; the libraries compare and delete in one script", releaseParam.Choices[p.Choice(releaseParam.Name)])
	case !bare && p.Choice(extendParam.Name) == extendBySet:
		return errors.New("extend: set is how client: bare may renew; the libraries renew only a key that is theirs")
	case !bare && p.Choice(mutexParam.Name) != 0:
		return errors.New("mutex: it stands before the key of client: bare; Redisson's locks and redislock's have none")
	case !redisson && p.Duration(interruptParam.Name) > 0:
		return errors.New("interrupt: it needs client: redisson, whose commands are answered to a callback; the others wait themselves")
	case redisson && p.Duration(BackoffParam.Name) > 0:
		return errors.New("command-backoff: redisson has delays of its own before it sends again: leave it 0")
	case p.Choice(lateReplyParam.Name) != 0 && p.Duration(interruptParam.Name) == 0:
		return errors.New("late-reply without interrupt: nobody has gone when the answer comes; set interrupt")
	case !redisson && p.Choice(tokenParam.Name) == tokenByIncr:
		return errors.New("token: incr is that of Redisson's RFencedLock: it needs client: redisson")
	case redisson && p.Int("attempts") != 0:
		return errors.New("attempts does not go with client: redisson, whose lock() waits for a message or the end of the lease: leave it 0")
	case redisson && p.Duration("ttl") < 3*time.Millisecond && p.Choice(WatchdogParam.Name) == WatchdogOn:
		return errors.New("ttl of at least 3ms is needed for watchdog: on, which renews every third of it in whole milliseconds")
	}
	return nil
}

// ClientSteps are the named points of the clients.
var ClientSteps = slices.Concat(models.StepsOfAcquire, []models.Step{
	{Name: stepExpire, Doc: "with acquire: setnx-pexpire, the key is set and has no time to live yet"},
	{Name: stepDelete, Doc: "with release: get-del, the key has the client's value, and is not deleted yet"},
	{Name: StepResend, Doc: "a command was not answered and is about to be sent again"},
	{Name: stepWait, Doc: "client redisson: somebody has the lock; the client begins to wait for a message or the end of the lease"},
}, models.StepsOfRenewal)

const (
	// stepExpire is between SETNX and PEXPIRE.
	stepExpire = "acquire.expire"
	stepWait   = "acquire.wait"
	// stepDelete is between GET and DEL.
	stepDelete = "release.delete"
	// StepResend is before a command is sent again.
	StepResend = "command.resend"
)

// ClientTakeover is the longest time from a holder that falls silent to the next grant while
// a server answers. A waiter of Redisson sleeps until the time to live that it was told is
// over, which is no later than the lease, and asks at once; the others ask after a delay.
func ClientTakeover(p models.Params) time.Duration {
	takeover := p.Duration("ttl") + Granularity
	if p.Choice(clientParam.Name) != redissonClient {
		takeover += models.RetryOf(p).Longest()
	}
	return takeover
}

// IsRedislock reports whether the client is bsm/redislock, on go-redis.
func IsRedislock(p models.Params) bool { return p.Choice(clientParam.Name) == redislockClient }

// SendsWait reports whether the client can ask for replicas: bsm/redislock cannot.
func SendsWait(p models.Params) bool { return !IsRedislock(p) }

// Renews says that the client renews its lock by itself: Redisson's does, with its watchdog.
func Renews(p models.Params) bool {
	return p.Choice(clientParam.Name) == redissonClient && p.Choice(WatchdogParam.Name) == WatchdogOn
}

// ChecksReplicas reports whether the client asks for replicas by itself: Redisson does
// (redisson/redisson config/Config.java, checkLockSyncedSlaves).
func ChecksReplicas(p models.Params) bool { return p.Choice(clientParam.Name) == redissonClient }
