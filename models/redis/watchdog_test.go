package redis

import (
	"errors"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
)

// With a lockWatchdogTimeout of 10 s the lock is renewed 3.333 s after it was acquired, at
// 2 ms, and then after each reply; a renewal is served 1 ms later.
func TestWatchdog(t *testing.T) {
	r := newRedissonRig(t, 2, nil)
	u, waiter := r.Lock(0, 0, 60*second), r.Lock(1, second, 0)
	r.Run(59 * second)
	p := r.promises(u.Hold)
	if len(p) != 17 { // 3.336 s + 16 · 3.335 s = 56.7 s
		t.Fatalf("renewed %d times", len(p))
	}
	for n, renewal := range p {
		want := at(3336*ms + 3335*ms*time.Duration(n))
		equal(t, "renewed", renewal.At, want)
		equal(t, "promised until", renewal.Until, want.Add(10*second-ms))
	}
	if waiter.Acquired != 0 {
		t.Errorf("client 2 acquired at %v", waiter.Acquired)
	}
	r.Run(80 * second)
	r.ended(t, u, 60_003*ms, "released")
	if n := len(r.promises(u.Hold)); n != 17 {
		t.Errorf("renewed %d times, also after the unlock", n)
	}
	r.Sound()
}

// A lease that was given is not renewed.
func TestLeaseWithoutWatchdog(t *testing.T) {
	r := newRedissonRig(t, 1, map[string]int64{"watchdog": 1})
	u := r.Lock(0, 0, 0)
	r.Run(30 * second)
	if n := len(r.promises(u.Hold)); n != 0 {
		t.Errorf("renewed %d times", n)
	}
	r.ended(t, u, 10_100*ms, "expired")
}

// The holder stands still for longer than its lease. When it wakes, the watchdog finds that
// the lock is gone and drops it; the holder believes on, and learns of it from unlock().
func TestWatchdogDropsALostLock(t *testing.T) {
	r := newRedissonRig(t, 2, nil)
	u, next := r.Lock(0, 0, 60*second), r.Lock(1, 2*second, 0)
	r.At(second, func() { r.Env.Clients[0].Pause(at(20 * second)) })
	r.Run(50 * second)
	if !r.noted(u.Hold, "watchdog") || len(r.promises(u.Hold)) != 0 {
		t.Errorf("not dropped: %+v", r.Records(u.Hold, history.Note, history.Promise))
	}
	if !r.Lockers[0].Valid(nil) || !r.Exclusion.Violated() || r.Grants.Violated() {
		t.Error("the holder does not believe on, or the service broke its promise")
	}
	if next.Acquired == 0 || len(r.promises(next.Hold)) < 9 {
		t.Errorf("client 2 acquired at %v", next.Acquired)
	}
	r.Run(62 * second)
	if !errors.Is(u.Err, models.ErrNotHeld) {
		t.Errorf("unlocked with %v", u.Err)
	}
}

// An error is no reason to stop. The renewal at 20.002 s is lost and fails 3 s later; the
// next one comes a third of 60 s after that.
func TestWatchdogGoesOnAfterAnError(t *testing.T) {
	r := newRedissonRig(t, 1, map[string]int64{"ttl": int64(60 * second), "command-retries": -1})
	u := r.Lock(0, 0, 0)
	r.mute(0, 19*second, 25*second)
	r.Run(50 * second)
	p := r.promises(u.Hold)
	if len(p) != 1 {
		t.Fatalf("renewed %+v", p)
	}
	equal(t, "renewed", p[0].At, at(20_002*ms+3*second+20*second+ms))
}

// Before it fails, a renewal is sent four times more, 0.5 to 1 s and then 1 to 2 s after each
// timeout of 3 s.
func TestWatchdogSendsAgain(t *testing.T) {
	r := newRedissonRig(t, 1, map[string]int64{"ttl": int64(90 * second)})
	u := r.Lock(0, 0, 0)
	r.deaf(0, 29*second, 60*second)
	r.Run(60 * second)
	p := r.promises(u.Hold) // requests arrive, replies do not
	if len(p) != 5 {
		t.Fatalf("renewed %d times", len(p))
	}
	equal(t, "first", p[0].At, at(30_003*ms))
	between(t, "second", p[1].At, p[0].At.Add(3500*ms), p[0].At.Add(4*second))
	for n := 2; n < 5; n++ {
		between(t, "later", p[n].At, p[n-1].At.Add(4*second), p[n-1].At.Add(5*second))
	}
}

// A holder that is cut off believes for ever: nothing tells it (redisson issue 3636).
func TestWatchdogBehindAPartition(t *testing.T) {
	r := newRedissonRig(t, 2, nil)
	r.Lock(0, 0, 0)
	next := r.Lock(1, 100*ms, 0)
	r.mute(0, second, 3600*second)
	r.Run(600 * second)
	equal(t, "client 2 is let in", next.Acquired, at(10_004*ms))
	if r.Grants.Violated() || !r.Exclusion.Violated() || !r.Lockers[0].Valid(nil) {
		t.Error("the holder no longer believes")
	}
}

// Two locks of one thread, one after the other: the watchdog's period begins anew.
func TestWatchdogOfTheNextLock(t *testing.T) {
	r := newRedissonRig(t, 1, nil)
	r.Lock(0, 0, 3*second)
	next := r.Lock(0, 5*second, 0)
	r.Run(9 * second)
	p := r.promises(next.Hold)
	if len(p) != 1 {
		t.Fatalf("renewed %+v", p)
	}
	equal(t, "renewed", p[0].At, at(5002*ms+3333*ms+ms))
}
