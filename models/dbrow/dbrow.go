// Package dbrow is a lock that is a row with a time to live in one PostgreSQL database.
//
// The row has a name, an owner and the time lock_until. Whoever finds lock_until passed
// takes the row over with one conditional statement, and the database's row lock decides
// between two who try. Nobody deletes an expired row, and nobody is told: that a lease is
// over is a condition in the next challenger's statement.
//
//	acquire  insert, or update where lock_until <= now
//	renew    update lock_until where owner = mine and lock_until > now
//	release  update lock_until where owner = mine
//
// # Two clients
//
// The generic client sends each statement as a transaction of its own and tries again
// until it has the lock. Its TTL and its delay are those of Spring Integration's JDBC
// lock registry (spring-projects/spring-integration, DefaultLockRepository, DEFAULT_TTL;
// JdbcLockRegistry, DEFAULT_IDLE). It may keep an integer in the row that each takeover
// raises: a fencing token.
//
// ShedLock (lukas-krecan/ShedLock) guards scheduled tasks. It tries once, and a task whose
// lock is taken is skipped (StorageBasedLockProvider, doLock). Each statement has a
// transaction that is committed by another round trip (JdbcTemplateStorageAccessor,
// execute). The owner is the name of the host (SqlConfiguration, lockedByValue). A release
// asks for name and owner and not for a lease that still runs, and may keep the row locked
// until lock-at-least-for has passed (SqlStatementsSource, getUnlockStatement). With
// keep-alive the lock is extended at half of its time, and the task never hears that this
// failed (KeepAliveLockProvider).
//
// # What now is
//
// With time: client, lock_until and now are readings of the clients' wall clocks, in whole
// milliseconds (ShedLock, ClockProvider). With time: database they are CURRENT_TIMESTAMP,
// which is when the transaction began, however long it has waited since (PostgreSQL,
// Date/Time Functions, Current Date/Time). A statement that waited for a row lock, or
// came late in its transaction, writes a lease that is shorter by as much, and does not see
// that a lock was released meanwhile. Issues #3577 and #3682 of ShedLock are such a case.
// With time: database-clock it is clock_timestamp(), read when the row is.
//
// # The database
//
// Statements run at READ COMMITTED: one that finds a row matching waits for the
// transaction that has the row locked, and then looks at the row again (PostgreSQL,
// Transaction Isolation). INSERT ... ON CONFLICT DO UPDATE locks the row even if it then
// leaves it as it is (PostgreSQL, INSERT). The lock lasts until the transaction ends, and a
// commit until the log is on disk (synchronous_commit). What has been committed survives
// any crash but the loss of the disk.
//
// # Left out
//
// A standby and a failover to it, which forgets commits that it has not got; isolation
// levels above READ COMMITTED, whose serialization errors ShedLock catches; lock_timeout
// and statement_timeout, which are off by default; the keepalives of TCP, which tell a
// server after two hours that its client is gone; other databases' statements.
package dbrow

import (
	"slices"
	"time"

	"fencepost/models"
)

// Lock is the lock system.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:    "dbrow",
		Summary: "a row with a time to live in one database, or ShedLock on it",
		Sources: []string{
			"lukas-krecan/ShedLock shedlock-core support/StorageBasedLockProvider.java, support/KeepAliveLockProvider.java, core/LockConfiguration.java",
			"lukas-krecan/ShedLock providers/sql/shedlock-sql-support SqlStatementsSource.java, PostgresSqlServerTimeStatementsSource.java, SqlConfiguration.java",
			"lukas-krecan/ShedLock issues #132, #1986, #3577, #3682",
			"spring-projects/spring-integration jdbc/lock/DefaultLockRepository.java, JdbcLockRegistry.java (TTL and delay)",
			"PostgreSQL documentation, Date/Time Functions; Transaction Isolation; INSERT; Asynchronous Commit",
		},
		Promise:      "from when the statement has the row, or with time: client from the client's reading of its clock, for the TTL less 1 µs or 1 ms",
		Granted:      "the transaction is committed",
		Token:        "with token: column, an integer in the row that each takeover raises",
		TokenWith:    models.TokenAsked,
		Removal:      "the row is deleted; with client: shedlock, which says not to do that, its lock_until is set to now",
		ServiceClock: "wall",
		Durable:      durable,
		Renews:       func(p models.Params) bool { return p.Choice("keep-alive") == on },
		Disk:         models.Always,
		Notice:       "none",
		Role:         "db",
		Servers:      1,
		Params:       params,
		Validate:     validate,
		Steps: slices.Concat(models.StepsOfAcquire, models.StepsOfRenewal, []models.Step{
			{Name: stepDated, Doc: "the client has read its clock for this attempt: nothing has been sent"},
			{Name: stepBegun, Doc: "with transaction-age, the transaction has begun: the statement has not been sent"},
			{Name: stepUpdate, Doc: "client: shedlock, the insert has not given the lock: the update has not been sent"},
			{Name: stepCommit, Doc: "a statement is answered and the row may be locked: its commit has not been sent"},
			{Name: stepKeepAlive, Doc: "with keep-alive: on, an extension is due: nothing has been sent"},
			{Name: stepKeptAlive, Doc: "the reply to an extension of keep-alive: on is in, it has not been evaluated"},
		}),
		Takeover: takeover,
	}
}

// takeover: the row stays until its time is over, or a transaction that fell silent with
// the row locked until the server ends it; a client that has just asked in vain waits for
// its delay, and then its transaction may get old. A client that falls silent so while
// the server lets it (idle-in-transaction: 0) blocks everybody, for which no time allows.
func takeover(p models.Params) time.Duration {
	silent := max(p.Duration("ttl"), p.Duration("idle-in-transaction"))
	if p.Choice("client") == shedlockClient {
		return silent + clientGranularity
	}
	return silent + clientGranularity + models.RetryOf(p).Longest() + p.Duration("transaction-age")
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &system{env: e, options: optionsOf(e.Params)}
	s.server = newServer(e, e.Servers("db", 1)[0], &s.options)
	s.clients = make([]library, len(e.Clients))
	return s
}

// system is the database and what the clients' libraries keep through a restart.
type system struct {
	env     *models.Env
	options options
	server  *server
	clients []library
}

// Reset implements [models.System].
func (s *system) Reset() {
	s.server.reset()
	for i := range s.clients {
		s.clients[i] = library{system: s, client: i, random: s.env.Stream("dbrow.client", i)}
	}
}

// Remove implements [models.Remover].
func (s *system) Remove(_, order int) { models.Order(s.server.host, 0, order) }

// Locker implements [models.System].
func (s *system) Locker(client int) models.Locker {
	l := &s.clients[client]
	*l = library{system: s, client: client, random: l.random}
	l.owner = l.named()
	if s.options.client == genericClient {
		return &generic{library: l}
	}
	shed := &shedlock{library: l}
	if s.options.keepAlive {
		return &keepAlive{lock: shed}
	}
	return shed
}
