package redlock

import (
	"time"

	"fencepost/models"
	"fencepost/models/redis"
)

// behaviour is what a client makes of the algorithm: what the documentation leaves open,
// and what the client does otherwise.
type behaviour struct {
	client  clientLibrary
	ttl     time.Duration
	timeout time.Duration // how long it waits for a reply

	share       int64         // of the TTL, in millionths, after which the context of an attempt ends; 0 is never
	context     time.Duration // the same
	contextEnds bool          // the wait for a reply, too
	resends     int           // how often a request without a reply is sent again before that
	backoff     redis.Backoff

	order    order
	replies  replies
	tieHangs bool // with neither a majority for nor one against there is no result

	check check
	clock clockKind
	whole bool  // it reads whole milliseconds
	start scope // from when the validity counts
	value scope // how often the random value is drawn
	undo  undoing
	// forgets says that a library which did not get the lock has no value for it: a release names none.
	forgets bool

	hasDrift, hasFixed bool // parts of the drift allowance
	drift              time.Duration

	retry     models.Retry
	extension extension
	release   release
	using     bool // node-redlock v5's using()
	query     bool // redsync's Valid
	watchdog  bool // Redisson's
}

// Parameters of the same names have these values after their first, "client".
type (
	order     int
	replies   int
	check     int
	clockKind int
	scope     int
	undoing   int
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
	perAttempt scope = iota
	perCall
)

const (
	undoAfterEach undoing = iota
	undoAfterLast
)

// extension is how a client prolongs a lock when the program asks for it.
type extension struct {
	none         bool // it cannot
	pastDeadline bool // it tries although its own deadline has passed
	retries      bool // it tries as often as acquire does
	undoes       bool // it gives the lock back on all servers when an attempt has failed
	sets         bool // it sets the key on servers that have none
	forgives     bool // a failure is no error as long as the lock is valid
}

// release is when a client's release has succeeded.
type release struct {
	answers bool // a majority has answered, whatever it said; otherwise it has deleted the key
	always  bool // whatever happens
	retries bool // it tries as often as acquire does
}

// behaviourOf is that of the client, with what the parameters change.
func behaviourOf(p models.Params) behaviour {
	client := clientLibrary(p.Choice(clientParam.Name))
	b := clients[client]
	b.client = client
	setDuration(&b.ttl, p, "ttl")
	setDuration(&b.timeout, p, "timeout")
	b.context, b.contextEnds = part(b.ttl, b.share), p.Choice(contextParam.Name) > 0
	b.resends = redis.CommandRetries(p, b.resends)
	b.backoff = redis.BackoffOf(p)
	b.query = p.Choice(validParam.Name) == validByQuery
	b.using = p.Choice("using") > 0
	b.watchdog = client == redisson && p.Choice(redis.WatchdogParam.Name) == redis.WatchdogOn
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

// limits are how long a library waits for servers.
type limits struct {
	reply       time.Duration // for each reply
	context     time.Duration // after which nothing is sent again; 0 is never
	contextEnds bool          // the wait for a reply, too
}

// ofAttempt are those of an attempt and of undoing it.
func (b *behaviour) ofAttempt() limits { return limits{b.timeout, b.context, b.contextEnds} }

// ofCall are those of a release and an extension, which have no context of their own.
func (b *behaviour) ofCall() limits { return limits{reply: b.timeout} }
