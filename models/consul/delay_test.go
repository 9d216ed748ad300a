package consul

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// deadHolder is a run in which the holder dies and its session expires at 31.009 s (see
// TestDeadHolderKeepsTheKeyForTwiceTheTTL). Client 2 waits.
func deadHolder(t *testing.T, params is) (r *rig, waiter *modeltest.Use) {
	all := is{"checks": checkNone}
	for name, v := range params {
		all[name] = v
	}
	r = newRig(t, 2, all)
	r.Lock(0, second, 0)
	waiter = r.Lock(1, 2*second, 0)
	r.At(12*second, func() { r.client(0).Crash(host.LoseMemory) })
	return r, waiter
}

// Without a delay the waiter is in after its answer, its request and a commit.
func TestNoLockDelay(t *testing.T) {
	r, waiter := deadHolder(t, is{"lock-delay": 0})
	r.Run(60 * second)
	r.granted(waiter, (31009+4+2)*ms)
	r.finds()
}

// Each server counts the delay from its own time of applying the end of the session: the
// leader at the commit, a follower when it hears of that, with the leader's next message.
// Only the leader's count matters, and a new leader goes on with its own.
func TestLockDelayOutlivesTheLeader(t *testing.T) {
	for seed := uint64(1); seed <= 10; seed++ {
		r, waiter := deadHolder(t, is{"lock-delay": int64(60 * second)})
		r.Run(40 * second)
		for i := range 3 {
			if d := r.server(i).delayed; d < 91009*1_000_000 || d > 91510*1_000_000 {
				t.Errorf("server %d refuses until %v", i+1, d)
			}
		}
		r.Server("consul", 0).Crash(host.LoseMemory)
		r.Run(150 * second)
		r.grantedIn(waiter, 91009*ms, 97*second)
	}
}

// The delay is in nobody's snapshot: servers that start from one know of none, and the
// waiter is in as soon as there is a leader and it asks again. Servers that have to apply
// the end of the session again begin the delay anew. No promise is broken by either.
func TestRestartForgetsOrRepeatsTheLockDelay(t *testing.T) {
	for _, c := range []struct {
		restore int64
		lo, hi  time.Duration
	}{
		// All start anew at 33 s. A leader takes 5 to 10 s, 20 if the first vote splits;
		// then the waiter asks within 5 s, and 7 s if it has met the hold.
		{restoreSnapshot, 38 * second, 46 * second},
		// A leader applies the log when its own first entry is committed, a follower that is
		// not elected as soon as it hears of that: at the election or before, as the log says what
		// was committed. The delay is over 15 s after the restart at the earliest.
		{restoreLog, 33*second + 15*second, 46*second + 20*second},
	} {
		r, waiter := deadHolder(t, is{"restore": c.restore})
		r.At(33*second, func() {
			for i := range 3 {
				r.Server("consul", i).Crash(host.LoseMemory)
				r.Server("consul", i).Restart(false)
			}
		})
		r.Run(100 * second)
		r.grantedIn(waiter, c.lo, c.hi)
		r.finds()
	}
}

// The end of a session that holds nothing delays nobody.
func TestOnlyTheHoldersEndDelays(t *testing.T) {
	r := newRig(t, 3, is{"checks": checkNone})
	r.Lock(0, second, 50*second)
	r.Lock(1, 2*second, 0) // waits and dies
	next := r.Lock(2, 52*second, 0)
	r.At(10*second, func() { r.client(1).Crash(host.LoseMemory) })
	r.Run(60 * second)
	if next.Acquired == 0 || next.Acquired > sim.Time(52100*ms) {
		t.Errorf("acquired at %v\n%s", next.Acquired, r.dump())
	}
	r.finds()
}

// The leader asks for the lock-delay before it proposes an acquire, since the state of all
// servers must not depend on their clocks, and nobody asks when it is applied
// (kvs_endpoint.go, kvsPreApply). With slow disks an acquire may be in the log behind the
// end of the session that the key is just being given to: it gets the key at once, while the
// former holder's promise runs. Here a commit takes 0.4 s, client 1's check fails right
// after its acquire was proposed, and client 2, who has seen the free key too, comes next.
func TestAcquireInTheLogEvadesTheLockDelay(t *testing.T) {
	broken := 0
	for offset := time.Duration(0); offset < second; offset += 50 * ms {
		r := newRig(t, 2, nil)
		r.Env.Fsync = rng.Constant(400 * ms)
		r.Reset(1)
		first, next := r.Lock(0, 10900*ms+offset, 0), r.Lock(1, 11200*ms+offset, 0)
		r.At(silentAt, func() { r.cutProbes(0, 0, 1, 2) })
		r.Run(25 * second)
		for _, f := range r.Grants.Findings() {
			if f.First != first.Hold || f.Second != next.Hold {
				t.Errorf("found %+v", f)
			}
			r.Want(first.Hold, history.ServiceEnd)
			if !r.evaded(f) {
				t.Errorf("nobody says why\n%s", r.dump())
			}
			broken++
		}
	}
	if broken == 0 {
		t.Error("no acquire evaded the lock-delay")
	}
}
