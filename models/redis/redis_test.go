package redis

import (
	"errors"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// A message takes 1 ms: the SET is applied after one and answered after two.
func TestAcquireAndRelease(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 5*ms, 100*ms)
	r.Run(second)
	g := r.Want(u.Hold, history.Grant)
	equal(t, "granted", g.At, at(6*ms))
	equal(t, "promised until", g.Until, at(6*ms+10*second-ms)) // less a millisecond of granularity
	equal(t, "acquired", u.Acquired, at(7*ms))
	r.ended(t, u, 108*ms, "released")
	equal(t, "released", u.Released, at(109*ms))
	if u.Err != nil || g.Token != 0 || u.Token != 0 {
		t.Errorf("released with %v, tokens %d and %d; a random value is no token", u.Err, g.Token, u.Token)
	}
	r.Sound()
}

// A waiter tries again 50 to 250 ms after each refusal, and gets in after the release.
func TestContention(t *testing.T) {
	for seed := uint64(1); seed <= 30; seed++ {
		r := newRig(t, 2, nil)
		r.Reset(seed)
		first, second := r.Lock(0, 0, 1000*ms), r.Lock(1, 10*ms, 0)
		var sent []int64
		var watch func()
		watch = func() { sent = append(sent, int64(r.World.Now())); r.OnStep(1, "acquire.send", watch) }
		r.OnStep(1, "acquire.send", watch)
		r.Run(2000 * ms)
		for i := 1; i < len(sent); i++ { // 2 ms of round trip, then the delay
			if gap := sent[i] - sent[i-1]; gap < int64(52*ms) || gap > int64(252*ms) {
				t.Errorf("seed %d: %d ns between two attempts", seed, gap)
			}
		}
		between(t, "granted", r.Want(second.Hold, history.Grant).At, r.Want(first.Hold, history.ServiceEnd).At, at(1003*ms+252*ms))
		r.Sound()
	}
}

// The key is gone once now > when, in whole milliseconds: a SET at 1 ms with 10 s
// meets it at 10.001 s still, and not at 10.002 s.
func TestExpiryIsStrict(t *testing.T) {
	for _, c := range []struct {
		name  string
		start int64 // of the attempt, in µs; the SET is served 1 ms later
		gets  bool
	}{
		{"now == when", 10_000_000, false},
		{"within the same millisecond", 10_000_999, false},
		{"now > when", 10_001_000, true},
	} {
		r := newRig(t, 2, map[string]int64{"retry-base": int64(60 * second), "retry-jitter": 0})
		holder := r.Lock(0, 0, 0)
		waiter := r.Lock(1, time.Duration(c.start)*time.Microsecond, 0)
		r.Run(11 * second)
		if got := waiter.Acquired != 0; got != c.gets {
			t.Errorf("%s: acquired %t, want %t", c.name, got, c.gets)
		}
		if c.gets {
			r.ended(t, holder, 10_002*ms, "expired")
		}
	}
}

// Nobody is promised more than the least that a key can live.
func TestPromiseIsShorterThanTheLease(t *testing.T) {
	for offset := range time.Duration(20) {
		r := newRig(t, 2, map[string]int64{"retry-base": 0, "retry-max": 0, "retry-jitter": 0})
		holder := r.Lock(0, offset*100*time.Microsecond, 0)
		waiter := r.Lock(1, second, 0)
		r.Run(12 * second)
		if g := r.Want(waiter.Hold, history.Grant); g.At < r.Want(holder.Hold, history.Grant).Until || r.Grants.Violated() {
			t.Errorf("offset %v: promise broken", offset*100*time.Microsecond)
		}
	}
}

// The lease is counted on the server's wall clock: a step forward ends it.
func TestWallClockEndsTheLease(t *testing.T) {
	r := newRig(t, 2, nil)
	holder, waiter := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
	r.At(1*second, func() { r.Server("redis", 0).Clock.Step(10 * second) })
	r.Run(2 * second)
	if r.Want(holder.Hold, history.ServiceEnd).Text != "expired" || waiter.Acquired == 0 {
		t.Errorf("the holder was not expired, or the waiter did not get in: %+v", waiter)
	}
	if !r.Grants.Violated() || !r.Progress.Violated() {
		t.Error("a promise was broken, and a hold lost early")
	}
}

// The client's clock plays no part: the library keeps no deadline.
func TestClientHasNoDeadline(t *testing.T) {
	r := newRig(t, 1, nil)
	r.Lock(0, 0, 0)
	r.At(second, func() { r.Env.Clients[0].Clock.Step(-3600 * second) })
	r.Run(60 * second)
	if !r.Lockers[0].Valid(nil) {
		t.Error("the library has nothing to say against")
	}
}

// A crashed holder's key stays until it expires.
func TestCrashOfHolder(t *testing.T) {
	r := newRig(t, 2, nil)
	holder, waiter := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
	r.At(second, func() { r.Env.Clients[0].Crash(host.LoseUnsynced) })
	r.Run(12 * second)
	between(t, "granted", r.Want(waiter.Hold, history.Grant).At, at(10_002*ms), at(10_002*ms+252*ms))
	if end := r.Want(holder.Hold, history.ServiceEnd); end.Text != "expired" {
		t.Errorf("ended: %s", end.Text)
	}
	r.Sound()
}

// Who releases late does not delete somebody else's key, and is told.
func TestCompareAndDelete(t *testing.T) {
	r := newRig(t, 2, nil)
	late, next := r.Lock(0, 0, 11*second), r.Lock(1, 100*ms, 5*second)
	r.Run(14 * second)
	if !errors.Is(late.Err, models.ErrNotHeld) {
		t.Errorf("the late release returned %v, want %v", late.Err, models.ErrNotHeld)
	}
	if ends := r.Records(next.Hold, history.ServiceEnd); len(ends) != 0 {
		t.Errorf("the key of the next holder is gone: %+v", ends)
	}
	r.Run(20 * second)
	if end := r.Want(next.Hold, history.ServiceEnd); end.Text != "released" || next.Err != nil {
		t.Errorf("ended: %s, %v", end.Text, next.Err)
	}
}

// A release that is not answered returns the indefinite error.
func TestReleaseTimesOut(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, second)
	r.At(500*ms, func() { r.Cut(r.Server("redis", 0), r.Env.Clients[0]) })
	r.Run(9 * second)
	if !errors.Is(u.Err, host.ErrTimeout) {
		t.Errorf("released with %v, want %v", u.Err, host.ErrTimeout)
	}
	equal(t, "released", u.Released, at(2*ms+1*second+3*second))
	r.ended(t, u, 1003*ms, "released")
}

// A lower bound above the default of the upper one is a fixed delay.
func TestRetryDelay(t *testing.T) {
	r := newRig(t, 2, map[string]int64{"retry-base": int64(second), "retry-jitter": 0})
	r.Lock(0, 0, 500*ms)
	waiter := r.Lock(1, 100*ms, 0)
	r.Run(5 * second)
	equal(t, "acquired", waiter.Acquired, at(100*ms+2*ms+second+2*ms))
	if got, want := New().Describe().Takeover(r.Env.Params), 11*second+ms; got != want {
		t.Errorf("takeover %v, want %v", got, want)
	}
}

// A server that dies forgets the key, whatever kills it: the next one gets in at once,
// and the promise to the holder is broken.
func TestRestartedServerHasForgottenTheKey(t *testing.T) {
	for _, lost := range []host.Lost{host.LoseMemory, host.LoseUnsynced, host.LoseEverything} {
		r := newRig(t, 2, nil)
		holder, waiter := r.Lock(0, 0, 0), r.Lock(1, 2*second, 0)
		server := r.Server("redis", 0)
		r.At(second, func() {
			server.Crash(lost)
			server.RestartAt(at(1500*ms), false)
		})
		r.Run(3 * second)
		r.ended(t, holder, 1500*ms, "lost")
		if waiter.Acquired == 0 || !r.Grants.Violated() {
			t.Errorf("%v lost: acquired at %v, promise broken: %v", lost, waiter.Acquired, r.Grants.Violated())
		}
	}
}

// While the server is down nobody is answered; a key that runs out meanwhile has expired.
func TestKeyExpiresWhileTheServerIsDown(t *testing.T) {
	r := newRig(t, 2, nil)
	holder, waiter := r.Lock(0, 0, 0), r.Lock(1, 2*second, 0)
	server := r.Server("redis", 0)
	r.At(second, func() {
		server.Crash(host.LoseMemory)
		server.RestartAt(at(11*second), false)
	})
	r.Run(11*second - 1)
	if waiter.Acquired != 0 {
		t.Errorf("acquired at %v from a server that is down", waiter.Acquired)
	}
	r.Run(13 * second)
	r.ended(t, holder, 11*second, "expired")
	if waiter.Acquired == 0 || r.Grants.Violated() {
		t.Errorf("acquired at %v, promise broken: %v", waiter.Acquired, r.Grants.Violated())
	}
}
