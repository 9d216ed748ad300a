package dbrow

import (
	"fmt"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
)

// witness tells the record what commits have done to the row.
type witness struct {
	env     *models.Env
	options *options
	holder  history.HoldID // who has been granted the row and has not lost it; 0 is nobody
}

// committed tells of a transaction that changed the row, and was answered.
func (w *witness) committed(before *row, tx *transaction) {
	w.recovered(before, tx)
	m := &tx.statement
	until := w.env.PromiseEnd(w.promisedFrom(tx), w.options.ttl, w.options.granularity())
	switch {
	case acquires(m.Op):
		token := int64(0)
		if w.options.token {
			token = tx.next.token
		}
		w.holder = m.Hold
		w.add(history.Record{Kind: history.Grant, Hold: m.Hold, Until: until, Token: token})
		w.noteStale(tx)
	case m.Op == OpExtend && w.holder != 0:
		w.add(history.Record{Kind: history.Promise, Hold: w.holder, Until: until})
		if w.holder != m.Hold {
			w.add(history.Record{Kind: history.Note, Hold: m.Hold, Text: fmt.Sprintf("extended the lock of hold %d, of the same owner", w.holder)})
		}
		w.noteStale(tx)
	}
}

// recovered tells of a transaction that changed the row, though its client does not know.
func (w *witness) recovered(before *row, tx *transaction) {
	if m := &tx.statement; m.Op == OpRemove {
		w.env.Recorder.AddRemoval(int(m.Token), before.hold)
		if w.holder != 0 {
			w.ended(history.Removed)
		}
		return
	}
	switch m := &tx.statement; {
	case w.holder == 0 || m.Op == OpExtend:
	case m.Op != OpRelease:
		w.ended(w.expired())
	case m.Hold == before.hold:
		w.ended("released")
	default:
		w.ended(history.ForeignRelease)
	}
}

// restarted tells if the server has come back without the holder's row.
func (w *witness) restarted(r *row) {
	if w.holder != 0 && r.hold != w.holder {
		w.ended(history.Lost)
	}
}

// expired is why a lock is over that another client's statement has found outdated: by the
// server's clock, or by that client's.
func (w *witness) expired() string {
	if w.options.time == clientTime {
		return history.TakenOver
	}
	return history.Expired
}

func (w *witness) ended(why string) {
	w.add(history.Record{Kind: history.ServiceEnd, Hold: w.holder, Text: why})
	w.holder = 0
}

// promisedFrom is the instant from which the TTL is owed.
func (w *witness) promisedFrom(tx *transaction) sim.Time {
	if read, ok := tx.statement.Ref.(sim.Time); ok {
		return read
	}
	return tx.ran
}

// noteStale tells of a lease that is shorter than it should be, because it counts from when
// the transaction began.
func (w *witness) noteStale(tx *transaction) {
	if w.options.time == databaseTime && tx.ran > tx.began {
		earlier := tx.ran.Sub(tx.began)
		w.add(history.Record{Kind: history.Note, Hold: w.holder, Base: int64(earlier),
			Text: fmt.Sprintf("%s %v earlier, when the transaction began", history.DatedBack, earlier)})
	}
}

func (w *witness) add(r history.Record) { w.env.Recorder.Add(r) }
