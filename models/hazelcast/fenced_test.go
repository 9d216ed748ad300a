package hazelcast

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// A client that begins with the world finds a leader as one that comes later does.
func TestClientAtTheStart(t *testing.T) {
	r := newRig(t, 2)
	first, second := r.Lock(0, 0, 50*ms), r.Lock(1, 0, 0)
	r.Run(sec)
	r.within("acquired", first.Acquired, sim.Time(8*hop), sim.Time(30*hop))
	r.within("acquired", second.Acquired, first.Acquired.Add(50*ms), first.Acquired.Add(60*ms))
}

// The fence is the commit index of the lock request, also for one that waits. Entries: the
// empty one of the term and the term's command, a session and a request each.
func TestFenceIsTheCommitIndexOfTheRequest(t *testing.T) {
	r := newRig(t, 3)
	u := r.Lock(0, sec, 20*sec)
	second, first := r.Lock(1, 3*sec, sec), r.Lock(2, 2*sec, sec)
	r.Run(30 * sec)
	if u.Token != 4 || first.Token != 6 || second.Token != 8 {
		t.Errorf("fences %d, %d and %d, want 4, 6 and 8", u.Token, first.Token, second.Token)
	}
	r.exactly("handed over", r.Want(first.Hold, history.Grant).At, r.Want(u.Hold, history.ServiceEnd).At)
	r.exactly("handed over", r.Want(second.Hold, history.Grant).At, r.Want(first.Hold, history.ServiceEnd).At)
}

// A session in use is kept by a heartbeat every 5 s, which is committed; what it promises is
// 300 s from then, by a clock of milliseconds.
func TestHeartbeats(t *testing.T) {
	r := newRig(t, 1)
	u := r.Lock(0, sec, 60*sec)
	r.Run(100 * sec)
	promises := r.Records(u.Hold, history.Promise)
	if len(promises) != 11 && len(promises) != 12 { // none while it is not in use
		t.Fatalf("%d heartbeats in 60 s, want 11 or 12", len(promises))
	}
	for i, rec := range promises {
		created := sim.Time(sec + hop + commit + hop)
		r.exactly("heartbeat", rec.At, created.Add(time.Duration(i+1)*5*sec+hop+commit))
		r.exactly("promise", rec.Until, rec.At.Add(300*sec-ms))
	}
}

// A holder that crashes keeps the lock until the leader finds its session over, which it looks
// for every second, and has committed that.
func TestCrashedHolder(t *testing.T) {
	for _, ttl := range []time.Duration{10 * sec, 300 * sec} {
		r := newRig(t, 2, "ttl", ttl)
		u, waiter := r.Lock(0, sec, 0), r.Lock(1, 2*sec, 0)
		r.At(18*sec, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
		r.Run(400 * sec)
		beat := r.last(u, history.Promise).At
		end := r.Want(u.Hold, history.ServiceEnd)
		if end.Text != "expired" {
			t.Errorf("ended %q", end.Text)
		}
		r.within("the end", end.At, beat.Add(ttl-ms), beat.Add(ttl+checkInterval+commit))
		r.exactly("the grant", r.Want(waiter.Hold, history.Grant).At, end.At)
		if waiter.Token <= u.Token || end.At > sim.Time(18*sec+quietTakeover(r.Env.Params)) {
			t.Errorf("fences %d and %d, end at %v", u.Token, waiter.Token, end.At)
		}
	}
}

// A holder that sleeps past its TTL finds nothing when it wakes: its library knows after its
// next heartbeat, which is overdue, and its unlock throws without asking. Somebody else has
// had the lock since, with a higher fence.
func TestPausedHolderIsToldByItsNextHeartbeat(t *testing.T) {
	r := newRig(t, 2, "ttl", 10*sec)
	u, waiter := r.Lock(0, sec, 42*sec), r.Lock(1, 2*sec, 0)
	r.At(20*sec, func() { r.Env.Clients[0].Pause(sim.Time(40 * sec)) })
	r.Run(40 * sec)
	if waiter.Acquired == 0 || waiter.Token <= u.Token || !r.valid(0) {
		t.Fatalf("the other acquired at %v; valid on waking %v", waiter.Acquired, r.valid(0))
	}
	r.Run(40*sec + 2*hop + commit)
	if r.valid(0) {
		t.Error("valid after a heartbeat")
	}
	r.Run(50 * sec)
	if u.Err != errOwnershipLost || u.Released != sim.Time(u.Acquired).Add(42*sec) {
		t.Errorf("unlock at %v: %v", u.Released, u.Err)
	}
}

// Sessions end by the leader's wall clock. A step by the TTL ends them at its next look, within
// a second, although the holder is well. With a heartbeat every 5 s of a TTL of 20 s, a step
// of less than 15 s does nothing. A follower's clock decides nothing.
func TestStepOfTheLeadersWallClock(t *testing.T) {
	for _, c := range []struct {
		server int
		step   time.Duration
		ends   bool
	}{{0, 20 * sec, true}, {0, 14 * sec, false}, {1, 3600 * sec, false}, {0, -3600 * sec, false}} {
		r := newRig(t, 2, "ttl", 20*sec)
		u, waiter := r.Lock(0, sec, 0), r.Lock(1, 2*sec, 0)
		r.Run(30 * sec)
		r.server(c.server).Clock.Step(c.step)
		r.Run(60 * sec)
		if ended := len(r.Records(u.Hold, history.ServiceEnd)) > 0; ended != c.ends {
			t.Errorf("member %d, step %v: ended %v", c.server+1, c.step, ended)
			continue
		}
		if !c.ends {
			continue
		}
		end := r.Want(u.Hold, history.ServiceEnd)
		r.within("the end", end.At, sim.Time(30*sec), sim.Time(31*sec+commit))
		if promised := r.last(u, history.Promise).Until; promised < end.At.Add(10*sec) || waiter.Acquired == 0 {
			t.Errorf("promised until %v, the other acquired at %v", promised, waiter.Acquired)
		}
		if told := r.Records(u.Hold, history.Note); len(told) != 1 || told[0].At > end.At.Add(5*sec+4*hop) {
			t.Errorf("the holder is told %+v", told)
		}
	}
}

// A wall clock that is set back keeps a dead holder's session for as much longer.
func TestLeadersWallClockSetBack(t *testing.T) {
	r := newRig(t, 2, "ttl", 20*sec)
	u := r.Lock(0, sec, 0)
	r.Lock(1, 2*sec, 0)
	r.Run(30 * sec)
	r.Env.Clients[0].Crash(host.LoseMemory)
	r.server(0).Clock.Step(-60 * sec)
	r.Run(150 * sec)
	beat := r.last(u, history.Promise).At
	r.within("the end", r.Want(u.Hold, history.ServiceEnd).At, beat.Add(80*sec-ms), beat.Add(81*sec+commit))
}

// What a clock reads is of no matter, as long as it goes on from there: a session's end is
// reckoned, and looked for, on the same clock.
func TestWrongWallClock(t *testing.T) {
	r := newRig(t, 2, "ttl", 20*sec)
	r.server(0).Clock.Step(-3600 * sec)
	u := r.Lock(0, sec, 0)
	r.At(10*sec, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
	r.Run(100 * sec)
	beat := r.last(u, history.Promise).At
	r.within("the end", r.Want(u.Hold, history.ServiceEnd).At, beat.Add(20*sec-ms), beat.Add(21*sec+commit))
}

// A waiter whose session ends while it waits is told so, and asks again in a new one, even if
// its heartbeats go unanswered.
func TestWaiterWithDeadSessionAsksAgain(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		r := newRig(t, 2, "ttl", 10*sec)
		u, waiter := r.Lock(0, sec, 44*sec), r.Lock(1, 2*sec, 0)
		r.At(5*sec, func() { r.Env.Clients[1].Pause(sim.Time(30 * sec)) })
		if deaf {
			r.Net.Impose(&network.Rule{From: r.server(0).ID, To: r.Env.Clients[1].ID, Op: OpHeartbeatReply, Cut: true})
		}
		r.Run(60 * sec)
		r.exactly("handed over", r.Want(waiter.Hold, history.Grant).At, r.Want(u.Hold, history.ServiceEnd).At)
		r.exactly("acquired", waiter.Acquired, r.Want(waiter.Hold, history.Grant).At.Add(hop))
	}
}

// A hold that its client has begun to give back is promised nothing any more, although the
// session is kept alive.
func TestNoPromiseAfterTheReleaseHasBegun(t *testing.T) {
	r := newRig(t, 1)
	u := r.Lock(0, sec, 3*sec)
	r.Net.Hold(&network.Hold{From: r.Env.Clients[0].ID, To: r.server(0).ID, Op: OpUnlock, Until: sim.Time(30 * sec)})
	r.Run(40 * sec)
	if promises := r.Records(u.Hold, history.Promise); len(promises) != 0 || u.Err != nil {
		t.Errorf("%d promises; unlock %v", len(promises), u.Err)
	}
}

// A request whose reply is lost is repeated with the same identity, and answered with what it
// has got: the lock is not taken twice, and the second unlock does no harm to the next owner.
func TestRetriesAreTheSameRequest(t *testing.T) {
	r := newRig(t, 2, "timeout", 3*sec)
	lose := func(op *network.Op, until time.Duration) {
		rule := &network.Rule{From: r.server(0).ID, To: r.Env.Clients[0].ID, Op: op, Cut: true}
		r.Net.Impose(rule)
		r.At(until, func() { r.Net.Lift(rule) })
	}
	u, waiter := r.Lock(0, sec, 5*sec), r.Lock(1, 2*sec, 10*sec)
	lose(OpLockReply, 3*sec)
	lose(OpUnlockReply, 11*sec)
	r.Run(40 * sec)
	grant := r.Want(u.Hold, history.Grant)
	if u.Token != grant.Token || u.Acquired < grant.At.Add(3*sec) || u.Err != nil || u.Released > u.Acquired.Add(9*sec) {
		t.Errorf("acquired at %v with fence %d, granted %d; unlock at %v: %v", u.Acquired, u.Token, grant.Token, u.Released, u.Err)
	}
	if waiter.Err != nil || r.Want(waiter.Hold, history.ServiceEnd).At < waiter.Acquired.Add(10*sec) {
		t.Errorf("the next owner's unlock: %v", waiter.Err)
	}
}

// At most one side of a split is available: the leader that is cut off with the holder can commit
// nothing, the others elect another and end the session, and the holder hears nothing of that.
// Its library says that it is the owner for as long as its heartbeats get no answer. The client
// on the other side must not wait for the silent leader for longer than its own TTL.
func TestSplit(t *testing.T) {
	r := newRig(t, 2, "ttl", 40*sec, "timeout", 10*sec)
	u, waiter := r.Lock(0, sec, 0), r.Lock(1, 2*sec, 0)
	r.Run(10 * sec)
	heal := r.split([]*host.Host{r.server(0), r.Env.Clients[0]}, []*host.Host{r.server(1), r.server(2), r.Env.Clients[1]})
	r.Run(100 * sec)
	if waiter.Acquired == 0 || waiter.Token <= u.Token || !r.valid(0) || !r.valid(1) {
		t.Fatalf("acquired at %v, fences %d and %d; valid %v and %v", waiter.Acquired, u.Token, waiter.Token, r.valid(0), r.valid(1))
	}
	if promised, granted := r.last(u, history.Promise).Until, r.Want(waiter.Hold, history.Grant).At; granted < promised {
		t.Errorf("granted at %v, promised until %v", granted, promised)
	}
	heal()
	r.Run(180 * sec)
	if r.valid(0) {
		t.Error("the first holder is still valid")
	}
}

// Without a majority nobody gets the lock. A member's memory is gone with its process.
func TestLostMajority(t *testing.T) {
	r := newRig(t, 2)
	r.Run(2 * sec)
	for _, i := range []int{0, 1} {
		r.server(i).Crash(host.LoseMemory)
		r.server(i).Restart(false)
	}
	u := r.Lock(0, 3*sec, 0)
	r.Run(400 * sec)
	if u.Acquired != 0 {
		t.Errorf("acquired at %v", u.Acquired)
	}
}

// A session that is not in use has no heartbeats and is not used again a TTL after it was made.
func TestIdleSession(t *testing.T) {
	r := newRig(t, 1, "ttl", 20*sec)
	first := r.Lock(0, sec, sec)
	again := r.Lock(0, 10*sec, sec)
	late := r.Lock(0, 60*sec, sec)
	r.Run(100 * sec)
	// Entries: 2 of the term, session 3, lock 4, unlock 5, lock 6, unlock 7, the end of the
	// session 8 and again the second time it is looked for, a session and the lock.
	if first.Token != 4 || again.Token < 6 || again.Token > 8 || late.Token < again.Token+4 || late.Err != nil {
		t.Errorf("fences %d, %d and %d", first.Token, again.Token, late.Token)
	}
}
