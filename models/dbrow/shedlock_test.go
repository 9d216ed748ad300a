package dbrow

import (
	"errors"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// newShed is ShedLock with some more parameters.
func newShed(t *testing.T, clients int, params set) *rig {
	all := set{"client": "shedlock"}
	for name, v := range params {
		all[name] = v
	}
	return newRig(t, clients, all)
}

// Statement and commit are a round trip each: the row is locked at 1 ms, committed at 3 ms,
// and the lease counts from when the statement had the row. So does the release: its now is
// when its transaction began.
func TestShedLock(t *testing.T) {
	r := newShed(t, 1, nil)
	u := r.run(0, 0, second)
	r.Run(2 * second)
	g := r.Want(u.Hold, history.Grant)
	equal(t, "granted", g.At, at(3*ms))
	equal(t, "promised until", g.Until, at(ms+10*second-µs))
	equal(t, "acquired", u.Acquired, at(4*ms))
	equal(t, "the owner is the host", r.row().owner, 1)
	r.ended(u.Hold, 4*ms+second+3*ms, "released")
	equal(t, "lock_until after the release", r.row().until, (4*ms + second + ms).Microseconds())
	r.sound()
}

// There is one try: who does not get the lock skips the task. The first time it inserts and
// then updates, two transactions of two round trips; later it knows that the row exists, and
// updates only.
func TestSkips(t *testing.T) {
	r := newShed(t, 2, nil)
	r.run(0, 0, 0)
	first, later := r.run(1, second, 0), r.run(1, 2*second, 0)
	r.Run(3 * second)
	equal(t, "skipped", first.Skipped, at(second+8*ms))
	equal(t, "skipped later", later.Skipped, at(2*second+4*ms))
	r.sound()
}

// A process that starts anew knows of no row.
func TestRestartForgetsTheRow(t *testing.T) {
	r := newShed(t, 1, nil)
	r.run(0, 0, second)
	r.Run(2 * second)
	again := r.run(0, 0, 100*ms)
	r.Run(3 * second)
	equal(t, "an update takes", again.Acquired, at(2*second+4*ms))
	r.Env.Clients[0].Crash(host.LoseMemory)
	r.Env.Clients[0].Restart(false)
	r.Lockers[0] = r.System.Locker(0)
	var updates bool
	r.OnStep(0, stepUpdate, func() { updates = true })
	r.run(0, 0, 0)
	r.Run(4 * second)
	equal(t, "updates", updates, false)
	equal(t, "taken by an insert", r.row().exists, true)
}

// lock-at-least-for keeps the row for so long from the acquire, though the task is done: by
// the database's time from when its transaction began, at 1 ms, by the client's from when it
// read its clock, at 0. A longer task is not kept.
func TestLockAtLeastFor(t *testing.T) {
	for mode, until := range map[string]time.Duration{"database": 5*second + ms, "client": 5 * second} {
		r := newShed(t, 2, set{"time": mode, "lock-at-least-for": "5s"})
		u := r.run(0, 0, second)
		early, late := r.run(1, until-10*ms, 0), r.run(1, until+10*ms, 100*ms)
		r.Run(8 * second)
		r.ended(u.Hold, second+7*ms, "released")
		equal(t, "too early", early.Skipped != 0, true)
		equal(t, "late enough", late.Acquired != 0, true)

		r = newShed(t, 1, set{"time": mode, "lock-at-least-for": "5s"})
		r.run(0, 0, 6*second)
		r.Run(7 * second)
		if got := r.row().until; got < (6*second).Microseconds() || got > (6*second+6*ms).Microseconds() {
			t.Errorf("%s: a task of 6 s leaves lock_until at %d", mode, got)
		}
		r.sound()
	}
}

// The use of lock-at-least-for: a short task on two hosts whose clocks differ by 4 s. Each
// runs it when its clock says so; without it both run it, one after the other.
func TestLockAtLeastForHidesClockDifference(t *testing.T) {
	for least, runs := range map[string]bool{"0s": true, "5s": false} {
		r := newShed(t, 2, set{"lock-at-least-for": least})
		r.run(0, 0, 100*ms)
		other := r.run(1, 4*second, 100*ms)
		r.Run(6 * second)
		equal(t, least+": runs twice", other.Acquired != 0, runs)
	}
}

// F1.3: two processes have one host's name. The first one overruns its lease of 10 s, and
// its release, which asks for name and owner only, takes the lock of the second away: a
// third is let in beside it. With names of their own nothing happens to the second, and the
// first is not told. Asking for the name alone, as ShedLock did (issue #1986), is as bad.
func TestForeignRelease(t *testing.T) {
	for _, c := range []struct {
		owner, unlock string
		foreign       bool
	}{{"one-host", "owner", true}, {"host", "owner", false}, {"usual", "name", true}, {"unique", "owner", false}} {
		r := newShed(t, 3, set{"owner": c.owner, "unlock": c.unlock})
		u1, u2, u3 := r.run(0, 0, 12*second), r.run(1, 11*second, 0), r.run(2, 13*second, 0)
		r.Run(14 * second)
		equal(t, "the first release", u1.Err, nil)
		equal(t, "the third is let in", u3.Acquired != 0, c.foreign)
		if c.foreign {
			r.ended(u2.Hold, 12*second+7*ms, history.ForeignRelease)
			r.judged("grants exclusion progress")
		} else {
			r.wantKinds(u2.Hold, history.Grant, history.BeliefBegin)
			r.judged("exclusion")
		}
	}
}

// F1.3 again: the overrunning run extends the lock of the second, and goes on in good faith.
func TestForeignExtension(t *testing.T) {
	for owner, extends := range map[string]bool{"one-host": true, "host": false} {
		r := newShed(t, 2, set{"owner": owner})
		u1, u2 := r.run(0, 0, 0), r.run(1, 11*second, 0)
		renewal := r.Renew(0, 12*second)
		r.Run(13 * second)
		equal(t, "extended", renewal.Err == nil, extends)
		if extends {
			equal(t, "the second is promised", r.Want(u2.Hold, history.Promise).Until, at(22*second+ms-µs))
			equal(t, "noted", r.notes(u1.Hold)[0], "extended the lock of hold 2, of the same owner")
		} else {
			equal(t, "the renewal", renewal.Err, models.ErrNotHeld)
		}
	}
}

// F1.3 in one place: a client that comes back after a crash has the name of the one that
// crashed, whose release is still on its way. It comes at 14 s and releases the lock of the
// new one.
func TestReleaseOfAnEarlierLife(t *testing.T) {
	for owner, foreign := range map[string]bool{"host": true, "unique": false} {
		r := newRig(t, 1, set{"owner": owner})
		client := r.Env.Clients[0]
		r.run(0, 0, 11*second)
		r.At(10*second, func() { r.holdBack(client, r.db(), OpRelease, 14*second) })
		r.At(11*second+500*ms, func() {
			client.Crash(host.LoseMemory)
			client.Restart(false)
			r.Lockers[0] = r.System.Locker(0)
		})
		r.Run(12 * second)
		u := r.run(0, 0, 0)
		r.Run(15 * second)
		equal(t, "acquired", u.Acquired, at(12*second+2*ms))
		if foreign {
			r.ended(u.Hold, 14*second, history.ForeignRelease)
		} else {
			r.wantKinds(u.Hold, history.Grant, history.BeliefBegin)
		}
	}
}

// An extension that finds nothing to extend uses the lock up: the release that follows fails
// in the library and sends nothing.
func TestExtensionUsesTheLockUp(t *testing.T) {
	r := newShed(t, 1, nil)
	u, late := r.run(0, 0, 12*second), r.Renew(0, 11*second)
	r.Run(13 * second)
	equal(t, "the renewal", late.Err, models.ErrNotHeld)
	equal(t, "the release", u.Err, models.ErrNotHeld)
	equal(t, "it came back", u.Released, at(12*second+4*ms))
	equal(t, "the row is released", r.row().free, false)
}

// An extension that comes when the lock is released finds a row that lock-at-least-for keeps,
// and keeps it for a whole lease more, for nobody. A lock that is released cannot be extended.
func TestExtensionAfterTheRelease(t *testing.T) {
	r := newShed(t, 1, set{"lock-at-least-for": "5s"})
	r.run(0, 0, second)
	r.At(900*ms, func() { r.holdBack(r.Env.Clients[0], r.db(), OpExtend, 2*second) })
	r.Renew(0, 950*ms)
	r.Run(4 * second)
	equal(t, "lock_until", r.row().until, (2*second + 10*second).Microseconds())
	for _, rec := range r.Recorder.Records {
		if rec.Kind == history.Promise {
			t.Errorf("promised %+v", rec)
		}
	}

	r = newShed(t, 1, set{"lock-at-least-for": "5s"})
	r.run(0, 0, second)
	late := r.Renew(0, 2*second)
	r.Run(4 * second)
	equal(t, "the renewal", late.Err, models.ErrNotHeld)
	equal(t, "it came back", late.Done, at(2*second))
}

// A process that knows the row updates it, at the instant at which its lease is over.
func TestUpdateAtTheEnd(t *testing.T) {
	for early, gets := range map[time.Duration]bool{0: true, µs: false} {
		r := newShed(t, 2, nil)
		r.run(1, 0, 10*ms)
		r.run(0, 99*ms, 0) // by an insert that finds the row free: from 100 ms
		other := r.run(1, 10*second+99*ms-early, 0)
		r.Run(11 * second)
		equal(t, "let in", other.Acquired != 0, gets)
	}
}

// An extension begins the lease anew.
func TestExtend(t *testing.T) {
	for mode, until := range map[string]time.Duration{"database": 15*second + ms - µs, "client": 15*second - ms} {
		r := newShed(t, 1, set{"time": mode})
		u, renewal := r.run(0, 0, 12*second), r.Renew(0, 5*second)
		r.Run(13 * second)
		equal(t, "the renewal", renewal.Err, nil)
		p := r.Want(u.Hold, history.Promise)
		equal(t, "promised", [2]any{p.At, p.Until}, [2]any{at(5*second + 3*ms), at(until)})
		equal(t, "the release", u.Err, nil)
		r.sound()
	}
}

// What a lost reply does to an acquire. If it is that to the insert, the driver closes the
// connection and the insert is undone: the lock is free. If it is that to the commit, the
// row stays taken for its whole time, for nobody; the library, for which that is no error of
// the insert, tries the update, in vain.
func TestShedLockLosesAReply(t *testing.T) {
	for _, c := range []struct {
		from    time.Duration // replies are lost
		skipped time.Duration
		free    bool
	}{
		{0, second, true},
		{2500 * µs, second + 6*ms, false}, // after the timeout of the commit, two round trips
	} {
		r := newShed(t, 2, set{"timeout": "1s"})
		r.At(c.from, func() { r.lose(r.db(), r.Env.Clients[0], 20*ms) })
		u, other := r.run(0, 0, 0), r.run(1, 3*second, 0)
		r.Run(4 * second)
		equal(t, "skipped", u.Skipped, at(c.skipped))
		equal(t, "the other is let in", other.Acquired != 0, c.free)
		r.sound()
	}
}

// A release whose commit is not answered is tried again, ten times in all; each takes its
// timeout of 1 s and a round trip. That the last one failed, too, is not told. A statement
// without an answer is an error at once.
func TestReleaseIsTriedAgain(t *testing.T) {
	r := newShed(t, 1, set{"timeout": "1s"})
	u := r.run(0, 0, second)
	commits := 0
	var lose func()
	lose = func() {
		commits++
		r.lose(r.db(), r.Env.Clients[0], r.World.Now().Duration()+3*ms/2)
		r.OnStep(0, stepCommit, lose)
	}
	r.At(second, func() { r.OnStep(0, stepCommit, lose) })
	r.Run(20 * second)
	equal(t, "commits", commits, 10)
	equal(t, "the release", u.Err, nil)
	equal(t, "it came back", u.Released, at(second+4*ms+10*(second+2*ms)))

	r = newShed(t, 1, set{"timeout": "1s"})
	u = r.run(0, 0, second)
	r.At(second, func() { r.Cut(r.db(), r.Env.Clients[0]) })
	r.Run(20 * second)
	if !errors.Is(u.Err, host.ErrTimeout) || u.Released != at(2*second+4*ms) {
		t.Errorf("released at %v with %v", u.Released, u.Err)
	}
}

// A release that is tried again names the lock that is released already, and with unlock:
// name whosever it is by then.
func TestReleaseTriedAgainIsForeign(t *testing.T) {
	for unlock, foreign := range map[string]bool{"owner": false, "name": true} {
		r := newShed(t, 2, set{"timeout": "1s", "unlock": unlock})
		u, other := r.run(0, 0, second), r.run(1, 1500*ms, 0)
		r.At(second, func() {
			r.OnStep(0, stepCommit, func() { r.lose(r.db(), r.Env.Clients[0], second+100*ms) })
		})
		r.Run(4 * second)
		equal(t, "the release", u.Err, nil)
		equal(t, "the other", other.Acquired, at(1500*ms+4*ms))
		if foreign { // the commit timed out at 2.006 s
			r.ended(other.Hold, 2*second+9*ms, history.ForeignRelease)
		} else {
			r.wantKinds(other.Hold, history.Grant, history.BeliefBegin)
			r.sound()
		}
	}
}
