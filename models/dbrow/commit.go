package dbrow

import (
	"time"

	"fencepost/sim/host"
)

// Tags of the server's timers. The others are serial numbers of transactions.
const (
	tagFlushed = 0
	tagWriter  = -1
)

// writerDelay is how often the log is written that no commit waits for (wal_writer_delay).
const writerDelay = 200 * time.Millisecond

// writeAheadLog is the log of changes as far as the row goes.
type writeAheadLog struct {
	disk host.Stable[row]
	// flushing says that an fsync is under way; covered is what it covers.
	flushing bool
	covered  row
	// With synchronous-commit: off, behind says that something is not written yet.
	behind bool
}

// commit ends a transaction. One that has locked the row writes to the log, and the row
// stays locked until that is on disk (access/transam/xact.c, RecordTransactionCommit).
func (s *server) commit(tx *transaction) {
	switch {
	case !tx.locked:
		s.committed(tx)
	case s.options.synchronous:
		if tx.wrote {
			s.log.disk.Written = tx.next
		}
		s.flush()
	default:
		s.committed(tx)
		if !s.log.behind {
			s.log.behind = true
			s.host.After(writerDelay, tagWriter)
		}
	}
}

// committed makes what a transaction did visible, and answers.
func (s *server) committed(tx *transaction) {
	if tx.wrote {
		s.witness.committed(&s.row, tx)
		s.row = tx.next
	}
	s.answer(tx)
	s.end(tx)
}

// flush begins an fsync of what is written.
func (s *server) flush() {
	s.log.flushing, s.log.covered = true, s.log.disk.Written
	if s.host.Disk.Sync(tagFlushed) {
		s.flushed()
	}
}

// flushed ends an fsync.
func (s *server) flushed() {
	s.log.flushing = false
	s.log.disk.SyncAs(s.log.covered)
	if s.options.synchronous {
		s.committed(s.locker)
	}
}

// writeBehind is the writer of the log, for commits that did not wait. An fsync that takes
// longer than the delay makes the next one wait.
func (s *server) writeBehind() {
	if s.log.flushing {
		s.host.After(writerDelay, tagWriter)
		return
	}
	s.log.behind, s.log.disk.Written = false, s.row
	s.flush()
}

// Restart implements [host.Restarter]. The server comes back with what its log has. A
// commit that was written but not answered counts; to its client it promises nothing.
func (s *server) Restart(lost host.Lost) {
	s.log.disk.Lose(lost)
	if s.options.synchronous && s.log.flushing && lost == host.LoseMemory && s.locker.wrote {
		s.witness.recovered(&s.row, s.locker)
	}
	s.start()
	s.witness.restarted(&s.row)
}
