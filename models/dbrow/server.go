package dbrow

import (
	"time"

	"fencepost/models"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// server is the database with the one row that is the lock.
type server struct {
	env     *models.Env
	host    *host.Host
	options *options
	witness witness

	row    row            // as it is committed
	locker *transaction   // has the row locked
	queue  []*transaction // wait for that, in order of arrival
	open   []*transaction
	peers  []peer
	log    writeAheadLog

	serial int
	spare  []*transaction
}

func newServer(e *models.Env, h *host.Host, o *options) *server {
	s := &server{env: e, host: h, options: o, witness: witness{env: e, options: o}}
	h.Server = s
	return s
}

// reset empties the table.
func (s *server) reset() {
	s.host.Disk.Configure(s.env.Fsync, s.env.Seed, "dbrow.fsync", rng.HashString(s.host.Name))
	s.witness.holder, s.serial = 0, 0
	s.log = writeAheadLog{}
	s.start()
}

// start is the state at the start of a process.
func (s *server) start() {
	s.row, s.locker = s.log.disk.Written, nil
	s.spare = append(s.spare, s.open...)
	s.queue, s.open, s.peers = s.queue[:0], s.open[:0], s.peers[:0]
	s.log = writeAheadLog{disk: s.log.disk}
}

// wall is the server's wall clock in microseconds, rounded down.
func (s *server) wall() int64 {
	const unit = clock.Wall(time.Microsecond)
	now := s.host.Wall()
	return int64((now - (now%unit+unit)%unit) / unit)
}

// Receive implements [host.Server].
func (s *server) Receive(m *network.Message) {
	p := s.peer(m.From)
	if m.Call <= p.call {
		return
	}
	p.call = m.Call
	switch {
	case m.Op == OpBegin:
		tx := s.begin(p, true)
		s.reply(m, true, 0)
		s.await(tx)
	case m.Op == OpClose:
		s.hangUp(p)
	case m.Op == OpCommit && p.tx != nil:
		tx := p.tx
		p.tx, tx.request, tx.waits = nil, *m, false
		s.commit(tx)
	case m.Op == OpCommit || m.Key == inside && p.tx == nil:
		s.host.Reply(m, network.Body{Op: OpError})
	default:
		tx := p.tx
		if m.Key != inside {
			tx = s.begin(p, m.Key == first)
		}
		tx.request, tx.statement, tx.waits = *m, *m, false
		s.execute(tx)
	}
	s.grantRowLock()
}

// remove runs the statement of somebody who is no client, with the server's time for now. It waits
// for the row lock like any other.
func (s *server) remove(order int) {
	tx := s.begin(&peer{}, false)
	b := network.Body{Op: OpRemove, Token: int64(order), Revision: s.wall()}
	if s.options.client == shedlockClient {
		b.Value = expires
	}
	tx.statement.Body = b
	s.execute(tx)
}

// execute runs a statement at READ COMMITTED. What does not match the row as it is
// committed leaves it alone, and everything else needs the row lock: an upsert in any case.
func (s *server) execute(tx *transaction) {
	if tx.statement.Op != OpUpsert && !s.row.matches(&tx.statement, s.now(tx)) {
		s.executed(tx)
		return
	}
	s.queue = append(s.queue, tx)
}

// grantRowLock gives the row to the transactions that wait for it, one after the other,
// and each looks at what the one before it has left.
func (s *server) grantRowLock() {
	for s.locker == nil && len(s.queue) > 0 {
		tx := s.queue[0]
		s.queue = append(s.queue[:0], s.queue[1:]...)
		s.locker, tx.locked, tx.ran = tx, true, s.host.World().Now()
		if now := s.now(tx); s.row.matches(&tx.statement, now) {
			tx.wrote, tx.next = true, s.row.changed(&tx.statement, now, s.options)
		}
		s.executed(tx)
	}
}

// now is what a transaction takes for the present.
func (s *server) now(tx *transaction) int64 {
	switch s.options.time {
	case databaseTime:
		return tx.start
	case databaseClock:
		return s.wall()
	default:
		return tx.statement.Revision
	}
}

// executed goes on when a statement is done.
func (s *server) executed(tx *transaction) {
	switch {
	case !tx.explicit:
		s.commit(tx)
	case tx.gone:
		s.end(tx)
	default:
		s.answer(tx)
		s.await(tx)
	}
}

// answer tells the client what its statement did, or that its transaction is committed.
func (s *server) answer(tx *transaction) {
	if tx.statement.Op == OpRemove {
		return // nobody in this world waits for it
	}
	token := int64(0)
	if tx.wrote && acquires(tx.statement.Op) && s.options.token { // RETURNING token
		token = tx.next.token
	}
	s.reply(&tx.request, tx.wrote || tx.request.Op == OpCommit, token)
}

func (s *server) reply(m *network.Message, ok bool, token int64) {
	s.host.Reply(m, network.Body{Op: OpReply, OK: ok, Token: token})
}

// Timer implements [host.Server].
func (s *server) Timer(tag int) {
	order, ordered := models.OrderOf(tag)
	switch {
	case ordered:
		s.remove(order)
	case tag == tagFlushed:
		s.flushed()
	case tag == tagWriter:
		s.writeBehind()
	default:
		s.idled(tag)
	}
	s.grantRowLock()
}
