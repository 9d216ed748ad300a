package redis

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fencepost/checker/monitor"
	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// newPersistentRig is a server with an append-only file, on a disk whose fsync takes so
// long.
func newPersistentRig(t *testing.T, p Persistence, fsync time.Duration) *rig {
	r := newRig(t, 2, map[string]int64{"persistence": int64(p)})
	r.Env.Fsync = rng.Constant(fsync)
	r.Reset(1)
	return r
}

// crash crashes the server for a millisecond.
func (r *rig) crash(d time.Duration, lost host.Lost) {
	server := r.Server("redis", 0)
	r.At(d, func() { server.Crash(lost) })
	r.At(d+ms, func() { server.Restart(false) })
}

// What a crash leaves of a lock that was answered at 2 ms. With everysec the first fsync
// is that of the cron a second after the start, at 1001 ms: a process that dies has written
// the SET, a machine that dies has not synced it.
func TestCrashOfTheServer(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Persistence
		at   time.Duration
		lost host.Lost
		kept bool
	}{
		{"nothing is kept", NoPersistence, 5000 * ms, host.LoseMemory, false},
		{"a process dies at once", EverySec, 2 * ms, host.LoseMemory, true},
		{"a machine dies before the fsync", EverySec, 1000 * ms, host.LoseUnsynced, false},
		{"a machine dies after the fsync", EverySec, 1002 * ms, host.LoseUnsynced, true},
		{"a disk is lost", EverySec, 5000 * ms, host.LoseEverything, false},
		{"synced before the reply", Always, 2 * ms, host.LoseUnsynced, true},
		{"synced, the process dies", Always, 2 * ms, host.LoseMemory, true},
		{"synced, and the disk is lost", Always, 5000 * ms, host.LoseEverything, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newPersistentRig(t, c.p, 0)
			u := r.Lock(0, 0, 0)
			r.crash(c.at, c.lost)
			waiter := r.Lock(1, c.at+2*ms, 0)
			r.Run(9 * second)
			if kept := waiter.Acquired == 0; kept != c.kept {
				t.Fatalf("the second client acquired at %v", waiter.Acquired)
			}
			if ends := r.Records(u.Hold, history.ServiceEnd); c.kept != (len(ends) == 0) || !c.kept && ends[0].Text != "lost" {
				t.Errorf("ended %+v", ends)
			}
			r.Run(11 * second)
			if c.kept {
				between(t, "the second client is let in", waiter.Acquired, at(10*second), at(10*second+300*ms))
			}
			if found := r.Grants.Findings(); c.kept != (len(found) == 0) {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// The file has the absolute time of the expiry: downtime counts.
func TestDowntimeCounts(t *testing.T) {
	r := newPersistentRig(t, Always, 0)
	u := r.Lock(0, 0, 0)
	server := r.Server("redis", 0)
	r.At(second, func() { server.Crash(host.LoseUnsynced) })
	r.At(12*second, func() { server.Restart(false) })
	waiter := r.Lock(1, 12*second, 0)
	r.Run(13 * second)
	r.ended(t, u, 12*second, "expired")
	equal(t, "the second client is let in", waiter.Acquired, at(12*second+2*ms))
}

// With always the reply comes after the fsync, and the promise counts from the SET: the
// promise is not longer for that wait.
func TestAlwaysWaitsForTheDisk(t *testing.T) {
	r := newPersistentRig(t, Always, 20*ms)
	u := r.Lock(0, 0, 500*ms)
	r.Run(second)
	g := r.Want(u.Hold, history.Grant)
	equal(t, "granted", g.At, at(21*ms))
	equal(t, "promised until", g.Until, at(ms+10*second-ms))
	equal(t, "acquired", u.Acquired, at(22*ms))
	r.ended(t, u, 22*ms+500*ms+ms+20*ms, "released")
	r.Sound()
}

// While an fsync holds the server up, requests pile up, and one fsync serves them all: the
// loser's answer waits for the winner's fsync, though it changed nothing.
func TestAlwaysAnswersInRounds(t *testing.T) {
	r := newPersistentRig(t, Always, 20*ms)
	r.Lock(0, 0, 0)
	r.Lock(1, 5*ms, 0)
	var refused sim.Time
	r.OnStep(1, "acquire.reply", func() { refused = r.World.Now() })
	r.Run(second)
	equal(t, "refused", refused, at(22*ms))
}

// A crash in the fsync: the machine forgets a SET that nobody was told of, and the process
// finds it in its file, where it stays until the client, which has waited in vain for 3 s,
// takes it back.
func TestCrashDuringTheFsync(t *testing.T) {
	r := newPersistentRig(t, Always, 20*ms)
	u := r.Lock(0, 0, 0)
	r.crash(10*ms, host.LoseUnsynced)
	r.Run(2 * second)
	if got := r.service(u); len(got) != 0 {
		t.Errorf("a lock of which nothing is left: %+v", got)
	}

	r = newPersistentRig(t, Always, 20*ms)
	u = r.Lock(0, 0, 0)
	r.crash(10*ms, host.LoseMemory)
	r.Run(2 * second)
	if got := r.service(u); len(got) != 0 || !r.server().present {
		t.Errorf("a key that nobody was told of: present %t, %+v", r.server().present, got)
	}
	r.Run(3500 * ms)
	if u.Acquired == 0 {
		t.Error("the client did not get past its own key")
	}
	r.Sound()
}

// While the fsync of a renewal is under way, the holder releases and another client asks:
// one round does both, and is lost before its fsync ends, when the second key would have
// expired. The restart ends nothing that was not granted; the first key is back, expired,
// and gone once somebody touches it.
func TestCrashInARoundOfTwo(t *testing.T) {
	r := newPersistentRig(t, Always, 20*ms)
	holder, waiter := r.Lock(0, 0, 90*ms), r.Lock(1, 115*ms, 0)
	r.Renew(0, 100*ms) // its fsync ends at 121 ms
	server := r.Server("redis", 0)
	r.At(130*ms, func() { server.Disk.Stall(at(25 * second)) })
	r.At(24*second, func() { server.Crash(host.LoseUnsynced); server.Restart(false) })
	r.Run(24*second - ms)
	if k := r.server().key; k.Hold != waiter.Hold || len(r.service(waiter)) != 0 {
		t.Fatalf("the round has not run: %+v", k)
	}
	r.Run(24*second + ms/2)
	if got := r.service(waiter); len(got) != 0 {
		t.Errorf("the second client, which got no reply: %+v", got)
	}
	r.Run(35 * second)
	if end := r.Want(holder.Hold, history.ServiceEnd); end.Text != "expired" || end.At < at(24*second) {
		t.Errorf("the first key ended at %v (%s)", end.At, end.Text)
	}
	if waiter.Acquired == 0 {
		t.Error("the second client never got the lock")
	}
}

// While an fsync is under way, everysec puts writes off for up to 2 s: a process that dies
// then loses what it has answered. What it wrote after these 2 s it keeps, but that fsync,
// which ends at 6001 ms, does not cover it, and the next one takes until 11.1 s.
func TestEverySecPutsWritesOff(t *testing.T) {
	for _, c := range []struct {
		at   time.Duration
		lost host.Lost
		kept bool
	}{
		{3000 * ms, host.LoseMemory, false},
		{3700 * ms, host.LoseMemory, true},
		{7000 * ms, host.LoseUnsynced, false},
		{11300 * ms, host.LoseUnsynced, true},
	} {
		r := newPersistentRig(t, EverySec, 5*second)
		r.Lock(0, 0, 1200*ms)      // an fsync begins at 1001 ms; released at 1203 ms
		u := r.Lock(1, 1500*ms, 0) // written by the cron at 3.2 s to 3.3 s
		r.crash(c.at, c.lost)
		r.Run(c.at + 2*ms)
		if ends := r.Records(u.Hold, history.ServiceEnd); (len(ends) == 0) != c.kept {
			t.Errorf("crash at %v: %+v", c.at, ends)
		}
	}
}

// An expired key that was touched has been deleted in the file, too: a clock that is set
// back and a restart do not bring it back.
func TestExpiryIsWritten(t *testing.T) {
	r := newPersistentRig(t, Always, 0)
	r.Lock(0, 0, 0)
	touch := r.Renew(0, 11*second)
	server := r.Server("redis", 0)
	r.At(12*second, func() { server.Clock.Step(-5 * second); server.Crash(host.LoseUnsynced); server.Restart(false) })
	waiter := r.Lock(1, 13*second, 0)
	r.Run(14 * second)
	if !errors.Is(touch.Err, models.ErrNotHeld) {
		t.Errorf("renewed with %v", touch.Err)
	}
	equal(t, "the second client is let in", waiter.Acquired, at(13*second+2*ms))
}

// A release that was not synced is undone by a crash of the machine: the key is back for
// the rest of its time, and nobody holds it.
func TestReleaseIsForgotten(t *testing.T) {
	r := newPersistentRig(t, EverySec, 0)
	u := r.Lock(0, 0, 1100*ms)
	r.crash(1500*ms, host.LoseUnsynced)
	waiter := r.Lock(1, 2*second, 0)
	r.Run(12 * second)
	r.ended(t, u, 1103*ms, "released")
	between(t, "the second client is let in", waiter.Acquired, at(10*second), at(10*second+300*ms))
	r.Sound()
}

// Whatever crashes when, and whichever library the clients use: with always, nobody who was
// answered loses a lock before its time.
func TestAlwaysKeepsItsPromises(t *testing.T) {
	for _, client := range []int64{bareClient, redislockClient, redissonClient} {
		r := newRig(t, 2, map[string]int64{"persistence": int64(Always), "client": client})
		rapid.Check(t, func(t *rapid.T) {
			draw := modeltest.Draw(func(what string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, what) })
			r.Env.Fsync = rng.Constant(draw.Duration("fsync", ms, 200*ms))
			r.Reset(1)
			r.Grants, r.Exclusion = monitor.Grants{}, monitor.Exclusion{}
			for i := range 8 {
				r.crash(time.Duration(i)*second+draw.Duration("crash", ms, 900*ms), host.Lost(draw("lost", 0, 1)))
			}
			for client, start := range []time.Duration{0, draw.Duration("start", ms, 4*second)} {
				r.use(client, start, draw.Duration("hold", ms, 4*second))
			}
			r.Run(30 * second)
			if found := append(r.Grants.Findings(), r.Exclusion.Findings()...); len(found) > 0 {
				t.Fatalf("found %+v in %+v", found, r.Recorder.Records)
			}
		})
	}
}
