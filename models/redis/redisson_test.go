package redis

import (
	"errors"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

func newRedissonRig(t *testing.T, clients int, params map[string]int64) *rig {
	all := map[string]int64{"client": redissonClient}
	for name, v := range params {
		all[name] = v
	}
	return newRig(t, clients, all)
}

func (r *rig) promises(hold history.HoldID) (all []history.Record) {
	return r.Records(hold, history.Promise)
}

// A waiter is told of the release: the unlock is served at 1.003 s, the message is there at
// 1.004 s, and the waiter has the lock after one more round trip.
func TestRedissonWakesAWaiter(t *testing.T) {
	r := newRedissonRig(t, 2, nil)
	first, next := r.Lock(0, 0, second), r.Lock(1, 100*ms, second)
	r.Run(5 * second)
	r.ended(t, first, 1003*ms, "released")
	equal(t, "acquired", next.Acquired, at(1006*ms))
	if first.Err != nil || next.Err != nil || len(r.server().subscribers) != 0 {
		t.Errorf("released with %v and %v, subscribed %v", first.Err, next.Err, r.server().subscribers)
	}
	r.Sound()
}

// All waiters are told, one of them gets in, and the others wait again.
func TestRedissonWakesAll(t *testing.T) {
	r := newRedissonRig(t, 4, nil)
	r.Lock(0, 0, second)
	second1, second2, second3 := r.Lock(1, 100*ms, second), r.Lock(2, 100*ms, second), r.Lock(3, 100*ms, second)
	r.Run(8 * second)
	equal(t, "the first", second1.Acquired, at(1006*ms))
	equal(t, "the second", second2.Acquired, at(2010*ms))
	equal(t, "the third", second3.Acquired, at(3014*ms))
	r.Sound()
}

// Without a message a waiter sleeps for the time to live that it was told: the script that is
// served at 105 ms says 9896 ms, the waiter has that at 106 ms, sleeps until 10.002 s, and
// its next script is served at 10.003 s, when the key of 10.001 s is gone.
func TestRedissonWaiterSleepsForTheLease(t *testing.T) {
	r := newRedissonRig(t, 2, nil)
	holder, next := r.Lock(0, 0, 0), r.Lock(1, 100*ms, 0)
	r.At(second, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
	r.Run(11 * second)
	r.ended(t, holder, 10_003*ms, "expired")
	equal(t, "acquired", next.Acquired, at(10_004*ms))
	r.Sound()
}

// A message that is lost leaves the waiter asleep until then, with the lock free.
func TestRedissonMissesAMessage(t *testing.T) {
	r := newRedissonRig(t, 2, nil)
	holder, next := r.Lock(0, 0, second), r.Lock(1, 100*ms, 0)
	r.deaf(1, second, 2*second)
	r.Run(11 * second)
	r.ended(t, holder, 1003*ms, "released")
	equal(t, "acquired", next.Acquired, at(10_004*ms))
	r.Sound()
}

// A message that comes while the script is under way is not missed: the latch has it. The
// reply to the second script is held until 200 ms, and the unlock is served at 150 ms.
func TestRedissonMessageDuringTheScript(t *testing.T) {
	r := newRedissonRig(t, 2, nil)
	r.Lock(0, 0, 147*ms)
	next := r.Lock(1, 100*ms, 0)
	r.At(104500*time.Microsecond, func() {
		r.Net.Hold(&network.Hold{From: r.Server("redis", 0).ID, To: r.Env.Clients[1].ID, Op: OpReply, Until: at(200 * ms), Count: 1})
	})
	r.Run(second)
	equal(t, "acquired", next.Acquired, at(202*ms))
}

// A message of an earlier wait wakes nobody later: its copy comes while client 2 holds the
// lock, and when client 2 waits the next time, it asks before its subscription and after it,
// and no third time.
func TestRedissonForgetsOldMessages(t *testing.T) {
	r := newRedissonRig(t, 2, nil)
	r.Net.Impose(&network.Rule{From: r.Server("redis", 0).ID, To: r.Env.Clients[1].ID, Op: OpUnlocked,
		Duplicate: rng.Chance{Num: 1, Den: 1}, Again: rng.Constant(100 * ms)})
	r.Lock(0, 0, second)
	r.Lock(0, 3*second, 0)
	first, next := r.Recorder.NewHold(1, 2), r.Recorder.NewHold(1, 2)
	scripts := 0
	var count func()
	count = func() { scripts++; r.OnStep(1, "acquire.send", count) }
	r.Env.Clients[1].Go("client 2", func(p *host.Process) {
		p.Sleep(100 * ms)
		if _, err := r.Lockers[1].Acquire(p, first); err != nil {
			t.Error(err)
		}
		p.Sleep(second)
		_ = r.Lockers[1].Release(p)
		p.Sleep(2 * second)
		r.OnStep(1, "acquire.send", count)
		_, _ = r.Lockers[1].Acquire(p, next)
	})
	r.Run(6 * second)
	if scripts != 2 {
		t.Errorf("the script was run %d times", scripts)
	}
}

// A server that starts anew knows of no subscription: the waiter sleeps for the lease.
func TestRedissonSubscriptionEndsWithTheServer(t *testing.T) {
	r := newRedissonRig(t, 2, map[string]int64{"persistence": int64(Always)})
	r.Lock(0, 0, 3*second)
	next := r.Lock(1, 100*ms, 0)
	r.crash(second, host.LoseUnsynced)
	r.Run(11 * second)
	equal(t, "acquired", next.Acquired, at(10_004*ms))
	r.Sound()
}

// A lock that has expired takes its entries along.
func TestRedissonEntriesEndWithTheLease(t *testing.T) {
	r := newRedissonRig(t, 2, map[string]int64{"watchdog": 1})
	r.Lock(0, 0, 0)
	next := r.Lock(1, 11*second, second)
	r.Run(13 * second)
	r.ended(t, next, 12_003*ms, "released")
}

// A copy of the script that comes after the unlock takes the lock for nobody.
func TestRedissonScriptAfterTheUnlock(t *testing.T) {
	r := newRedissonRig(t, 1, nil)
	r.duplicate(0, OpLock, 2*second)
	u := r.Lock(0, 0, second)
	r.Run(15 * second)
	if got := kinds(r.Records(u.Hold, history.Grant, history.ReleaseBegin)); len(got) != 4 || got[3] != history.ReleaseBegin {
		t.Errorf("kinds %v, want a grant that is given back at once", got)
	}
}

// The entry counts: the same thread enters again while its first lock was never answered.
// lock() throws after 3 s, and the key stays. The next lock() enters it a second time at 4 s,
// and one unlock() leaves it locked, for a TTL from then on.
func TestRedissonEntersItsOwnLock(t *testing.T) {
	r := newRedissonRig(t, 2, nil)
	r.deaf(0, 0, 100*ms)
	lost := r.try(0, 0)
	again := r.Lock(0, 4*second, second)
	next := r.Lock(1, 6*second, 0)
	r.Run(20 * second)
	if !errors.Is(lost.err, models.ErrNotAcquired) || !errors.Is(lost.err, host.ErrTimeout) {
		t.Errorf("err %v", lost.err)
	}
	equal(t, "thrown", lost.done, at(3*second))
	if end := r.Want(lost.hold, history.ServiceEnd); end.Text != Reentered || end.At != at(4001*ms) {
		t.Errorf("the first hold ended at %v (%s)", end.At, end.Text)
	}
	equal(t, "entered", r.Want(again.Hold, history.Grant).At, at(4001*ms))
	if again.Err != nil {
		t.Errorf("unlocked with %v", again.Err)
	}
	// The unlock is served at 5.003 s, and the lease of 10 s begins anew.
	end := r.Want(again.Hold, history.ServiceEnd)
	between(t, "the lock is gone", end.At, at(15_003*ms), at(15_100*ms))
	between(t, "client 2", next.Acquired, end.At, end.At.Add(100*ms))
	r.Sound()
}

// A copy of the script enters a second time.
func TestRedissonScriptTwice(t *testing.T) {
	r := newRedissonRig(t, 1, nil)
	r.duplicate(0, OpLock, 100*ms)
	u := r.Lock(0, 0, second)
	r.Run(30 * second)
	r.ended(t, u, 11_100*ms, "expired") // unlocked at 1.003 s, to one entry
}

// A copy of an unlock does nothing while its latch is there, which is for 4·(3 s + 1.5 s) if the
// answer is lost: it leaves the lock alone that the same thread has taken since.
func TestRedissonUnlockTwice(t *testing.T) {
	for late, taken := range map[time.Duration]bool{17 * second: false, 19 * second: true} {
		r := newRedissonRig(t, 1, nil)
		r.duplicate(0, OpUnlock, late)
		u, next := r.Lock(0, 0, second), r.Lock(0, 5*second, 25*second)
		r.cut(r.Server("redis", 0), r.Env.Clients[0], second, 1500*ms)
		r.Run(29 * second)
		if !errors.Is(u.Err, host.ErrTimeout) || next.Acquired == 0 {
			t.Errorf("unlocked with %v, locked again at %v", u.Err, next.Acquired)
		}
		if got := len(r.Records(next.Hold, history.ServiceEnd)) > 0; got != taken {
			t.Errorf("a copy that is %v late has taken the next lock: %t, want %t", late, got, taken)
		}
	}
}

// The owner is the thread and not the acquisition: a copy of an unlock that comes after the
// client has deleted the latch takes the lock that the same thread has taken since.
func TestRedissonLateUnlock(t *testing.T) {
	r := newRedissonRig(t, 2, nil)
	r.duplicate(0, OpUnlock, second)
	r.Lock(0, 0, second) // unlocked at 1.003 s, and once more at 2.003 s
	victim, next := r.Lock(0, 1500*ms, 5*second), r.Lock(1, 1600*ms, 0)
	r.Run(10 * second)
	r.ended(t, victim, 2003*ms, "released")
	equal(t, "client 2 is let in", next.Acquired, at(2006*ms))
	if !errors.Is(victim.Err, models.ErrNotHeld) || !r.Grants.Violated() || !r.Exclusion.Violated() {
		t.Errorf("unlocked with %v", victim.Err)
	}
}

// unlock() of a lock that is lost throws.
func TestRedissonUnlockOfALostLock(t *testing.T) {
	r := newRedissonRig(t, 2, map[string]int64{"watchdog": 1})
	late, next := r.Lock(0, 0, 12*second), r.Lock(1, second, 5*second)
	r.Run(14 * second)
	if !errors.Is(late.Err, models.ErrNotHeld) || len(r.Records(next.Hold, history.ServiceEnd)) != 0 {
		t.Errorf("unlocked with %v", late.Err)
	}
}

// unlock() without a reply throws, and is not sent again.
func TestRedissonUnlockIsSentOnce(t *testing.T) {
	r := newRedissonRig(t, 1, nil)
	u := r.Lock(0, 0, second)
	r.mute(0, second, 1500*ms)
	r.Run(30 * second)
	if !errors.Is(u.Err, host.ErrTimeout) || u.Released != at(4002*ms) {
		t.Errorf("came back at %v with %v", u.Released, u.Err)
	}
	if n := len(r.promises(u.Hold)); n != 1 { // at 3.335 s, before unlock() has thrown
		t.Errorf("renewed %d times", n)
	}
	r.ended(t, u, 13_400*ms, "expired") // 3.336 s + 10 s, and the next cycle
}

// RFencedLock counts each lock, and each entry. The counter is a key like any other: a server
// that forgets it begins anew.
func TestRedissonTokens(t *testing.T) {
	for _, p := range []Persistence{NoPersistence, Always} {
		r := newRedissonRig(t, 2, map[string]int64{"token": tokenByIncr, "persistence": int64(p)})
		first, next := r.Lock(0, 0, second), r.Lock(1, 100*ms, second)
		r.crash(3*second, host.LoseUnsynced)
		last := r.Lock(0, 4*second, 0)
		r.Run(6 * second)
		after := map[Persistence]int64{NoPersistence: 1, Always: 3}[p]
		if first.Token != 1 || next.Token != 2 || last.Token != after {
			t.Errorf("%v: tokens %d, %d, and %d after a restart", p, first.Token, next.Token, last.Token)
		}
		if g := r.Want(next.Hold, history.Grant); g.Token != 2 {
			t.Errorf("granted with token %d", g.Token)
		}
	}
	r := newRedissonRig(t, 1, map[string]int64{"token": tokenByIncr})
	r.deaf(0, 0, 100*ms)
	r.try(0, 0)
	again := r.Lock(0, 4*second, 0)
	r.Run(6 * second)
	if again.Token != 2 {
		t.Errorf("token %d of a lock that was entered twice", again.Token)
	}
}

// Whoever starts anew is another client, with another id.
func TestRedissonAfterARestart(t *testing.T) {
	r := newRedissonRig(t, 1, nil)
	u := r.Lock(0, 0, 0)
	r.Run(second)
	r.Env.Clients[0].Crash(host.LoseMemory)
	r.Env.Clients[0].Restart(false)
	r.Lockers[0] = r.System.Locker(0)
	next := r.Lock(0, 100*ms, 0)
	r.Run(12 * second)
	r.ended(t, u, 10_003*ms, "expired") // see TestRedissonWaiterSleepsForTheLease
	equal(t, "acquired", next.Acquired, at(10_004*ms))
}
