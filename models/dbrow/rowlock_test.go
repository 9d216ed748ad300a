package dbrow

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// slowDisk is a rig whose commits take so long.
func slowDisk(t *testing.T, clients int, fsync time.Duration, params set) *rig {
	r := newRig(t, clients, params)
	r.Env.Fsync = rng.Constant(fsync)
	r.Reset(1)
	return r
}

// A commit is answered, and the row unlocked, when it is on disk. The lease counts from when
// the statement had the row: it is not longer for the wait.
func TestCommitWaitsForTheDisk(t *testing.T) {
	r := slowDisk(t, 1, 20*ms, nil)
	u := r.run(0, 0, 500*ms)
	r.Run(second)
	g := r.Want(u.Hold, history.Grant)
	equal(t, "granted", g.At, at(21*ms))
	equal(t, "promised until", g.Until, at(ms+10*second-µs))
	equal(t, "acquired", u.Acquired, at(22*ms))
	r.ended(u.Hold, 22*ms+500*ms+ms+20*ms, "released")
	r.sound()
}

// A statement that waits for the row lock goes on with the time at which its transaction
// began. The release is applied at 523 ms and on disk at 543 ms. The insert of the second
// client comes at 530 ms, has the row at 543 ms, and writes a lease from 530 ms on: 13 ms
// are missing in the end, when a third client comes at 10.530 s. By clock_timestamp() none
// are.
func TestStaleTransactionTime(t *testing.T) {
	for _, stale := range []bool{true, false} {
		mode := "database-clock"
		if stale {
			mode = "database"
		}
		r := slowDisk(t, 3, 20*ms, set{"time": mode, "attempts": "1"})
		r.run(0, 0, 500*ms)
		second, third := r.run(1, 529*ms, 0), r.run(2, 529*ms+10*second, 0)
		r.Run(11 * time.Second)
		g := r.Want(second.Hold, history.Grant)
		equal(t, "granted", g.At, at(563*ms))
		equal(t, "promised until", g.Until, at(543*ms+10*time.Second-µs))
		if !stale {
			equal(t, "lock_until", r.row().until, (543*ms + 10*time.Second).Microseconds())
			equal(t, "the third is let in", third.Acquired, 0)
			equal(t, "notes", len(r.notes(second.Hold)), 0)
			continue
		}
		equal(t, "noted", r.notes(second.Hold)[0], "the lease counts from 13ms earlier, when the transaction began")
		// The third's statement has the row at once, and its commit is on disk 20 ms later: by
		// then the promise to the second is over. What the row said was too short is seen in the
		// grant only if the disk is fast.
		equal(t, "the third is granted", r.Want(third.Hold, history.Grant).At, at(10*time.Second+550*ms))
		r.judged("exclusion")
	}
}

// The same with a disk that is fast when the third client comes: the promise is broken.
func TestStaleTransactionTimeBreaksThePromise(t *testing.T) {
	r := slowDisk(t, 3, 20*ms, set{"attempts": "1"})
	r.run(0, 0, 500*ms)
	second, third := r.run(1, 529*ms, 0), r.run(2, 529*ms+10*time.Second, 0)
	r.At(5*time.Second, func() { r.db().Disk.Configure(rng.Constant(0), 1, "fast", 0) })
	r.Run(11 * time.Second)
	f := r.Grants.Findings()
	if len(f) != 1 || f[0].First != second.Hold || f[0].Second != third.Hold || f[0].To.Sub(f[0].At) != 13*ms-µs {
		t.Errorf("found %+v", f)
	}
	r.judged("grants exclusion progress")
}

// old is a rig whose transactions begin before their statements. Pauses make them old.
func old(t *testing.T, mode, client string) *rig {
	return newRig(t, 2, set{"time": mode, "client": client, "transaction-age": "1ns", "attempts": "1"})
}

// A transaction that is 12 s old when its statement comes writes a lease of 10 s that is
// over: the next client takes the row at once, and both believe (ShedLock issues #3577 and
// #3682). By clock_timestamp() the age does not matter.
func TestOldTransaction(t *testing.T) {
	const all = "grants exclusion progress"
	for _, c := range []struct{ time, client, violated string }{
		{"database", "generic", all}, {"database", "shedlock", all}, {"database-clock", "generic", ""},
	} {
		r := old(t, c.time, c.client)
		r.OnStep(0, stepBegun, func() { r.pause(0, 12*second) })
		u, other := r.run(0, 0, 0), r.run(1, 13*second, 0)
		r.Run(15 * second)
		equal(t, "the first is granted", r.Want(u.Hold, history.Grant).At.Duration().Truncate(ms), 12*second+3*ms)
		equal(t, "the second is", other.Acquired != 0, c.violated != "")
		r.judged(c.violated)
	}
}

// If all transactions are as old, nothing is wrong: whoever asks is as late as the lease.
func TestAllTransactionsAreOld(t *testing.T) {
	r := old(t, "database", "generic")
	r.OnStep(0, stepBegun, func() { r.pause(0, 12*second) })
	r.OnStep(1, stepBegun, func() { r.pause(1, 13*second) })
	r.run(0, 0, 0)
	other := r.run(1, second, 0)
	r.Run(15 * second)
	equal(t, "skipped", other.Skipped != 0, true)
	r.sound()
}

// A transaction that began before the row was released does not see that it is free: its
// now is earlier than lock_until. It fails though nobody has the lock.
func TestOldTransactionMissesTheRelease(t *testing.T) {
	for mode, gets := range map[string]bool{"database": false, "database-clock": true} {
		r := old(t, mode, "generic")
		r.OnStep(1, stepBegun, func() { r.pause(1, 4*second) })
		r.run(0, 0, 3*second)
		other := r.run(1, 2500*ms, 0)
		r.Run(5 * second)
		equal(t, mode+": gets it", other.Acquired != 0, gets)
	}
}

// The row is locked from the statement to the commit, for which ShedLock needs another round
// trip. A client that stands still in between keeps everybody waiting, and nobody from the
// lock: when it goes on at 15 s its lease has been over since 10.001 s, and it believes.
// Who waited meanwhile has inserted with a time of 5 s, for which the row is taken; its
// update, which has a time of its own, gets the row.
func TestPauseBeforeTheCommit(t *testing.T) {
	r := newRig(t, 3, set{"client": "shedlock"})
	r.OnStep(0, stepCommit, func() { r.pause(0, 15*second) })
	u, waits, next := r.run(0, 0, 0), r.run(1, 5*second, 0), r.run(2, 15*second+500*ms, 0)
	r.Run(14 * second)
	equal(t, "waits", [2]any{waits.Acquired, waits.Skipped}, [2]any{at(0), at(0)})
	r.Run(17 * second)
	equal(t, "acquired", u.Acquired, at(15*second+2*ms))
	equal(t, "promised until", r.Want(u.Hold, history.Grant).Until, at(10*second+ms-µs))
	// Its insert has the row at 15.001 s and is answered at 15.002 s; commit, update and
	// commit are three round trips more.
	equal(t, "the waiting one acquired", waits.Acquired, at(15*second+8*ms))
	equal(t, "the next one skips", next.Skipped != 0, true)
	r.judged("exclusion")
}

// An insert that finds the row taken has it locked all the same, until its client commits:
// here 3 s later. The holder's release waits for that, and so does its client.
func TestRefusedInsertLocksTheRow(t *testing.T) {
	r := newShed(t, 2, nil)
	r.OnStep(1, stepCommit, func() { r.pause(1, 4*second) })
	u, other := r.run(0, 0, 2*second), r.run(1, second, 0)
	r.Run(5 * second)
	r.ended(u.Hold, 4*second+3*ms, "released") // the commit of 4.001 s, the reply, the release's own commit
	equal(t, "the other's update has missed it", other.Skipped, at(4*second+6*ms))
	r.sound()
}

// An update that finds the row taken locks nothing.
func TestRefusedUpdateLocksNothing(t *testing.T) {
	r := newShed(t, 2, nil)
	r.run(1, 0, 10*ms) // it knows the row
	u := r.run(0, 100*ms, second)
	r.run(1, 500*ms, 0)
	r.At(400*ms, func() { r.OnStep(1, stepCommit, func() { r.pause(1, 4*second) }) })
	r.Run(3 * second)
	r.ended(u.Hold, 100*ms+4*ms+second+3*ms, "released")
}

// A server that has not heard of the end of a connection keeps its transaction, with the row
// locked, though the client has begun another: both wait, for ever or until the server ends
// the one that is idle.
func TestHalfOpenConnection(t *testing.T) {
	for idle, skipped := range map[string]sim.Time{"0s": at(3 * second), "2500ms": 0} {
		r := newShed(t, 1, set{"timeout": "1s", "idle-in-transaction": idle})
		r.At(1500*µs, func() { r.lose(r.Env.Clients[0], r.db(), 1500*ms); r.lose(r.db(), r.Env.Clients[0], 1500*ms) })
		first, again := r.run(0, 0, 0), r.run(0, 2*second, 0)
		r.Run(5 * second)
		equal(t, "the first skipped", first.Skipped, at(second))
		equal(t, "the second skipped", again.Skipped, skipped)
		if skipped == 0 { // the first one's insert had the row at 1 ms
			equal(t, "the second acquired", again.Acquired, at(2501*ms+3*ms))
		}
	}
}

// A client that crashes with the row locked leaves it locked until the server ends its
// transaction, which by default is never. What it wrote is undone.
func TestCrashBeforeTheCommit(t *testing.T) {
	for _, c := range []struct {
		idle     string
		violated string
	}{{"0s", "progress"}, {"5s", ""}} {
		r := newRig(t, 2, set{"client": "shedlock", "idle-in-transaction": c.idle, "timeout": "0s"})
		r.OnStep(0, stepCommit, func() { r.At(2*ms, func() { r.Env.Clients[0].Crash(host.LoseMemory) }) })
		u, other := r.run(0, 0, 0), r.run(1, second, 0)
		r.Run(40 * second)
		r.wantKinds(u.Hold)
		if c.violated == "" { // the row was locked at 1 ms; the other's insert is answered at 5.002 s, its commit 2 ms later
			equal(t, "let in", other.Acquired, at(5*second+4*ms))
		}
		r.judged(c.violated)
	}
}

// What the server limits is each wait for the client. Here they are 0.9 s long, twice, and
// the commit takes 1.2 s.
func TestIdleInTransaction(t *testing.T) {
	r := newRig(t, 1, set{"transaction-age": "1ns", "idle-in-transaction": "1s", "attempts": "1"})
	r.OnStep(0, stepBegun, func() { r.pause(0, 900*ms) })
	r.OnStep(0, stepCommit, func() { r.pause(0, 1800*ms) })
	r.At(1700*ms, func() { r.db().Disk.Stall(at(3 * second)) })
	u := r.run(0, 0, 0)
	r.Run(4 * second)
	equal(t, "acquired", u.Acquired, at(3*second+ms))
}

// A client that commits after the server has ended its transaction is told so.
func TestCommitOfAnEndedTransaction(t *testing.T) {
	r := newRig(t, 2, set{"client": "shedlock", "idle-in-transaction": "5s"})
	r.OnStep(0, stepCommit, func() { r.pause(0, 7*second) })
	u, other := r.run(0, 0, 0), r.run(1, second, 0)
	r.Run(9 * second)
	// That is a failure of the insert, and the update that follows finds the row taken.
	equal(t, "skipped", u.Skipped, at(7*second+6*ms))
	equal(t, "the other is let in", other.Acquired, at(5*second+4*ms))
	r.sound()
}

// A client that has lost patience closes the connection. Its statement, which waits for a
// release that the disk holds up until 4 s, notices nothing and is run then: what is a
// transaction of its own gets the row for nobody, and any other is rolled back.
func TestClosedConnection(t *testing.T) {
	for client, applied := range map[string]bool{"generic": true, "shedlock": false} {
		r := newRig(t, 2, set{"client": client, "timeout": "1s", "attempts": "1"})
		u, other := r.run(0, 0, second), r.run(1, 1100*ms, 0)
		r.At(500*ms, func() { r.db().Disk.Stall(at(4 * second)) })
		r.Run(5 * second)
		r.ended(u.Hold, 4*second, "released")
		equal(t, "skipped", other.Skipped, at(2100*ms))
		equal(t, client+": applied", r.row().hold == other.Hold, applied)
		equal(t, client+": released", r.row().free, !applied)
		equal(t, client+": unlocked", r.server().locker == nil, true)
	}
}

// A copy of a message is not another one: TCP delivers nothing twice. A release that came
// twice would take the lock of the next task of the same name.
func TestDuplicates(t *testing.T) {
	r := newRig(t, 2, set{"owner": "one-host"})
	rule := network.Rule{From: r.Env.Clients[0].ID, To: r.db().ID, Duplicate: rng.Chance{Num: 1, Den: 1}, Again: rng.Constant(2 * second)}
	r.Net.Impose(&rule)
	first, next := r.run(0, 0, second), r.run(1, 2*second, 0)
	r.Run(8 * second)
	r.ended(first.Hold, second+3*ms, "released")
	r.wantKinds(next.Hold, history.Grant, history.BeliefBegin)
	r.sound()
}
