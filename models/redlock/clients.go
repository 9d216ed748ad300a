package redlock

import (
	"time"

	"fencepost/models"
	"fencepost/models/redis"
)

// clientLibrary is one of the clients, in the order of [clientParam].
type clientLibrary int

const (
	specification clientLibrary = iota
	antirez
	redsync
	nodeV4
	nodeV5
	redlockRB
	redisson
)

// tcpGivesUp is when Linux ends a connection on which nothing is acknowledged
// (docs.kernel.org, ip-sysctl, tcp_retries2: at least 924.6 s). It ends the wait of a
// client that sets no timeout.
const tcpGivesUp = 924_600 * time.Millisecond

// exampleTTL is the documentation's example of a TTL, for clients that have no default.
const exampleTTL = 10 * time.Second

// clients are the behaviours of the words. Redisson's is a protocol of its own; see
// multilock.go.
var clients = [...]behaviour{
	// The documentation, with what it leaves open from elsewhere; see the package comment.
	specification: {
		ttl: exampleTTL, timeout: 50 * time.Millisecond,
		hasDrift: true, hasFixed: true,
		retry:     redis.Retry,
		extension: extension{pastDeadline: true, forgives: true},
	},
	// antirez/redlock-rb, lib/redlock.rb. The timeout is redis-rb's (redis/redis-rb 3.x,
	// lib/redis/client.rb, DEFAULTS).
	antirez: {
		ttl: exampleTTL, timeout: 5 * time.Second, order: sequential,
		clock: wall, whole: true, value: perCall,
		hasDrift: true, hasFixed: true,
		retry:     models.Retry{Jitter: 199 * time.Millisecond, Attempts: 3},
		extension: extension{none: true},
		release:   release{always: true},
	},
	// go-redsync/redsync v4, mutex.go and redsync.go, on go-redis v9. The context of an attempt
	// does not end the wait for a reply. Unlock and Extend have none of their own. Its Mutex has a value once
	// it was acquired (lockContext).
	redsync: {
		ttl: 8 * time.Second, timeout: redis.GoRedisTimeout, share: 50_000, resends: redis.GoRedisRetries,
		value: perCall, forgets: true, hasDrift: true,
		retry:     models.Retry{Base: 50 * time.Millisecond, Max: 50 * time.Millisecond, Jitter: 199 * time.Millisecond, Attempts: 32},
		extension: extension{pastDeadline: true},
	},
	// mike-marcacci/node-redlock v4.2.0, redlock.js. An extension is an attempt to lock with
	// another script, and ends like one that has failed: with an unlock.
	nodeV4: {
		ttl: exampleTTL, timeout: tcpGivesUp,
		clock: wall, whole: true, value: perCall,
		hasDrift: true, hasFixed: true,
		retry:     nodeRetry,
		extension: extension{retries: true, undoes: true},
		release:   release{answers: true},
	},
	// mike-marcacci/node-redlock v5.0.0-beta.2, src/index.ts.
	nodeV5: {
		ttl: exampleTTL, timeout: tcpGivesUp, replies: awaitQuorum, tieHangs: true,
		check: checkOff, clock: wall, whole: true, start: perCall, value: perCall, undo: undoAfterLast,
		hasDrift: true, hasFixed: true,
		retry:     nodeRetry,
		extension: extension{retries: true},
		release:   release{retries: true},
	},
	// leandromoreira/redlock-rb, lib/redlock/client.rb. Its extension is an attempt to lock
	// with the value of the lock that is there.
	redlockRB: {
		ttl: exampleTTL, timeout: 100 * time.Millisecond, order: sequential,
		check: checkLoose, whole: true,
		hasDrift: true, hasFixed: true,
		retry:     models.Retry{Base: 200 * time.Millisecond, Max: 200 * time.Millisecond, Jitter: 49 * time.Millisecond, Attempts: 4},
		extension: extension{pastDeadline: true, undoes: true, sets: true},
		release:   release{always: true},
	},
	// redisson/redisson, RedissonMultiLock.java, RedissonRedLock.java. The TTL is that of its
	// configuration (Config.lockWatchdogTimeout), and so are the timeout and how often renewals
	// and leases are sent again (BaseConfig.timeout and retryAttempts).
	redisson: {
		ttl: 30 * time.Second, timeout: 3 * time.Second, resends: redis.RedissonRetries, order: sequential,
		check: checkOff, clock: wall, whole: true, value: perCall,
		extension: extension{none: true},
		release:   release{always: true},
	},
}

// nodeRetry is 200 ms more or less 100 ms, ten times.
var nodeRetry = models.Retry{Base: 100 * time.Millisecond, Max: 100 * time.Millisecond, Jitter: 199 * time.Millisecond, Attempts: 11}
