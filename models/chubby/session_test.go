package chubby

import (
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// A client that begins with the world finds a master as one that comes later does, who needs two
// round trips for it and its session's epoch. The first election takes three, and the epoch a
// commit.
func TestClientAtTheStart(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 0)
	r.Run(sec)
	r.within("acquired", u.Acquired, sim.Time(8*hop), sim.Time(30*hop))
}

// A session is created one commit after the master has the request; its lease is 12 s. The
// KeepAlive that follows at once is held until a sixth of the lease is left, and so is every
// later one: the lease is extended every 10 s, to 12 s from then (2.8).
func TestKeepAliveIsHeldUntilTheLeaseIsCloseToItsEnd(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, sec, 0)
	r.Run(100 * sec)
	// Locate, a call that is told the epoch, and the request: three round trips but one hop.
	created := sim.Time(sec + 5*hop + commit)
	grant := r.Want(u.Hold, history.Grant)
	r.exactly("promise", grant.Until, created.Add(12*sec))
	if u.Token != 1 || grant.Token != 1 {
		t.Errorf("tokens %d and %d, want 1", u.Token, grant.Token)
	}
	promises := r.Records(u.Hold, history.Promise)
	if len(promises) != 9 {
		t.Fatalf("%d extensions in 100 s, want 9", len(promises))
	}
	for i, rec := range promises {
		// The master confirms its own lease first, a round trip.
		want := created.Add(10*sec*(1+time.Duration(i)) + 2*hop*(1+time.Duration(i)))
		r.exactly("extension", rec.At, want)
		r.exactly("promise", rec.Until, want.Add(12*sec))
	}
}

// The local lease is what the client is sure of: it had sent the KeepAlive, the master held it
// for h, and the lease lasts 12 s from then, all of it on a clock that may be slower than the
// master's by 1 % (2.8). It ends before the master's lease.
func TestLocalLeaseIsConservative(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, sec, 0)
	r.Run(15 * sec)
	r.cutOff(0)
	extended := r.extensions(u)[0]
	sent := u.Acquired.Add(-4 * hop) // with the acquire
	held := extended.Sub(sent.Add(hop))
	local := sent.Add(slowest(held, 10_000) + slowest(12*sec, 10_000))
	if margin := extended.Add(12 * sec).Sub(local); margin < 200*ms || margin > 230*ms {
		t.Errorf("the local lease ends %v before the master's, want 1 %% of 22 s", margin)
	}
	r.Run(local.Duration() - 1)
	if got := r.ask(0); got != (answers{Valid: true}) {
		t.Errorf("right before the end of the local lease: %+v", got)
	}
	r.Run(local.Duration())
	if got := r.ask(0); got != (answers{InDoubt: true}) {
		t.Errorf("at the end of the local lease: %+v", got)
	}
	r.Run(local.Duration() + 1)
	if at := r.notes(u, "session in jeopardy"); len(at) != 1 || at[0] != local {
		t.Errorf("jeopardy at %v, want %v", at, local)
	}
}

func TestSlowestClock(t *testing.T) {
	for _, c := range []struct {
		d     time.Duration
		bound int64
		want  time.Duration
	}{{12 * sec, 0, 12 * sec}, {12 * sec, 10_000, 11_881_188_118}, {2_020_000, 10_000, 2_000_000}, {1, 50_000, 0}} {
		if got := slowest(c.d, c.bound); got != c.want {
			t.Errorf("%v at %d ppm: %v, want %v", c.d, c.bound, got, c.want)
		}
	}
}

// A client that is cut off loses nothing if it is back before the master has ended its session:
// it is in jeopardy from the end of its local lease until its first KeepAlive is answered. A
// call that it makes meanwhile blocks and then succeeds.
func TestJeopardyBlocksCallsUntilTheSessionIsSafe(t *testing.T) {
	r := newRig(t, 2, nil)
	u := r.Lock(0, sec, 24*sec)
	r.Lock(1, 2*sec, 0)
	r.Run(15 * sec)
	heal := r.cutOff(0)
	r.Run(26 * sec) // the local lease has ended at 22.8 s; the program calls Release at 25 s
	if u.Released != 0 || r.ask(0) != (answers{InDoubt: true}) {
		t.Fatalf("released at %v, %+v", u.Released, r.ask(0))
	}
	heal()
	r.Run(40 * sec)
	safe := r.notes(u, "session safe")
	// It waits 3 s for the master, 3 s for some replica to tell who that is, and asks again. The
	// master, who has extended the session at 21 s, answers at once, since the client's lease is
	// over: a round trip, and one for the master lease.
	back := sim.Time(r.notes(u, "session in jeopardy")[0]).Add(6*sec + 4*hop)
	if len(safe) != 1 || safe[0] != back || u.Err != nil || u.Released < back {
		t.Errorf("safe at %v, want %v; released at %v: %v", safe, back, u.Released, u.Err)
	}
	if end := r.Want(u.Hold, history.ServiceEnd); end.Text != "released" {
		t.Errorf("ended %q", end.Text)
	}
}

// When the grace period is over, 45 s after the end of the local lease, the session has expired
// for the client whatever the master thinks, and calls fail.
func TestGracePeriodEnds(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, sec, 30*sec)
	r.Run(15 * sec)
	end := r.library(0).session.lease
	r.cutOff(0)
	r.Run(100 * sec)
	expired := r.notes(u, tooLate)
	if len(expired) != 1 || expired[0] != sim.Time(end).Add(45*sec) {
		t.Errorf("expired at %v, the local lease ended at %v", expired, end)
	}
	if u.Err != errExpired || u.Released != expired[0] {
		t.Errorf("the release came back at %v: %v", u.Released, u.Err)
	}
	if got := r.ask(0); got != (answers{}) {
		t.Errorf("after the grace period: %+v", got)
	}
}

// Settle returns when the library knows, and Valid then tells.
func TestSettle(t *testing.T) {
	for _, survives := range []bool{true, false} {
		r := newRig(t, 1, nil)
		r.Lock(0, sec, 0)
		r.Run(15 * sec)
		heal := r.cutOff(0)
		if survives {
			r.At(26*sec, heal)
		}
		var settled sim.Time
		var valid bool
		r.Env.Clients[0].Go("client", func(p *host.Process) {
			p.Sleep(10 * sec)
			l := r.Lockers[0].(models.Suspender)
			l.Settle(p)
			settled, valid = r.World.Now(), l.Valid(p)
		})
		r.Run(100 * sec)
		if valid != survives || settled < sim.Time(26*sec) {
			t.Errorf("settled at %v, valid %v, want %v", settled, valid, survives)
		}
	}
}

// The reply to a KeepAlive that lay in the client's buffer through a pause extends nothing: it
// is reckoned from when it was sent, and not from when it was read.
func TestStaleReplyExtendsNothing(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, sec, 0)
	r.Run(15 * sec)
	r.Env.Clients[0].Pause(sim.Time(45 * sec)) // the reply comes at 21 s, the session ends at 33 s
	r.Run(45 * sec)
	if got := r.ask(0); got != (answers{InDoubt: true}) {
		t.Errorf("on waking: %+v", got)
	}
	r.Run(45*sec + 10*ms)
	if got := r.ask(0); got != (answers{}) {
		t.Errorf("after one exchange: %+v", got)
	}
	if at := r.notes(u, unknown); len(at) != 1 || at[0] != sim.Time(45*sec+2*hop) {
		t.Errorf("expired at %v, want a round trip after waking", at)
	}
}
