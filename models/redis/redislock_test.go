package redis

import (
	"errors"
	"testing"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

func newRedislockRig(t *testing.T, clients int, params map[string]int64) *rig {
	all := map[string]int64{"client": redislockClient}
	for name, v := range params {
		all[name] = v
	}
	return newRig(t, clients, all)
}

// Without a retry strategy one nil ends Obtain (redislock.go, NoRetry).
func TestRedislockDoesNotWait(t *testing.T) {
	r := newRedislockRig(t, 2, nil)
	u, loser := r.Lock(0, 0, second), r.try(1, 100*ms)
	r.Run(12 * second)
	if loser.err != models.ErrNotAcquired {
		t.Errorf("err %v", loser.err)
	}
	equal(t, "given up", loser.done, at(102*ms))
	r.ended(t, u, 1003*ms, "released")
	r.Sound()
}

// With one, it goes on until a TTL has passed since the call. What it returns then is the context's error.
func TestRedislockWaitsForATTL(t *testing.T) {
	r := newRedislockRig(t, 2, map[string]int64{"attempts": 1_000_000})
	r.Lock(0, 0, 60*second)
	for renew := 3 * second; renew < 60*second; renew += 3 * second {
		r.Renew(0, renew)
	}
	loser := r.try(1, 100*ms)
	r.Run(30 * second)
	if !errors.Is(loser.err, models.ErrNotAcquired) || !errors.Is(loser.err, errDeadline) {
		t.Errorf("err %v", loser.err)
	}
	equal(t, "given up", loser.done, at(100*ms+10*second))

	r = newRedislockRig(t, 2, map[string]int64{"attempts": 1_000_000})
	r.Lock(0, 0, second)
	next := r.try(1, 100*ms)
	r.Run(3 * second)
	between(t, "acquired after the release", next.done, at(1003*ms), at(1003*ms+252*ms))
	r.Sound()
}

// The reply to the script is lost. go-redis sends it again after 5 s and 10 to 30 ms, and it
// finds the client's own token: no false "taken", and the lease begins anew.
func TestRedislockSendsAgain(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		r := newRedislockRig(t, 1, nil)
		r.Reset(seed)
		r.deaf(0, 0, 100*ms)
		a := r.try(0, 0)
		r.Run(8 * second)
		if a.err != nil {
			t.Fatal(a.err)
		}
		between(t, "acquired", a.done, at(5*second+10*ms+2*ms), at(5*second+30*ms+2*ms))
		if p := r.Want(a.hold, history.Promise); p.At != a.done.Add(-ms) || p.Until != p.At.Add(10*second-ms) {
			t.Errorf("promised anew at %v until %v", p.At, p.Until)
		}
		r.Sound()
	}
}

// go-redis looks at the context when it would send again, and not while it reads: a call of
// one TTL, 8 s, ends with the second timeout at 10 s.
func TestRedislockEndsWithAnError(t *testing.T) {
	r := newRedislockRig(t, 2, map[string]int64{"ttl": int64(8 * second)})
	r.deaf(0, 0, 60*second)
	a := r.try(0, 0)
	r.Run(30 * second)
	if !errors.Is(a.err, models.ErrNotAcquired) || !errors.Is(a.err, host.ErrTimeout) {
		t.Errorf("err %v", a.err)
	}
	between(t, "given up", a.done, at(10*second+10*ms), at(10*second+30*ms))

	// With a TTL of 30 s it is sent four times in all. The delays are 10 to 30, 50 and 90 ms.
	// Nothing takes the key back.
	r = newRedislockRig(t, 2, map[string]int64{"ttl": int64(30 * second)})
	r.deaf(0, 0, 60*second)
	a = r.try(0, 0)
	r.Run(60 * second)
	between(t, "given up", a.done, at(20*second+30*ms), at(20*second+170*ms))
	if p := r.Records(a.hold, history.Promise); len(p) != 3 {
		t.Fatalf("promised anew %+v", p)
	}
	end := r.Want(a.hold, history.ServiceEnd)
	between(t, "expired", end.At, at(45*second+31*ms), at(45*second+271*ms))
}

// An error ends Obtain also where "taken" would be tried again.
func TestRedislockErrorIsTerminal(t *testing.T) {
	r := newRedislockRig(t, 1, map[string]int64{"attempts": 9, "command-retries": -1})
	r.mute(0, 0, second)
	a := r.try(0, 0)
	r.Run(9 * second)
	if !errors.Is(a.err, host.ErrTimeout) || a.done != at(5*second) {
		t.Errorf("came back at %v with %v", a.done, a.err)
	}
}

// A copy of the script that comes after the release sets the key for nobody.
func TestRedislockScriptAfterTheRelease(t *testing.T) {
	r := newRedislockRig(t, 1, nil)
	r.duplicate(0, OpObtain, 2*second)
	u := r.Lock(0, 0, second)
	r.Run(15 * second)
	if got := kinds(r.Records(u.Hold, history.Grant, history.ReleaseBegin)); len(got) != 4 || got[3] != history.ReleaseBegin {
		t.Errorf("kinds %v, want a grant that is given back at once", got)
	}
}

// Refresh does not try again what cannot succeed, and does after an error, if asked to.
func TestRedislockRefresh(t *testing.T) {
	r := newRedislockRig(t, 1, map[string]int64{"attempts": 3})
	r.Lock(0, 0, 0)
	good, late := r.Renew(0, 5*second), r.Renew(0, 20*second)
	r.Run(30 * second)
	if good.Err != nil || !errors.Is(late.Err, models.ErrNotHeld) {
		t.Errorf("refreshed with %v, and when lost with %v", good.Err, late.Err)
	}
	equal(t, "told that it is lost", late.Done, at(20*second+2*ms))

	// command-retries: -1 leaves one timeout of 5 s to an attempt. The released version makes one.
	for _, c := range []struct {
		attempts, refresh int64
		err               error
	}{{0, refreshRetried, host.ErrTimeout}, {2, refreshRetried, nil}, {2, 0, host.ErrTimeout}} {
		r := newRedislockRig(t, 1, map[string]int64{"ttl": int64(20 * second), "attempts": c.attempts, "command-retries": -1, "refresh": c.refresh})
		r.Lock(0, 0, 0)
		r.mute(0, 5*second, 6*second)
		renewal := r.Renew(0, 5*second)
		r.Run(12 * second)
		if !errors.Is(renewal.Err, c.err) || renewal.Done < at(10*second) {
			t.Errorf("attempts %d: came back at %v with %v", c.attempts, renewal.Done, renewal.Err)
		}
	}
}

// Who was refused has no Lock, and sends nothing to give it back.
func TestRedislockReleaseOfNothing(t *testing.T) {
	r := newRedislockRig(t, 1, nil)
	calls := func() (n uint64) {
		return r.Net.Sent(r.Env.Clients[0].ID, r.Server("redis", 0).ID, func(*network.Op) bool { return true })
	}
	var err error
	r.Env.Clients[0].Go("client 1", func(p *host.Process) { err = r.Lockers[0].Release(p) })
	r.Run(second)
	if !errors.Is(err, models.ErrNotHeld) || calls() != 0 {
		t.Errorf("released with %v and %d messages", err, calls())
	}
}

// A release that meets another's token is an error, and one without a reply is sent again:
// the second finds nothing.
func TestRedislockRelease(t *testing.T) {
	r := newRedislockRig(t, 1, nil)
	late := r.Lock(0, 0, 11*second)
	r.Run(12 * second)
	if !errors.Is(late.Err, models.ErrNotHeld) {
		t.Errorf("released with %v", late.Err)
	}
	r = newRedislockRig(t, 1, nil)
	u := r.Lock(0, 0, second)
	r.deaf(0, second, 1100*ms)
	r.Run(12 * second)
	if !errors.Is(u.Err, models.ErrNotHeld) {
		t.Errorf("released with %v, want that of a release whose first script has done it", u.Err)
	}
	r.ended(t, u, 1003*ms, "released")
}
