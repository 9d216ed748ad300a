package chubby

import (
	"testing"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// crashMaster crashes the master at an instant, and runs until its successor reigns.
func (r *rig) crashMaster(at sim.Time) (successor sim.Time) {
	r.t.Helper()
	r.Run(at.Duration())
	r.Server("chubby", r.master()).Crash(host.LoseMemory)
	return r.awaitMaster(at.Add(electionTime).Duration())
}

// A fail-over costs a live holder nothing but a delay: the election takes 4 to 7 s,
// the session is in jeopardy from the end of the local lease, and within the grace period the
// library finds the new master, is told the new epoch and of the fail-over, and is safe. The
// lock has the same generation (2.9, figure 2).
func TestFailoverKeepsTheSession(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		r := newRig(t, 2, nil)
		r.Reset(seed)
		u, waiter := r.Lock(0, sec, 60*sec), r.Lock(1, 2*sec, 0)
		crash := sim.Time(12*sec) + sim.Time(seed)*sim.Time(450*ms)
		reign := r.crashMaster(crash)
		r.within("the new master", reign, crash.Add(4*sec), crash.Add(7*sec))
		r.Run(60 * sec)
		jeopardy, safe := r.notes(u, "session in jeopardy"), r.notes(u, "session safe")
		if len(jeopardy) != 1 || len(safe) != 1 || safe[0] < jeopardy[0] || safe[0] < reign {
			t.Fatalf("seed %d: crash %v, reign %v, jeopardy %v, safe %v", seed, crash, reign, jeopardy, safe)
		}
		if !r.sure(0) || waiter.Acquired != 0 {
			t.Fatalf("seed %d: valid %v, the other acquired %v", seed, r.sure(0), waiter.Acquired)
		}
		r.Run(90 * sec)
		if u.Err != nil || waiter.Token != 2 {
			t.Errorf("seed %d: release %v, the other's token %d", seed, u.Err, waiter.Token)
		}
	}
}

// While there is no master no lease runs out, and the new one extends each to what its
// predecessor may have promised (2.9, step 3): a holder that died with the master keeps the
// lock for a whole lease of the new master's time, and the lock-delay.
func TestFailoverStopsTheLeaseTime(t *testing.T) {
	r := newRig(t, 2, lease(12*sec, 5*sec))
	u, waiter := r.Lock(0, sec, 0), r.Lock(1, 2*sec, 0)
	r.At(20*sec, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
	reign := r.crashMaster(sim.Time(20 * sec))
	r.Run(120 * sec)
	r.within("the end", r.Want(u.Hold, history.ServiceEnd).At, reign.Add(12*sec-ms), reign.Add(12*sec+commit))
	r.exactly("the grant", r.Want(waiter.Hold, history.Grant).At, r.Want(u.Hold, history.ServiceEnd).At.Add(5*sec+commit))
}

// The lock-delay starts anew with a new master, which cannot know how much of it is over.
func TestFailoverStartsTheLockDelayAnew(t *testing.T) {
	r := newRig(t, 2, lease(12*sec, 30*sec))
	u, waiter := r.Lock(0, sec, 0), r.Lock(1, 2*sec, 0)
	r.At(20*sec, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
	r.Run(50 * sec)
	freed := r.Want(u.Hold, history.ServiceEnd).At
	reign := r.crashMaster(sim.Time(52 * sec)) // the delay would be over at 63 s
	r.Run(150 * sec)
	granted := r.Want(waiter.Hold, history.Grant).At
	r.within("the grant", granted, reign.Add(30*sec-ms), reign.Add(30*sec+commit))
	if granted < freed.Add(30*sec) || granted > sim.Time(20*sec+takeover(r.Env.Params)) {
		t.Errorf("freed at %v, granted at %v", freed, granted)
	}
}

// A new master serves no call before every session has acknowledged the fail-over or has ended
// (2.9, step 6). Here the lock is free, and the session of a dead client keeps it from others.
func TestNewMasterWaitsForEverySession(t *testing.T) {
	for _, dead := range []bool{false, true} {
		r := newRig(t, 3, nil)
		r.Lock(2, sec, sec)
		late := r.Lock(1, 40*sec, 0)
		reign := r.crashMaster(sim.Time(30 * sec))
		if dead {
			r.Env.Clients[2].Crash(host.LoseMemory)
		}
		r.Run(60 * sec)
		if dead {
			r.within("acquired", late.Acquired, reign.Add(12*sec), reign.Add(12*sec+10*ms))
		} else {
			r.within("acquired", late.Acquired, sim.Time(40*sec), sim.Time(41*sec))
		}
	}
}

// It is the client's word that acknowledges the fail-over: one that the news does not reach
// keeps everybody else waiting, however often it asks.
func TestNewMasterWaitsForTheAcknowledgement(t *testing.T) {
	r := newRig(t, 2, nil)
	r.Lock(0, sec, sec)
	late := r.Lock(1, 40*sec, 0)
	reign := r.crashMaster(sim.Time(30 * sec))
	deaf := &network.Rule{From: r.Server("chubby", r.master()).ID, To: r.Env.Clients[0].ID, Op: OpKeepAliveReply, Cut: true}
	r.Net.Impose(deaf)
	r.Run(reign.Duration() + 30*sec)
	if late.Acquired != 0 {
		t.Fatalf("acquired at %v", late.Acquired)
	}
	r.Net.Lift(deaf)
	r.Run(reign.Duration() + 40*sec)
	r.within("acquired", late.Acquired, reign.Add(30*sec), reign.Add(37*sec))
}

// A master that lost its mastership and still runs sends the clients away whose KeepAlives it
// holds. They find its successor before their leases are over, and see nothing but the epoch
// and the news of the fail-over, which the new master delivers at once (2.9).
func TestDeposedMasterSendsItsClientsAway(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, sec, 0)
	r.Run(12 * sec)
	r.isolate(0)
	reign := r.awaitMaster(20 * sec)
	r.Run(40 * sec)
	if at := r.notes(u, "session in jeopardy"); len(at) != 0 {
		t.Errorf("in jeopardy at %v", at)
	}
	// Deposed by its next check that a quorum answers, every 4.8 s.
	r.within("told by the new master", r.extensions(u)[1], reign, sim.Time(12*sec+2*4800*ms).Add(2*sec))
	if !r.sure(0) {
		t.Error("the session was lost")
	}
}

// A call of an earlier epoch has no effect on a new master (2.9, step 1): the release that was
// meant for its predecessor and comes late is refused, and the next one, which the library
// sends once its session is safe, is served.
func TestOldEpochIsRefused(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, sec, 0)
	reign := r.crashMaster(sim.Time(20 * sec))
	master := r.Server("chubby", r.master())
	refused := func(epoch int64) (op *network.Op) {
		r.Env.Clients[0].Go("late", func(p *host.Process) {
			reply, _ := p.Call(master.Addr(), network.Body{Op: OpRelease, Key: r.library(0).session.id, Token: u.Token, Revision: epoch}, sec)
			op = reply.Op
		})
		r.Run(r.World.Now().Duration() + 50*ms)
		return op
	}
	r.Run(reign.Add(ms).Duration())
	if op := refused(1); op != OpEpoch {
		t.Errorf("a call of the first epoch is answered with %v", op)
	}
	if op := refused(99); op != OpNotMaster {
		t.Errorf("a call of a later epoch is answered with %v", op)
	}
	if r.Records(u.Hold, history.ServiceEnd) != nil {
		t.Error("the lock was released")
	}
}

// What an earlier master proposed and its successor finds in the log does nothing after the
// successor's epoch.
func TestCommandOfAnEarlierEpoch(t *testing.T) {
	d := database{}
	d.apply(1, command{kind: newEpoch, epoch: 1})
	d.apply(2, command{kind: createSession, epoch: 1})
	d.apply(3, command{kind: newEpoch, epoch: 2})
	if d.apply(4, command{kind: expireSession, epoch: 1, session: 2}) || len(d.sessions) != 1 {
		t.Error("the expiry of an earlier master ended a session")
	}
	if !d.apply(5, command{kind: acquireLock, epoch: 2, session: 2}) || d.lock.generation != 1 {
		t.Errorf("lock %+v", d.lock)
	}
	if d.apply(6, command{kind: releaseLock, epoch: 2, session: 2, generation: 7}) {
		t.Error("the release of another holding was carried out")
	}
}

// A master that is cut off from the other replicas but not from its client extends no lease
// once its own is over, since it cannot have it confirmed; the client is not sure any more when
// the new master lets another in, even without a lock-delay.
func TestCutOffMasterExtendsNothing(t *testing.T) {
	for begin := 12 * sec; begin < 22*sec; begin += 700 * ms {
		r := newRig(t, 2, lease(12*sec, 0))
		u, waiter := r.Lock(0, sec, 0), r.Lock(1, 2*sec, 0)
		r.Run(begin)
		r.isolate(0)
		for i := range 4 { // and the holder reaches nobody but the old master
			r.Cut(r.Env.Clients[0], r.Server("chubby", i+1))
		}
		for waiter.Acquired == 0 && r.World.Now() < sim.Time(80*sec) {
			if r.Run(r.World.Now().Duration() + 10*ms); r.sure(0) && waiter.Acquired != 0 {
				t.Fatalf("cut at %v: both are sure at %v", begin, r.World.Now())
			}
		}
		for _, at := range r.extensions(u) {
			if at > sim.Time(begin+masterLease) {
				t.Errorf("cut at %v: extended at %v", begin, at)
			}
		}
		if waiter.Acquired == 0 {
			t.Errorf("cut at %v: the other did not get in", begin)
		}
	}
}

// A call whose reply is lost is made again after 3 s, and has been done once: the lock is not
// taken twice, and the second release finds nothing to do.
func TestLostReplies(t *testing.T) {
	r := newRig(t, 2, nil)
	lose := func(op *network.Op, until sim.Time) {
		rule := &network.Rule{From: r.Server("chubby", 0).ID, To: r.Env.Clients[0].ID, Op: op, Cut: true}
		r.Net.Impose(rule)
		r.At(until.Duration(), func() { r.Net.Lift(rule) })
	}
	u, waiter := r.Lock(0, sec, 5*sec), r.Lock(1, 2*sec, 0)
	lose(OpAcquired, sim.Time(2*sec))
	lose(OpReleased, sim.Time(10*sec))
	r.Run(20 * sec)
	grant, end := r.Want(u.Hold, history.Grant), r.Want(u.Hold, history.ServiceEnd)
	r.exactly("acquired", u.Acquired, grant.At.Add(3*sec+hop+commit-hop-commit+hop))
	r.exactly("released", u.Released, u.Acquired.Add(5*sec+3*sec+hop+commit+hop))
	if u.Err != nil || end.Text != "released" || u.Token != 1 || waiter.Token != 2 {
		t.Errorf("release %v, ended %q, tokens %d and %d", u.Err, end.Text, u.Token, waiter.Token)
	}
	r.exactly("the other", r.Want(waiter.Hold, history.Grant).At, end.At.Add(commit))
}
