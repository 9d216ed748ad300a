package dbrow

import (
	"testing"
	"time"

	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// crash crashes the database for a millisecond.
func (r *rig) crash(d time.Duration, lost host.Lost) {
	r.At(d, func() { r.db().Crash(lost) })
	r.At(d+ms, func() { r.db().Restart(false) })
}

// What a crash leaves of a lock that was answered at 2 ms. Without a synchronous commit the
// log is written 200 ms after the first commit, at 201 ms: until then it is in memory only.
func TestCrashOfTheDatabase(t *testing.T) {
	for _, c := range []struct {
		name, synchronous string
		at                time.Duration
		lost              host.Lost
		kept              bool
	}{
		{"the process dies", "on", 2 * ms, host.LoseMemory, true},
		{"the machine dies", "on", 2 * ms, host.LoseUnsynced, true},
		{"the disk is lost", "on", 5 * second, host.LoseEverything, false},
		{"the process dies before the log is written", "off", 200 * ms, host.LoseMemory, false},
		{"the machine dies before the log is written", "off", 200 * ms, host.LoseUnsynced, false},
		{"the machine dies after that", "off", 202 * ms, host.LoseUnsynced, true},
		{"the process dies after that", "off", 202 * ms, host.LoseMemory, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, 2, set{"synchronous-commit": c.synchronous, "token": "column"})
			u := r.run(0, 0, 0)
			r.crash(c.at, c.lost)
			other := r.run(1, c.at+2*ms, 0)
			r.Run(9 * second)
			equal(t, "kept", other.Acquired == 0, c.kept)
			if c.kept {
				r.wantKinds(u.Hold, history.Grant, history.BeliefBegin)
				r.Run(11 * second)
				equal(t, "the other's token", other.Token, 2)
				equal(t, "promises broken", r.Grants.Violated(), false)
			} else {
				equal(t, "ended", r.Want(u.Hold, history.ServiceEnd).Text, "lost")
				equal(t, "the other's token", other.Token, 1)
				equal(t, "promises broken", r.Grants.Violated(), true)
			}
		})
	}
}

// lock_until is an instant: downtime counts.
func TestDowntimeCounts(t *testing.T) {
	r := newRig(t, 2, nil)
	u := r.run(0, 0, 0)
	r.At(second, func() { r.db().Crash(host.LoseUnsynced) })
	r.At(12*second, func() { r.db().Restart(false) })
	other := r.run(1, 12*second, 0)
	r.Run(13 * second)
	equal(t, "let in", other.Acquired, at(12*second+2*ms))
	equal(t, "why", r.Want(u.Hold, history.ServiceEnd).Text, "expired")
	r.judged("exclusion") // the first one never stopped
}

// A crash in the fsync of an acquire: the machine forgets what nobody was told of; a process
// that comes back finds it in its log, and the row is taken for a client that waits for an
// answer in vain.
func TestCrashDuringTheFsync(t *testing.T) {
	for lost, taken := range map[host.Lost]bool{host.LoseMemory: true, host.LoseUnsynced: false} {
		r := slowDisk(t, 2, 20*ms, set{"timeout": "3s", "attempts": "1"})
		u := r.run(0, 0, 0)
		r.crash(10*ms, lost)
		other := r.run(1, second, 0)
		r.Run(4 * second)
		equal(t, "the other is let in", other.Acquired != 0, !taken)
		r.wantKinds(u.Hold, history.GiveUp)
	}
}

// The same of a release and of a takeover: what the log has counts, and the record says that
// the holder's time is over.
func TestCrashDuringTheFsyncOfAnEnd(t *testing.T) {
	for _, c := range []struct {
		name  string
		while time.Duration
		lost  host.Lost
		why   string // empty is not ended
	}{
		{"release", second, host.LoseMemory, "released"},
		{"takeover", 0, host.LoseMemory, "expired"},
		{"release", second, host.LoseUnsynced, ""},
		{"takeover", 0, host.LoseUnsynced, ""},
	} {
		r := newRig(t, 2, set{"timeout": "3s", "attempts": "1"})
		r.At(900*ms, func() { r.db().Disk.Stall(at(14 * second)) })
		u := r.run(0, 0, c.while)
		r.run(1, 11*second, 0)
		if c.while > 0 {
			r.crash(2*second, c.lost)
		} else {
			r.crash(12*second, c.lost)
		}
		r.Run(13 * second)
		if c.why == "" {
			equal(t, c.name, len(r.Records(u.Hold, history.ServiceEnd)), 0)
		} else {
			equal(t, c.name, r.Want(u.Hold, history.ServiceEnd).Text, c.why)
		}
	}
}

// A release that was not synced is undone by a crash of the machine.
func TestReleaseIsForgotten(t *testing.T) {
	r := newRig(t, 2, set{"synchronous-commit": "off"})
	u := r.run(0, 0, second)
	r.crash(second+100*ms, host.LoseUnsynced)
	other := r.run(1, 2*second, 0)
	r.Run(12 * second)
	r.ended(u.Hold, second+3*ms, "released")
	equal(t, "let in after the lease", other.Acquired > at(10*second), true)
	r.sound()
}

// A crash ends the transactions: the row is unlocked, and what was not committed is undone.
func TestCrashEndsTransactions(t *testing.T) {
	r := newShed(t, 2, nil)
	r.OnStep(0, stepCommit, func() { r.pause(0, 2*second) })
	u := r.run(0, 0, 0)
	r.crash(second, host.LoseMemory)
	other := r.run(1, 1500*ms, 0)
	r.Run(3 * second)
	equal(t, "the other is let in", other.Acquired, at(1500*ms+4*ms))
	equal(t, "the first skips", u.Skipped != 0, true)
	r.sound()
}

// The log is written again and again.
func TestLogWriterGoesOn(t *testing.T) {
	r := newRig(t, 1, set{"synchronous-commit": "off"})
	r.run(0, 0, second)
	r.crash(second+300*ms, host.LoseUnsynced)
	r.Run(2 * second)
	equal(t, "the release is kept", r.row().free, true)
}

// A log writer whose fsync takes longer than its delay does the next one after that.
func TestSlowLogWriter(t *testing.T) {
	r := newRig(t, 1, set{"synchronous-commit": "off"})
	r.Env.Fsync = rng.Constant(500 * ms)
	r.Reset(1)
	r.run(0, 0, 300*ms) // written at 201 ms and synced at 701 ms; the release is of 303 ms
	r.Run(690 * ms)
	equal(t, "written", r.server().log.disk.Written.free, false)
	r.crash(1200*ms, host.LoseUnsynced)
	r.Run(2 * second)
	equal(t, "exists", r.row().exists, true)
	equal(t, "released", r.row().free, false)
}
