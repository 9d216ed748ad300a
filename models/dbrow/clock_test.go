package dbrow

import (
	"testing"
	"time"

	"fencepost/sim/history"
)

// F1.1: a challenger whose clock is ahead by 4 s takes a row of 10 s over at 6 s, if now is
// what the clients' clocks say. A holder whose clock is behind is robbed as early. By the
// database's time neither clock matters.
func TestClientClocks(t *testing.T) {
	for _, c := range []struct {
		time   string
		client int
		by     time.Duration
		stolen bool
	}{
		{"client", 1, 4 * second, true},
		{"client", 0, -4 * second, true},
		{"client", 0, 4 * second, false},
		{"client", 1, -4 * second, false},
		{"database", 1, 4 * second, false},
		{"database", 0, -4 * second, false},
		{"database-clock", 1, 4 * second, false},
	} {
		r := newRig(t, 2, set{"time": c.time})
		r.Env.Clients[c.client].Clock.Step(c.by)
		u, other := r.run(0, 0, 0), r.run(1, 5*second+900*ms, 0)
		r.Run(8 * second)
		if !c.stolen {
			equal(t, "let in", other.Acquired, 0)
			r.sound()
			continue
		}
		// Attempts begin at 5.9 s and 6.002 s, by the clock ahead at 9.9 s and 10.002 s.
		equal(t, "stolen", r.Want(other.Hold, history.Grant).At, at(6003*ms))
		equal(t, "why", r.Want(u.Hold, history.ServiceEnd).Text, history.TakenOver)
		r.judged("grants exclusion progress")
	}
}

// A clock that is ahead itself writes a lease that is as much too long for the others.
func TestHolderAhead(t *testing.T) {
	r := newRig(t, 2, set{"time": "client"})
	r.Env.Clients[0].Clock.Step(4 * second)
	r.run(0, 0, 0)
	other := r.run(1, 13900*ms, 0)
	r.Run(16 * second)
	equal(t, "let in", r.Want(other.Hold, history.Grant).At, at(14*second+3*ms)) // its clock read 14.002 s
}

// The client's time is truncated to milliseconds, and the lease counts from the reading and
// not from when the database gets it: a row of 0.9 ms says 10 s, and is free for a reading
// of 10.000 s, 0.9 ms early. The promise allows for 1 ms.
func TestClientTimeIsTruncated(t *testing.T) {
	for _, c := range []struct {
		start time.Duration
		gets  bool
	}{{10*second - µs, false}, {10 * second, true}} {
		r := newRig(t, 2, set{"time": "client", "attempts": "1"})
		u, other := r.run(0, 900*µs, 0), r.run(1, c.start, 0)
		r.Run(11 * second)
		equal(t, "promised until", r.Want(u.Hold, history.Grant).Until, at(900*µs+10*second-ms))
		equal(t, "lock_until", other.Acquired != 0, c.gets)
		equal(t, "promises broken", r.Grants.Violated(), false)
	}
}

// F1.2: a step of the database's clock frees what is locked. By the clients' time it plays
// no part.
func TestDatabaseClockSteps(t *testing.T) {
	for mode, stolen := range map[string]bool{"database": true, "database-clock": true, "client": false} {
		r := newRig(t, 2, set{"time": mode})
		u, other := r.run(0, 0, 0), r.run(1, 100*ms, 0)
		r.At(second, func() { r.db().Clock.Step(10 * second) })
		r.Run(2 * second)
		equal(t, mode+": stolen", other.Acquired != 0, stolen)
		if stolen {
			equal(t, "why", r.Want(u.Hold, history.ServiceEnd).Text, "expired")
			r.judged("grants exclusion progress")
		} else {
			r.sound()
		}
	}
}

// A step back of the database's clock locks a row that has been released, if its release is
// by then in the future: for the 4 s that the step took, less what has passed.
func TestDatabaseClockStepsBack(t *testing.T) {
	r := newRig(t, 2, nil)
	u := r.run(0, 0, 2*second)
	r.At(3*second, func() { r.db().Clock.Step(-4 * second) })
	other := r.run(1, 3*second, 0)
	r.Run(8 * second)
	r.ended(u.Hold, 2*second+3*ms, "released")
	equal(t, "let in", r.Want(other.Hold, history.Grant).At > at(6*second), true)
}

// The generic release sets lock_until to now, also to one that is earlier than locked_at.
func TestReleaseAfterAStepBack(t *testing.T) {
	r := newRig(t, 2, nil)
	r.At(ms/2, func() { r.db().Clock.Step(10 * second) })
	r.At(second, func() { r.db().Clock.Step(-10 * second) })
	r.run(0, 0, 2*second)
	other := r.run(1, 3*second, 0)
	r.Run(4 * second)
	equal(t, "let in", other.Acquired, at(3*second+2*ms))
}

// A client that reads its clock, stands still and then sends its statement writes a lease
// that is already over: lock_until is 10 s, and the statement comes at 12.001 s. Whoever
// asks next is let in beside it (ShedLock issue #132). By the database's time the lease
// begins when the statement comes.
func TestPauseAfterReadingTheClock(t *testing.T) {
	for mode, violated := range map[string]string{"client": "exclusion", "database": ""} {
		for _, client := range []string{"generic", "shedlock"} {
			r := newRig(t, 2, set{"time": mode, "client": client})
			r.OnStep(0, stepDated, func() { r.pause(0, 12*second) })
			r.run(0, 0, 0)
			r.run(1, 12*second+500*ms, 0)
			r.Run(14 * second)
			r.judged(violated)
		}
	}
}
