package dbrow

import (
	"fmt"
	"time"

	"fencepost/models"
)

// The words of the parameters, by place.
const (
	genericClient = iota
	shedlockClient
)

const (
	databaseTime = iota
	databaseClock
	clientTime
)

const (
	usualOwner = iota
	uniqueOwner
	hostOwner
	oneHostOwner
)

const (
	off = iota
	on
)

// retry is Spring Integration's: every 100 ms, without an end (JdbcLockRegistry, DEFAULT_IDLE).
var retry = models.Retry{Base: 100 * time.Millisecond, Max: 100 * time.Millisecond}

// leastKeepAlive is the least TTL that KeepAliveLockProvider accepts.
const leastKeepAlive = 30 * time.Second

var params = append([]models.Param{
	models.TTL(10*time.Second, time.Millisecond, "from now to lock_until; ShedLock's lockAtMostFor, which has no default"),
	{Name: "client", Unit: models.Choice, Choices: []string{"generic", "shedlock"},
		Doc: "who uses the row: a program that waits for the lock, or ShedLock, which tries once"},
	{Name: "time", Unit: models.Choice, Choices: []string{"database", "database-clock", "client"},
		Doc: "what now is: when the transaction began (CURRENT_TIMESTAMP; ShedLock's usingDbTime, which it recommends), when the row is looked at (clock_timestamp()), or the client's wall clock (ShedLock without usingDbTime)"},
	{Name: "owner", Unit: models.Choice, Choices: []string{"usual", "unique", "host", "one-host"},
		Doc: "who a row says has it: a value of each acquire's own (usual for generic), the name of the client's host (usual for shedlock), or one host's name for all"},
	{Name: "unlock", Unit: models.Choice, Choices: []string{"owner", "name"},
		Doc: "what ShedLock's release asks for: the owner too, or the name alone, as until pull request #2959 of 2025"},
	{Name: "lock-at-least-for", Unit: models.Duration,
		Doc: "ShedLock keeps the row locked for so long, if the task is done sooner (lockAtLeastFor)"},
	{Name: "keep-alive", Unit: models.Choice, Choices: []string{"off", "on"},
		Doc: "ShedLock extends the lock at half of its TTL (KeepAliveLockProvider); needs a TTL of 30s"},
	{Name: "token", Unit: models.Choice, Choices: []string{"none", "column"},
		Doc: "whether the generic client's row has an integer that each takeover raises"},
	{Name: "transaction-age", Unit: models.Duration,
		Doc: "how old at most, drawn evenly, the transaction is when the statement that acquires is sent, as one of the application's own may be (ShedLock's jOOQ provider joins it); 0 is one that begins with the statement"},
	{Name: "idle-in-transaction", Unit: models.Duration,
		Doc: "after which the server ends a transaction that waits for its client (idle_in_transaction_session_timeout, off by default); 0 is never"},
	{Name: "synchronous-commit", Unit: models.Choice, Choices: []string{"on", "off"},
		Doc: "whether a commit is answered when it is on disk, or before (synchronous_commit)"},
	{Name: "timeout", Unit: models.Duration, Default: int64(30 * time.Second),
		Doc: "how long a client waits for a reply (Npgsql, Command Timeout); 0 is without an end, as by default with pgjdbc (socketTimeout)"},
}, models.RetryParams(retry)...)

// validate refuses what the clients cannot do.
func validate(p models.Params) error {
	ttl, least := p.Duration("ttl"), p.Duration("lock-at-least-for")
	generic := p.Choice("client") == genericClient
	switch {
	case generic && p.Choice("keep-alive") == on:
		return fmt.Errorf("keep-alive: on is ShedLock's: it needs client: shedlock")
	case generic && least > 0:
		return fmt.Errorf("lock-at-least-for is ShedLock's: it needs client: shedlock")
	case generic && p.Choice("unlock") != 0:
		return fmt.Errorf("unlock: name is ShedLock's: it needs client: shedlock")
	case !generic && p.Choice("token") != 0:
		return fmt.Errorf("token: column needs client: generic: ShedLock's table has no such column")
	case !generic && p.Choice("time") == databaseClock:
		return fmt.Errorf("time: database-clock needs client: generic: ShedLock's statements have CURRENT_TIMESTAMP, so time is database or client")
	case least > ttl:
		return fmt.Errorf("lock-at-least-for (%v) is longer than ttl (%v): ShedLock refuses that, at most the ttl is right", least, ttl)
	case p.Choice("keep-alive") == on && ttl < leastKeepAlive:
		return fmt.Errorf("keep-alive: on with a ttl of %v: KeepAliveLockProvider needs a ttl of at least %v", ttl, leastKeepAlive)
	}
	return nil
}

// durable: a commit that does not wait for the disk can be lost.
func durable(p models.Params) bool { return p.Choice("synchronous-commit") == 0 }

// options are the parameters, looked up once.
type options struct {
	ttl, least, age, idle, timeout time.Duration
	client, time, owner            int
	unlockByName, keepAlive        bool
	token, synchronous             bool
	retry                          models.Retry
}

func optionsOf(p models.Params) options {
	o := options{
		ttl: p.Duration("ttl"), least: p.Duration("lock-at-least-for"), age: p.Duration("transaction-age"),
		idle: p.Duration("idle-in-transaction"), timeout: p.Duration("timeout"),
		client: p.Choice("client"), time: p.Choice("time"), owner: p.Choice("owner"),
		unlockByName: p.Choice("unlock") != 0, keepAlive: p.Choice("keep-alive") == on,
		token: p.Choice("token") != 0, synchronous: durable(p),
		retry: models.RetryOf(p),
	}
	if o.owner == usualOwner {
		o.owner = uniqueOwner
		if o.client == shedlockClient {
			o.owner = hostOwner
		}
	}
	return o
}

// granularity is that of the timestamps that lease and challenger are compared by.
func (o *options) granularity() time.Duration {
	if o.time == clientTime {
		return clientGranularity
	}
	return time.Microsecond
}

// clientGranularity is that of ShedLock's ClockProvider; a timestamp of the database has
// microseconds.
const clientGranularity = time.Millisecond
