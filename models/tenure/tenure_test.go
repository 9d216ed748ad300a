package tenure

import (
	"fmt"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

const second = time.Second

// book is a record in a world in which nothing else happens.
type book struct {
	*Record
	world   *sim.World
	target  sim.TargetID
	history *history.Recorder
}

func newBook(t testing.TB) *book {
	w := &sim.World{}
	fleet := host.NewFleet(w, network.New(w))
	t.Cleanup(fleet.Close)
	b := &book{world: w, history: history.NewRecorder(w.Now)}
	b.target = w.Register(b)
	w.Reset(1)
	b.Record = New(&models.Env{Fleet: fleet, Recorder: b.history}, time.Millisecond)
	for range 3 {
		b.history.NewHold(0, 1)
	}
	return b
}

// Fire implements [sim.Target].
func (b *book) Fire(sim.Event) {}

// at does something at an instant.
func (b *book) at(d time.Duration, do func()) {
	b.world.Schedule(sim.ClassTimer, sim.Event{At: sim.Time(d), Target: b.target})
	b.world.Run(sim.Time(d))
	do()
}

// want compares the last record.
func (b *book) want(t *testing.T, n int, kind history.Kind, hold history.HoldID, until time.Duration) {
	t.Helper()
	if len(b.history.Records) != n {
		t.Fatalf("%d records, want %d: %+v", len(b.history.Records), n, b.history.Records)
	}
	if r := b.history.Records[n-1]; r.Kind != kind || r.Hold != hold || r.Until != sim.Time(until) {
		t.Errorf("the last is %v of hold %d until %v, want %v of %d until %v", r.Kind, r.Hold, r.Until, kind, hold, until)
	}
}

// The promise runs from the last touch of the session, less the clock's granularity, and not
// from the grant.
func TestPromiseIsTheSessions(t *testing.T) {
	b := newBook(t)
	b.Open(7, 10*second, true)
	b.at(3*second, func() { b.Grant(7, 1, 5) })
	b.want(t, 1, history.Grant, 1, 10*second-time.Millisecond)
	b.at(6*second, func() { b.Touch(7) })
	b.want(t, 2, history.Promise, 1, 16*second-time.Millisecond)
}

// A session counts from the leader's apply, or from the first one as long as no leader has
// made it; later applies of others are copies.
func TestSessionCountsFromItsLeader(t *testing.T) {
	b := newBook(t)
	b.Open(7, 10*second, false)
	b.at(second, func() { b.Open(7, 10*second, true) })
	b.at(2*second, func() { b.Open(7, 10*second, true); b.Open(7, 10*second, false) })
	if got := b.Touched(7); got != sim.Time(second) {
		t.Errorf("touched at %v, want when the leader made it", got)
	}
}

// Who gives a hold back is promised nothing more, whether in one session or in all, and a
// request of his that comes late lets nobody in.
func TestWhoLeavesIsPromisedNothing(t *testing.T) {
	for _, leave := range []func(b *book){
		func(b *book) { b.Leave(7, 1) },
		func(b *book) { b.LeaveAll(1) },
	} {
		b := newBook(t)
		b.Open(7, 10*second, true)
		b.Grant(7, 1, 5)
		leave(b)
		b.Touch(7)
		b.End("released")
		b.want(t, 2, history.ServiceEnd, 1, 0)
		b.Grant(7, 1, 6)
		b.End("released")
		b.want(t, 2, history.ServiceEnd, 1, 0)
		b.Grant(7, 2, 7)
		b.want(t, 3, history.Grant, 2, 10*second-time.Millisecond)
	}
}

// A hold that is left in one session may have the lock by another.
func TestLeavingOneSessionOnly(t *testing.T) {
	b := newBook(t)
	b.Open(7, 10*second, true)
	b.Open(8, 10*second, true)
	b.Leave(7, 1)
	b.Grant(7, 1, 5)
	b.Grant(8, 1, 6)
	b.want(t, 1, history.Grant, 1, 10*second-time.Millisecond)
}

// A session that is given up begins to give back what it has, and nothing if it has nothing.
func TestAbandon(t *testing.T) {
	b := newBook(t)
	b.Open(7, 10*second, true)
	b.Open(8, 10*second, true)
	b.Grant(7, 1, 5)
	b.Abandon(8, 2)
	b.Abandon(9, 1) // a session that was never made
	b.want(t, 1, history.Grant, 1, 10*second-time.Millisecond)
	b.Abandon(7, 1)
	b.want(t, 2, history.ReleaseBegin, 1, 0)
}

// Each entry is recorded when the first server applies it, and after a reset anew.
func TestFirst(t *testing.T) {
	b := newBook(t)
	if !b.First(1) || b.First(1) || !b.First(3) || b.First(2) {
		t.Error("an entry counts once, in the order of the log")
	}
	b.Reset()
	if !b.First(1) {
		t.Error("a reset forgets what was applied")
	}
}

// Of a session that is over nothing is kept, and a server that has not heard of that promises
// nothing by it. Neither does one that makes it again from its log.
func TestClosedSessionsAreForgotten(t *testing.T) {
	b := newBook(t)
	for id := range int64(1000) {
		b.Open(id, 10*second, true)
		b.Leave(id, 1)
		b.Close(id)
	}
	if len(b.sessions) != 0 {
		t.Errorf("%d sessions are kept", len(b.sessions))
	}
	b.Open(7, 10*second, true)
	b.Grant(7, 2, 5)
	b.End("expired")
	b.Close(7)
	b.Touch(7)
	b.Open(7, 10*second, false)
	b.Touch(7)
	b.want(t, 2, history.ServiceEnd, 2, 0)
}

// BenchmarkTouch is a session that is touched while there have been many others and many holds
// that were left.
func BenchmarkTouch(b *testing.B) {
	for _, n := range []int64{1, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			book := newBook(b)
			for id := range n {
				book.Open(id, 10*second, true)
				book.LeaveAll(history.HoldID(10 + id))
			}
			book.Grant(0, 1, 5)
			for b.Loop() {
				book.Touch(0)
				book.history.Records = book.history.Records[:0]
			}
		})
	}
}
