package chubby

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// A holder that crashes keeps the lock for the rest of its lease, which the master extends once
// more with the KeepAlive that it has in hand, and for the lock-delay: then comes the next.
func TestCrashedHolder(t *testing.T) {
	for _, delay := range []time.Duration{0, 7 * sec, 60 * sec} {
		for _, crash := range []time.Duration{15 * sec, 20*sec + 900*ms, 25 * sec} {
			r := newRig(t, 2, lease(12*sec, delay))
			u, waiter := r.Lock(0, sec, 0), r.Lock(1, 2*sec, 0)
			r.At(crash, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
			r.Run(200 * sec)
			at := r.extensions(u)
			last := at[len(at)-1]
			r.within("the last extension", last, sim.Time(crash), sim.Time(crash+10*sec+2*hop))
			r.exactly("the end", r.Want(u.Hold, history.ServiceEnd).At, last.Add(12*sec+commit))
			if end := r.Want(u.Hold, history.ServiceEnd); end.Text != "expired" {
				t.Errorf("ended %q", end.Text)
			}
			granted := r.Want(waiter.Hold, history.Grant)
			r.exactly("the grant", granted.At, last.Add(12*sec+commit+delay+commit))
			if granted.Token != u.Token+1 {
				t.Errorf("tokens %d, then %d", u.Token, granted.Token)
			}
			if bound := quietTakeover(r.Env.Params); granted.At > sim.Time(crash+bound) {
				t.Errorf("granted at %v, later than %v after the crash", granted.At, bound)
			}
		}
	}
}

// A voluntary release has no lock-delay.
func TestReleaseHasNoDelay(t *testing.T) {
	r := newRig(t, 2, nil)
	u, waiter := r.Lock(0, sec, 10*sec), r.Lock(1, 2*sec, 0)
	r.Run(20 * sec)
	released := r.Want(u.Hold, history.ServiceEnd)
	if released.Text != "released" {
		t.Errorf("ended %q", released.Text)
	}
	r.exactly("the grant", r.Want(waiter.Hold, history.Grant).At, released.At.Add(commit))
}

// With a session lease of 10 s, a pause of 15 s and the default lock-delay nobody else gets in,
// whenever the pause begins. Either the KeepAlive that the master had in hand keeps the session
// until the holder is back, or the session ends, and the lock-delay of a minute outlasts the
// pause by far: the holder is told before anybody else may come.
func TestPauseOfFifteenSecondsLetsNobodyIn(t *testing.T) {
	survived, lost := 0, 0
	for n := range 40 { // over one period of the KeepAlives
		begin := 10*sec + time.Duration(n)*10*sec*5/6/40
		r := newRig(t, 2, map[string]int64{"ttl": int64(10 * sec)})
		u, waiter := r.Lock(0, sec, 0), r.Lock(1, 2*sec, 0)
		r.Run(begin)
		r.Env.Clients[0].Pause(sim.Time(begin + 15*sec))
		r.Run(begin + 15*sec)
		if waiter.Acquired != 0 || r.sure(0) && r.Records(u.Hold, history.ServiceEnd) != nil {
			t.Fatalf("pause at %v: the other acquired at %v, valid %v", begin, waiter.Acquired, r.sure(0))
		}
		r.Run(begin + 15*sec + 4*hop)
		if r.sure(0) {
			survived++
			continue
		}
		lost++
		r.Run(120 * sec)
		end := r.Want(u.Hold, history.ServiceEnd)
		r.exactly("the grant", r.Want(waiter.Hold, history.Grant).At, end.At.Add(60*sec+commit))
	}
	// The session lasts 18.3 s from a KeepAlive on, which comes every 8.3 s: it outlives the pause
	// if that begins in the first 3.3 s.
	if survived < 15 || survived > 17 || survived+lost != 40 {
		t.Errorf("%d sessions survived and %d were lost, want 40 %% of 40", survived, lost)
	}
}

// A pause that is longer than lease and lock-delay is the takeover: the other gets in while the
// holder sleeps. The holder's library knows as soon as it looks at its clock.
func TestPauseBeyondTheLockDelay(t *testing.T) {
	r := newRig(t, 2, map[string]int64{"ttl": int64(10 * sec)})
	u, waiter := r.Lock(0, sec, 0), r.Lock(1, 2*sec, 0)
	r.Run(15 * sec)
	r.Env.Clients[0].Pause(sim.Time(110 * sec))
	r.Run(110*sec - 1)
	if waiter.Acquired == 0 || waiter.Token != u.Token+1 {
		t.Fatalf("the other acquired at %v, tokens %d and %d", waiter.Acquired, u.Token, waiter.Token)
	}
	r.Run(110 * sec)
	if r.sure(0) {
		t.Error("the holder is sure when it wakes")
	}
}

// Without a lock-delay the same pause of 15 s lets the other in, as soon as the session ends.
func TestNoLockDelay(t *testing.T) {
	r := newRig(t, 2, lease(10*sec, 0))
	r.Lock(0, sec, 0)
	waiter := r.Lock(1, 2*sec, 0)
	r.Run(17 * sec)
	r.Env.Clients[0].Pause(sim.Time(32 * sec))
	r.Run(32*sec - 1)
	// Created at 1 s, extended at 9.3 and 17.7 s; that reply came in the pause.
	r.within("acquired", waiter.Acquired, sim.Time(27*sec+600*ms), sim.Time(27*sec+800*ms))
}

// A master's clock may be faster than the client's by the bound of 1 %, and without a lock-delay
// the client is still not sure any more when the next is let in. Beyond the bound it may be: at
// 3 % its local lease lasts 22/1.01/0.97 = 22.5 s from its last KeepAlive, the master's 22 s.
// That takes a client whose next KeepAlive is lost while its replies arrive. Were the KeepAlive
// in the master's hand, the session would last for ten seconds more than the client knows of.
func TestClockBound(t *testing.T) {
	for _, c := range []struct {
		ppb  int64
		both bool
	}{{-9_000_000, false}, {0, false}, {20_000_000, false}, {-30_000_000, true}} {
		r := newRig(t, 2, lease(12*sec, 0))
		r.Env.Clients[0].SetRate(c.ppb)
		r.Lock(0, sec, 0)
		waiter := r.Lock(1, 2*sec, 0)
		r.Run(5 * sec)
		for i := range 5 {
			r.Cut(r.Env.Clients[0], r.Server("chubby", i))
		}
		for waiter.Acquired == 0 && r.World.Now() < sim.Time(60*sec) {
			r.Run(r.World.Now().Duration() + ms)
		}
		if both := r.sure(0) && r.sure(1); both != c.both {
			t.Errorf("client slower by %d ppb: both are sure %v, want %v", -c.ppb, both, c.both)
		}
	}
}
