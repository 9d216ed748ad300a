package dbrow

import (
	"time"

	"fencepost/sim/history"
	"fencepost/sim/network"
)

// Messages to the database. A statement carries the owner as Value, the interval from now to
// the new lock_until as TTL, and where it stands in its transaction as Key. With time: client
// it carries now too, as Revision, in microseconds.
var (
	// OpUpsert is INSERT ... ON CONFLICT (name) DO UPDATE ... WHERE lock_until <= now.
	OpUpsert = network.NewOp("db.upsert")
	// OpUpdate is UPDATE ... WHERE lock_until <= now.
	OpUpdate = network.NewOp("db.update")
	// OpExtend is UPDATE ... WHERE locked_by = owner AND lock_until > now.
	OpExtend = network.NewOp("db.extend")
	// OpRelease is UPDATE ... WHERE locked_by = owner; owner 0 is whosever it is.
	OpRelease = network.NewOp("db.release")
	// OpRemove is DELETE, of a row whose time is over too, or with Value expires UPDATE ... SET
	// lock_until = now, by somebody who is no client: it asks for no owner. Token is its order.
	OpRemove = network.NewOp("db.remove")
	// OpBegin is BEGIN ahead of the statement.
	OpBegin = network.NewOp("db.begin")
	// OpCommit is COMMIT.
	OpCommit = network.NewOp("db.commit")
	// OpClose is what the server hears of a connection that its client has given up.
	OpClose = network.NewOp("db.close")
	// OpReply answers with whether a row was changed, and the row's token.
	OpReply = network.NewOp("db.reply")
	// OpError answers what belongs to a transaction that the server does not have.
	OpError = network.NewOp("db.error")
)

// Where a statement stands in its transaction.
const (
	alone  = iota // it is the transaction
	first         // BEGIN comes with it, in one message, as pgjdbc sends it
	inside        // BEGIN came before
)

// expires is the Value of an [OpRemove] that leaves the row. ShedLock remembers that there is one,
// and none of its clients would make another (README, JdbcTemplate, Warning: "Do not manually
// delete lock row from the DB table").
const expires = 1

// row is the one row of the table. Its times are wall clocks, in microseconds.
type row struct {
	exists bool
	owner  int64
	until  int64 // lock_until
	at     int64 // locked_at
	token  int64

	// For the record only: whose acquire wrote the owner, and whether it was released.
	hold history.HoldID
	free bool
}

// matches is the condition of a statement.
func (r *row) matches(m *network.Message, now int64) bool {
	switch m.Op {
	case OpUpsert:
		return !r.exists || r.until <= now
	case OpUpdate:
		return r.exists && r.until <= now
	case OpRemove:
		return r.exists && (m.Value != expires || r.until > now)
	case OpExtend:
		return r.exists && r.owner == m.Value && r.until > now
	default: // a release does not ask whether the lease still runs
		return r.exists && (m.Value == anybody || r.owner == m.Value)
	}
}

// acquires reports whether it is a statement that takes the row over.
func acquires(op *network.Op) bool { return op == OpUpsert || op == OpUpdate }

// anybody is the owner of a release that names the lock only; nobody writes it into the row.
const anybody = -1

// nobody is the owner of no row: of a program that has not tried to acquire.
const nobody = -2

// changed is the row as a statement leaves it.
func (r row) changed(m *network.Message, now int64, o *options) row {
	until := now + micros(m.TTL)
	switch m.Op {
	case OpExtend:
		r.until = until
	case OpRemove:
		if m.Value != expires {
			return row{} // its token is gone, too
		}
		r.until, r.free = now, true
	case OpRelease:
		if o.client == shedlockClient && o.time != clientTime { // TTL is lock-at-least-for
			until = max(now, r.at+micros(m.TTL))
		}
		r.until, r.free = until, true
	default:
		r = row{exists: true, owner: m.Value, until: until, at: now, token: r.token + 1, hold: m.Hold}
	}
	return r
}

func micros(d time.Duration) int64 { return d.Microseconds() }
