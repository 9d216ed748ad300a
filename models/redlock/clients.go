package redlock

import (
	"time"

	"fencepost/models"
	"fencepost/models/redis"
)

// behaviour is what a client makes of the algorithm: what the documentation leaves open,
// and what the client does otherwise.
type behaviour struct {
	ttl     time.Duration
	timeout time.Duration // how long an attempt waits for a server
	patient time.Duration // how long a release or an extension does; 0 is as long
	share   int64         // of the TTL, in millionths: the attempt's timeout, if there is no fixed one

	order    order
	replies  replies
	tieHangs bool // with neither a majority for nor one against there is no result

	check check
	clock clockKind
	whole bool // it reads whole milliseconds
	start per  // from when the validity counts
	value per  // how often the random value is drawn
	undo  undo

	hasDrift, hasFixed bool // parts of the drift allowance
	drift              time.Duration

	retry     models.Retry
	extension extension
	release   release
}

// Parameters of the same names have these values after their first, "client".
type (
	order     int
	replies   int
	check     int
	clockKind int
	per       int
	undo      int
)

const (
	parallel order = iota
	sequential
)

const (
	awaitAll replies = iota
	awaitQuorum
)

const (
	checkOn check = iota
	checkOff
	checkLoose // validity of no length will do
)

const (
	monotonic clockKind = iota
	wall
)

const (
	perAttempt per = iota
	perCall
)

const (
	undoEach undo = iota
	undoLast
)

// extension is how a client prolongs a lock when the program asks for it.
type extension struct {
	none     bool // it cannot
	late     bool // it tries although its own deadline has passed
	retries  bool // it tries as often as acquire does
	undoes   bool // it gives the lock back on all servers when an attempt has failed
	sets     bool // it sets the key on servers that have none
	forgives bool // a failure is no error as long as the lock is valid
}

// release is when a client's release has succeeded.
type release struct {
	answers bool // a majority has answered, whatever it said; otherwise it has deleted the key
	always  bool // whatever happens
	retries bool // it tries as often as acquire does
}

// word is one of the clients, in the order of [clientParam].
type word int

const (
	specification word = iota
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

// goRedisTimeout is go-redis's Options.ReadTimeout, which bounds what redsync does not.
const goRedisTimeout = 3 * time.Second

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
		extension: extension{late: true, forgives: true},
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
	// go-redsync/redsync v4, mutex.go and redsync.go. Unlock and Extend have no timeout of
	// their own.
	redsync: {
		ttl: 8 * time.Second, share: 50_000, patient: goRedisTimeout,
		value: perCall, hasDrift: true,
		retry:     models.Retry{Base: 50 * time.Millisecond, Max: 50 * time.Millisecond, Jitter: 199 * time.Millisecond, Attempts: 32},
		extension: extension{late: true},
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
		check: checkOff, clock: wall, whole: true, start: perCall, value: perCall, undo: undoLast,
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
		extension: extension{late: true, undoes: true, sets: true},
		release:   release{always: true},
	},
	// redisson/redisson, RedissonMultiLock.java, RedissonRedLock.java. Without a lease there
	// is the watchdog. The timeout is that of its configuration (BaseConfig.timeout).
	redisson: {
		timeout: 3 * time.Second, order: sequential,
		check: checkOff, clock: wall, whole: true, value: perCall,
		extension: extension{none: true},
		release:   release{always: true},
	},
}

// nodeRetry is 200 ms more or less 100 ms, ten times.
var nodeRetry = models.Retry{Base: 100 * time.Millisecond, Max: 100 * time.Millisecond, Jitter: 199 * time.Millisecond, Attempts: 11}

// behaviourOf is that of the client, with what the parameters change.
func behaviourOf(p models.Params) behaviour {
	b := clients[p.Choice("client")]
	setDuration(&b.ttl, p, "ttl")
	if b.share > 0 {
		b.timeout = part(b.ttl, b.share)
	}
	setDuration(&b.timeout, p, "timeout")
	if b.patient == 0 {
		b.patient = b.timeout
	}
	setChoice(&b.order, p, "order")
	setChoice(&b.replies, p, "replies")
	setChoice(&b.check, p, "elapsed-check")
	setChoice(&b.clock, p, "clock")
	setChoice(&b.start, p, "start")
	setChoice(&b.value, p, "value")
	setChoice(&b.undo, p, "undo")
	if b.hasDrift {
		b.drift = part(b.ttl, p.Millionths("drift"))
	}
	if b.hasFixed {
		b.drift += p.Duration("drift-fixed")
	}
	if p.Duration("retry-base") > 0 {
		attempts := b.retry.Attempts
		b.retry = models.RetryOf(p)
		b.retry.Attempts = attempts
	}
	if attempts := p.Int("attempts"); attempts > 0 {
		b.retry.Attempts = attempts
	}
	if sets := p.Choice("extend-sets"); sets > 0 {
		b.extension.sets = sets == 2
	}
	return b
}

// setDuration sets what a parameter says, unless that is 0.
func setDuration(d *time.Duration, p models.Params, name string) {
	if v := p.Duration(name); v > 0 {
		*d = v
	}
}

// setChoice sets what a parameter says, unless that is its first word, "client".
func setChoice[T ~int](c *T, p models.Params, name string) {
	if v := p.Choice(name); v > 0 {
		*c = T(v - 1)
	}
}

// part is a share of a duration, in millionths.
func part(d time.Duration, share int64) time.Duration {
	return time.Duration(int64(d)/1_000_000*share + int64(d)%1_000_000*share/1_000_000)
}
