package redis

import (
	"fmt"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// library is what the libraries of one client have in common.
type library struct {
	clients *Clients
	index   int
	random  rng.Stream

	value int64 // under which the key is set
	hold  history.HoldID
	taken bool // the key of that value has been asked back
}

// begin opens an attempt to set the key under a value.
func (l *library) begin(hold history.HoldID, value int64) {
	l.hold, l.value, l.taken = hold, value, false
}

// call sends a command once and waits for the reply.
func (l *library) call(p *host.Process, b network.Body) (network.Message, error) {
	b.Hold = l.hold
	return l.clients.service.Call(p, l.index, b, l.clients.timeout)
}

// confirm reports whether a reply says that the lock is held, for all that the client asks
// of the service.
func (l *library) confirm(p *host.Process) bool {
	return l.clients.service.Confirm(p, l.index, l.hold)
}

// givenBack marks the key as one that is not wanted any more. If the service has promised
// it, what it promised ends here: the record has a release.
func (l *library) givenBack() {
	l.taken = true
	if l.clients.service.Promises(l.value) {
		l.clients.release(l.hold)
	}
}

func (l *library) note(p *host.Process, text string) {
	l.clients.env.Recorder.Add(history.Record{Kind: history.Note, Hold: l.hold, Local: time.Duration(p.Now()), Text: text})
}

// Valid implements [models.Locker]. None of the libraries keeps a deadline, or is told that
// its lock is lost: they have nothing to say against.
func (l *library) Valid(*host.Process) bool { return true }

// NewValue draws the value under which a key is set. It stands for the 20 random
// bytes of the documentation: unique, and without an order.
func NewValue(s *rng.Stream) int64 { return int64(s.Uint64() >> 1) }

// notAcquired is what Acquire returns when a library ends with an error of its own.
func notAcquired(err error) error { return fmt.Errorf("%w: %w", models.ErrNotAcquired, err) }

// answered is the error that a reply to a conditional command stands for.
func answered(reply network.Message, err error) error {
	if err == nil && !reply.OK {
		return models.ErrNotHeld
	}
	return err
}
