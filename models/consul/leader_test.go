package consul

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// After the loss of the leader another one arms every timer in full. A request that was on
// its way to the old leader hangs until its connection counts as dead, for up to 40 s. A
// session whose TTL allows for that is not disturbed, and neither is the channel: the agent
// reads again.
func TestLeaderCrashKeepsALiveHoldersLock(t *testing.T) {
	r := newRig(t, 3, is{"ttl": int64(120 * second)})
	for seed := uint64(1); seed <= 20; seed++ {
		r.Reset(seed)
		holder, waiter := r.Lock(1, second, 300*second), r.Lock(2, 2*second, 0)
		r.At(60*second+time.Duration(seed)*333*ms, func() { r.Server("consul", 0).Crash(host.LoseMemory) })
		for at := 61 * second; at < 300*second; at += second {
			r.Run(at)
			if !r.valid(1) {
				t.Fatalf("seed %d: not valid at %v\n%s", seed, r.World.Now(), r.dump())
			}
		}
		r.Run(400 * second)
		if holder.Err != nil || waiter.Acquired < holder.Released {
			t.Errorf("seed %d: released at %v (%v), next at %v", seed, holder.Released, holder.Err, waiter.Acquired)
		}
	}
}

// With the default TTL the loss of the leader's machine takes the lock of a holder who
// lives. His renewals are 7.5 s apart, and the followers notice no earlier than after 5 s;
// one that is sent before hangs for at least 10 s. By then the last success is more than a
// TTL ago, so RenewPeriodic ends (api/session.go), and the new leader's timer runs out. The
// holder is told then, and the lock-delay keeps others out meanwhile.
func TestLeaderCrashCostsADefaultSession(t *testing.T) {
	lost := 0
	r := newRig(t, 2, is{"ttl": int64(15 * second)})
	for seed := uint64(1); seed <= 40; seed++ {
		r.Reset(seed)
		holder := r.Lock(1, second, 0)
		r.At(20*second+time.Duration(seed)*187*ms, func() { r.Server("consul", 0).Crash(host.LoseMemory) })
		r.Run(120 * second)
		if len(r.Records(holder.Hold, history.ServiceEnd)) > 0 {
			lost++
			r.noted("renewals given up: none answered for a TTL")
			if r.valid(1) {
				t.Errorf("seed %d: still valid\n%s", seed, r.dump())
			}
		}
		r.finds()
	}
	t.Logf("lost in %d of 40 runs", lost)
	if lost < 30 {
		t.Errorf("lost in %d of 40 runs", lost)
	}
}

// A holder that dies with the leader keeps the key for 2·10 s from the new leader's
// election on, and the delay.
func TestNewLeaderArmsTimersInFull(t *testing.T) {
	r := newRig(t, 2, is{"checks": checkNone})
	for seed := uint64(1); seed <= 10; seed++ {
		r.Reset(seed)
		r.Lock(0, second, 0)
		waiter := r.Lock(1, 2*second, 0)
		r.Run(20 * second)
		r.client(0).Crash(host.LoseMemory)
		r.Server("consul", 0).Crash(host.LoseMemory)
		for r.World.Now() < sim.Time(60*second) {
			if _, ok := r.system().Leader(); ok {
				break
			}
			r.Run(r.World.Now().Duration() + ms)
		}
		elected := r.World.Now().Duration()
		if elected < 24*second || elected > 20*second+electionTime(r.Env.Params) {
			t.Errorf("seed %d: elected at %v", seed, elected)
		}
		r.Run(20*second + takeover(r.Env.Params))
		r.grantedIn(waiter, elected+(20+15)*second, elected+(20+15+5)*second+reconnectTime)
		r.finds()
	}
}

// A holder that is cut off together with the old leader hears of nothing. Its blocking
// read waits there, and who leads no more answers it only when the key changes, of which
// it does not learn; meanwhile the others elect a leader and let the next holder in. The
// channel would stay open for the whole 300 s. An application that counts the TTL itself
// stops in time: the old leader answers renewals until it steps down, 10 s after it was cut
// off, and the next holder comes 20 s and 15 s after the election.
func TestHolderBesideAnIsolatedLeader(t *testing.T) {
	for _, deadline := range []int64{deadlineNone, deadlineTTL} {
		r := newRig(t, 2, is{"checks": checkNone, "deadline": deadline})
		r.Lock(0, second, 0)
		waiter := r.Lock(1, 2*second, 0)
		r.At(10*second, func() { r.isolate(r.Server("consul", 0), r.client(0)) })
		validThen := true
		for r.Run(11 * second); waiter.Acquired == 0 && r.World.Now() < sim.Time(200*second); {
			validThen = r.valid(0)
			r.Run(r.World.Now().Duration() + 100*ms)
		}
		r.grantedIn(waiter, (10+5+20+15)*second, (10+10+20+15+5+1)*second)
		if want := deadline == deadlineNone; validThen != want {
			t.Errorf("deadline %d: valid is %v when the next holder comes, want %v", deadline, validThen, want)
		}
		if r.Run(300 * second); r.valid(0) != (deadline == deadlineNone) {
			t.Errorf("deadline %d: valid is %v at 300 s", deadline, r.valid(0))
		}
		if len(r.Grants.Findings()) > 0 {
			t.Errorf("grants: %+v", r.Grants.Findings())
		}
	}
}

// A destruction that failed because its leader lost the lead is tried again, by a server
// that leads again, on a session that was renewed elsewhere meanwhile.
func TestStaleInvalidationEndsALiveSession(t *testing.T) {
	r := newRig(t, 2, is{"checks": checkNone})
	struck := 0
	for seed := uint64(1); seed <= 30; seed++ {
		r.Reset(seed)
		holder := r.Lock(1, second, 0)
		// The client stands still from 2 s on, its session expires at 21.004 s at a leader
		// that has just been cut off; the client wakes to find another one.
		r.At(2*second, func() { r.client(1).Pause(sim.Time(32 * second)) })
		var heal func()
		r.At(20800*ms, func() { heal = r.isolate(r.Server("consul", 0)) })
		r.At(33*second, func() { heal() })
		r.Run(34 * second)
		if !r.valid(1) || r.leader() == 0 {
			continue // the waking client met no leader
		}
		// The others stand still until the first leads again; then all is well.
		for _, i := range []int{1, 2} {
			if i == r.leader() {
				r.Server("consul", i).Pause(sim.Time(45 * second))
			}
		}
		r.Run(100 * second)
		if ends := r.Records(holder.Hold, history.ServiceEnd); len(ends) > 0 {
			last := r.Records(holder.Hold, history.Promise)
			if ends[0].At < last[len(last)-1].Until {
				struck++
			}
		}
	}
	if struck == 0 {
		t.Error("no stale invalidation struck")
	}
	t.Logf("struck in %d runs", struck)
}

// A request that went to a leader which was down hangs also when that is back: the new
// process does not know the connection. It resets it when the keepalive comes, 30 s after the
// connection was made, or rather a multiple of it later; then the session is asked for again.
func TestForwardsEndWithTheLifeOfTheLeader(t *testing.T) {
	r := newRig(t, 3, nil)
	for seed := uint64(1); seed <= 20; seed++ {
		r.Reset(seed)
		leader := r.Server("consul", 0)
		r.At(second, func() {
			leader.Crash(host.LoseUnsynced)
			leader.RestartAt(sim.Time(21*second), false)
		})
		early, late := r.Lock(1, 2*second, 100*ms), r.Lock(2, 2500*ms, 100*ms)
		r.Run(110 * second)
		for _, u := range []*modeltest.Use{early, late} {
			if u.Acquired == 0 || u.Acquired > sim.Time(80*second) {
				t.Errorf("seed %d: got the lock at %v", seed, u.Acquired)
			}
		}
	}
}
