package k8slease

import (
	"errors"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// A get that finds nothing and a create; a renewal at once and every 2 s after a reply; a
// get and an update that empties the record.
func TestAcquireRenewAndRelease(t *testing.T) {
	r := newRig(t, 1, given{"release-on-cancel": releaseOnCancel, "token": tokenTransitions})
	u := r.Lock(0, 0, 5*second)
	r.Run(10 * second)
	g := r.Want(u.Hold, history.Grant)
	equal(t, "granted", g.At, at(3*ms))
	equal(t, "promised until", g.Until, at(3*ms+15*second))
	equal(t, "acquired", u.Acquired, at(4*ms))
	for n, p := range r.Records(u.Hold, history.Promise) {
		equal(t, "renewed", p.At, at(renewal(n)+ms))
		changed := p.At
		if n == 0 {
			changed = g.At // in the same second
		}
		equal(t, "promised until", p.Until, changed.Add(15*second))
	}
	if n := len(r.Records(u.Hold, history.Promise)); n != 3 { // at 0, 2 and 4 s
		t.Errorf("renewed %d times in 5 s", n)
	}
	r.ended(t, u, at(5004*ms+3*ms), "released")
	equal(t, "released", u.Released, at(5004*ms+4*ms))
	if u.Err != nil || u.Token != 1 || g.Token != 1 {
		t.Errorf("released with %v, tokens %d and %d", u.Err, u.Token, g.Token)
	}
	r.Sound()
}

// Without ReleaseOnCancel nothing is sent when the program cancels.
func TestReleaseIsSilentByDefault(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 5*second)
	r.Run(60 * second)
	equal(t, "released", u.Released, at(5004*ms))
	if ends := r.Records(u.Hold, history.ServiceEnd); len(ends) != 0 || r.api().record.holder == 0 {
		t.Errorf("the record has changed: %+v", ends)
	}
	if n := len(r.Records(u.Hold, history.Promise)); n != 3 {
		t.Errorf("renewed %d times", n)
	}
}

// A candidate sleeps for 2 to 4.4 s between two attempts, so it gets the released lease
// within that.
func TestContention(t *testing.T) {
	shortest, longest := time.Hour, time.Duration(0)
	for seed := uint64(1); seed <= 30; seed++ {
		r := newRig(t, 2, given{"release-on-cancel": releaseOnCancel, "token": tokenTransitions})
		r.Reset(seed)
		first, other := r.Lock(0, 0, 20*second), r.Lock(1, 10*ms, 0)
		last := time.Duration(0)
		var watch func()
		watch = func() {
			now := time.Duration(r.World.Now())
			if last > 0 {
				shortest, longest = min(shortest, now-last-2*ms), max(longest, now-last-2*ms)
			}
			last = now
			r.OnStep(1, "acquire.send", watch)
		}
		r.OnStep(1, "acquire.send", watch)
		r.Run(30 * second)
		between(t, "granted", r.Want(other.Hold, history.Grant).At, first.Released, first.Released.Add(4400*ms+3*ms))
		if other.Token != 2 {
			t.Errorf("seed %d: token %d", seed, other.Token)
		}
		r.Sound()
	}
	if shortest < 2*second || shortest > 2100*ms || longest > 4400*ms || longest < 4300*ms {
		t.Errorf("sleeps of %v to %v, want 2s to 4.4s", shortest, longest)
	}
}

// The last renewal before the crash is applied at 4.009 s. A candidate sees it up to 4.4 s
// later, waits 15 s from then, and is late by up to 4.4 s: takeover is 23.8 s.
func TestCrashOfTheLeader(t *testing.T) {
	applied := renewal(2) + ms
	if takeover(models.Defaults(New().Describe().Params)) != 23800*ms {
		t.Error("takeover is not 15 s + 2·4.4 s")
	}
	for seed := uint64(1); seed <= 30; seed++ {
		r := newRig(t, 2, nil)
		r.Reset(seed)
		holder, waiter := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
		r.At(5*second, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
		r.Run(60 * second)
		g := r.Want(waiter.Hold, history.Grant)
		between(t, "granted", g.At, at(applied+15*second), at(applied+23800*ms+10*ms))
		r.ended(t, holder, g.At, history.TakenOver)
		r.Sound()
	}
}

// Who sees a record for the first time waits its whole lease, however old it is.
func TestNewCandidateWaitsAWholeLease(t *testing.T) {
	r := newRig(t, 2, given{}.quick())
	r.Lock(0, 0, 0)
	r.At(5*second, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
	late := r.Lock(1, 100*second, 0)
	r.Run(120 * second)
	between(t, "granted", r.Want(late.Hold, history.Grant).At, at(115*second+2*ms), at(115*second+quickLag+10*ms))
	r.Sound()
}

// The create is applied and its reply is lost. After 5 s the attempt has failed; the next
// one finds the candidate's own name, and updates that without raising leaseTransitions.
func TestLostReplyToTheCreate(t *testing.T) {
	r := newRig(t, 1, given{"token": tokenTransitions})
	r.At(3*ms, func() { r.At(100*ms, r.Cut(r.Server("apiserver", 0), r.Env.Clients[0])) })
	u := r.Lock(0, 0, 0)
	r.Run(30 * second)
	equal(t, "granted", r.Want(u.Hold, history.Grant).At, at(3*ms))
	between(t, "acquired", u.Acquired, at(2*ms+5*second+2*second+4*ms), at(2*ms+5*second+4400*ms+4*ms))
	if u.Token != 1 {
		t.Errorf("token %d", u.Token)
	}
	r.Sound()
}

// Two candidates judge the lease free from the same read. Only one update is based on the
// current version.
func TestConflict(t *testing.T) {
	r := newRig(t, 3, given{"release-on-cancel": releaseOnCancel, "token": tokenTransitions}.quick())
	r.Lock(0, 0, second)
	second1, third := r.Lock(1, 100*ms, 0), r.Lock(2, 100*ms, 0)
	r.OnStep(1, "acquire.update", func() { r.Env.Clients[1].Pause(at(3 * second)) })
	r.Run(4 * second)
	between(t, "client 3 acquired", third.Acquired, at(1004*ms), at(1004*ms+quickLag+4*ms))
	if second1.Acquired != 0 || third.Token != 2 {
		t.Errorf("client 2 acquired at %v, token %d", second1.Acquired, third.Token)
	}
	r.Sound()
}

// What the server stores is not lost. A request that it does not answer costs the leader
// 5 s, half of its renew deadline: of the renewal at 6.010 s the update is lost, and the get
// at 11.010 s as well if the server is still down then. There is no time for a third.
func TestServerRestarts(t *testing.T) {
	for _, c := range []struct {
		back    time.Duration
		renewed time.Duration
	}{
		{8 * second, renewal(3) + 5*second + 3*ms},
		{renewal(3) + 5*second + 2*ms, 0},
	} {
		r := newRig(t, 1, nil)
		u := r.Lock(0, 0, 0)
		server := r.Server("apiserver", 0)
		r.At(5*second, func() {
			server.Crash(host.LoseEverything)
			server.RestartAt(at(c.back), false)
		})
		r.Run(60 * second)
		promises := r.Records(u.Hold, history.Promise)
		if c.renewed != 0 {
			equal(t, "renewed", promises[3].At, at(c.renewed))
		} else if len(promises) != 3 {
			t.Errorf("renewed %d times", len(promises))
		} else {
			equal(t, "stopped", r.stopped(u), at(renewal(3)+10*second))
		}
		r.Sound()
	}
}

// The program cancels while a renewal is on its way, which is applied between the get and
// the update of the release. That is refused, and the release is tried again.
func TestReleaseIsTriedAgainAfterAConflict(t *testing.T) {
	r := newRig(t, 1, given{"release-on-cancel": releaseOnCancel})
	cancel := renewal(2) + 10*ms
	r.At(renewal(2), func() { r.holdUpdate(0, cancel+2*ms) })
	u := r.Lock(0, 0, cancel-4*ms)
	r.Run(10 * second)
	equal(t, "renewed", r.Records(u.Hold, history.Promise)[2].At, at(cancel+2*ms))
	r.ended(t, u, at(cancel+7*ms), "released")
	if u.Err != nil {
		t.Errorf("released with %v", u.Err)
	}
	r.Sound()
}

// A release that is not answered gives the lease up none the less.
func TestReleaseTimesOut(t *testing.T) {
	r := newRig(t, 1, given{"release-on-cancel": releaseOnCancel})
	u := r.Lock(0, 0, second)
	r.At(500*ms, func() { r.cutOff(0) })
	r.Run(30 * second)
	equal(t, "released", u.Released, at(1004*ms+5*second))
	if !errors.Is(u.Err, host.ErrTimeout) || len(r.Records(u.Hold, history.Promise)) != 1 {
		t.Errorf("released with %v", u.Err)
	}
}
