package redis

import (
	"errors"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// Client 1 holds for 12 s, 2 s longer than its key. Its DEL takes the key of client 2
// away, and client 3 is let in beside it; the script leaves it alone.
func TestForeignUnlock(t *testing.T) {
	for _, byDel := range []bool{true, false} {
		params := map[string]int64{}
		if byDel {
			params["release"] = releaseByDel
		}
		r := newRig(t, 3, params)
		u1, u2 := r.Lock(0, 0, 12*second), r.Lock(1, second, 0)
		u3 := r.Lock(2, 11*second, 0)
		r.Run(15 * second)
		between(t, "client 2 is let in", u2.Acquired, at(10*second), at(10*second+300*ms))
		if !byDel {
			if !errors.Is(u1.Err, models.ErrNotHeld) || len(r.Records(u2.Hold, history.ServiceEnd)) != 0 || u3.Acquired != 0 {
				t.Errorf("the script: %v, client 3 acquired at %v", u1.Err, u3.Acquired)
			}
			continue
		}
		r.ended(t, u2, 12*second+3*ms, history.ForeignRelease)
		between(t, "client 3 is let in", u3.Acquired, at(12*second+3*ms), at(12*second+300*ms))
		if u1.Err != nil || !r.Grants.Violated() {
			t.Errorf("DEL: %v, promises broken: %v", u1.Err, r.Grants.Violated())
		}
	}
}

// DEL of one's own key is a release, and DEL of no key tells the client so.
func TestReleaseByDel(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"release": releaseByDel})
	u := r.Lock(0, 0, second)
	r.Run(2 * second)
	r.ended(t, u, second+3*ms, "released")
	r.Sound()

	r = newRig(t, 1, map[string]int64{"release": releaseByDel})
	u = r.Lock(0, 0, 12*second)
	r.Run(13 * second)
	if !errors.Is(u.Err, models.ErrNotHeld) {
		t.Errorf("released with %v", u.Err)
	}
}

// A client that can only delete whatever is there does not take a key back that may not be
// its own. If the SET was applied and only its reply was lost, it waits for its own key to
// expire.
func TestDelTakesNothingBack(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"release": releaseByDel})
	r.At(100*ms, r.Cut(r.Server("redis", 0), r.Env.Clients[0]))
	u := r.Lock(0, 0, 0)
	r.Run(11 * second)
	between(t, "acquired", u.Acquired, at(10*second), at(10*second+300*ms))
}

// A client that looks whose key it is, and deletes it then, takes the key of whoever came in
// between; one that looks too late leaves it alone.
func TestReleaseByGetAndDel(t *testing.T) {
	for _, c := range []struct {
		name    string
		section time.Duration // of client 1, from 2 ms on
		stalls  time.Duration // between the two
		why     string        // client 2's lock ended, if it did
		err     error
	}{
		{"between the two", 9 * second, 2 * second, history.ForeignRelease, nil},
		{"before them", 10*second + 500*ms, 0, "", models.ErrNotHeld},
	} {
		r := newRig(t, 3, map[string]int64{"release": releaseByGetDel})
		u1, u2 := r.Lock(0, 0, c.section), r.Lock(1, second, 0)
		u3 := r.Lock(2, 11*second, 0)
		r.OnStep(0, stepDelete, func() { r.Env.Clients[0].Pause(r.World.Now().Add(c.stalls)) })
		r.Run(15 * second)
		between(t, "client 2 is let in", u2.Acquired, at(10*second), at(10*second+300*ms))
		if !errors.Is(u1.Err, c.err) || (u3.Acquired > 0) != (c.why != "") || r.Grants.Violated() != (c.why != "") {
			t.Errorf("expired %s: %v, client 3 acquired at %v, promises broken: %v", c.name, u1.Err, u3.Acquired, r.Grants.Violated())
		}
		if ends := r.Records(u2.Hold, history.ServiceEnd); c.why != "" && (len(ends) != 1 || ends[0].Text != c.why) {
			t.Errorf("expired %s: %+v", c.name, ends)
		}
	}
	r := newRig(t, 1, map[string]int64{"release": releaseByGetDel})
	u := r.Lock(0, 0, second)
	r.Run(2 * second)
	r.ended(t, u, second+5*ms, "released")
	r.Sound()
}

// newTwoStepRig is a client that sets the key with SETNX and then PEXPIRE.
func newTwoStepRig(t *testing.T) *rig { return newRig(t, 2, map[string]int64{"acquire": 1}) }

// The lock is promised with the PEXPIRE, which is applied at 3 ms; the key is there before.
func TestAcquireInTwoSteps(t *testing.T) {
	r := newTwoStepRig(t)
	u, waiter := r.Lock(0, 0, 0), r.Lock(1, ms, 0)
	r.Run(second)
	g := r.Want(u.Hold, history.Grant)
	equal(t, "granted", g.At, at(3*ms))
	equal(t, "promised until", g.Until, at(3*ms+10*second-ms))
	equal(t, "acquired", u.Acquired, at(4*ms))
	if waiter.Acquired != 0 {
		t.Errorf("client 2 acquired at %v", waiter.Acquired)
	}
	r.Run(11 * second)
	end := r.Want(u.Hold, history.ServiceEnd)
	between(t, "the key has expired, for a SETNX or the cycle", end.At, at(10*second+4*ms), at(10*second+100*ms))
	between(t, "client 2 is let in by its SETNX, and granted the lock 2 ms later", r.Want(waiter.Hold, history.Grant).At, end.At.Add(2*ms), end.At.Add(255*ms))
}

// A client that crashes between the two steps leaves a key that never expires.
func TestCrashBetweenTheSteps(t *testing.T) {
	r := newTwoStepRig(t)
	r.OnStep(0, stepExpire, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
	r.Lock(0, 0, 0)
	waiter := r.Lock(1, second, 0)
	r.Run(3600 * second)
	if waiter.Acquired != 0 || !r.server().present {
		t.Errorf("client 2 acquired at %v", waiter.Acquired)
	}
	if r.Progress.Finish(r.World.Now()); len(r.Progress.Findings()) == 0 {
		t.Error("nobody noticed that the lock is stuck")
	}

	r = newRig(t, 2, nil)
	r.OnStep(0, "acquire.reply", func() { r.Env.Clients[0].Crash(host.LoseMemory) })
	r.Lock(0, 0, 0)
	waiter = r.Lock(1, second, 0)
	r.Run(3600 * second)
	between(t, "in one step, client 2 is let in", waiter.Acquired, at(10*second), at(10*second+300*ms))
}

// A PEXPIRE is applied to whatever key is there: a server that has forgotten the SETNX
// prolongs the lock of the client that came after it.
func TestExpireOfAnothersKey(t *testing.T) {
	r := newTwoStepRig(t)
	server := r.Server("redis", 0)
	r.OnStep(0, stepExpire, func() {
		r.Env.Clients[0].Pause(at(5 * second))
		server.Crash(host.LoseMemory)
		server.Restart(false)
	})
	u, other := r.Lock(0, 0, 0), r.Lock(1, second, 0)
	r.Run(14 * second)
	promises := r.Records(other.Hold, history.Promise)
	if len(promises) != 1 || promises[0].At != at(5*second+ms) || promises[0].Until != at(15*second) {
		t.Errorf("promised to client 2: %+v", promises)
	}
	if u.Acquired == 0 {
		t.Error("client 1 was told that it holds the lock, and did not believe it")
	}
}
