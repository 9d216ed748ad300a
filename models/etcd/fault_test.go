package etcd

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// After a crash the lease runs out at the leader, a TTL after the last renewal; the
// lessor looks every 500 ms, and the revocation is one commit.
func TestHolderCrashHandsOverAfterTheLease(t *testing.T) {
	for seed := uint64(1); seed <= 40; seed++ {
		ttl := []int{2, 3, 10}[seed%3]
		r := newRig(t, 2, seconds(ttl)).reset(seed)
		holder, waiter := r.lock(0, 0, 0), r.lock(1, time.Second, 0)
		crash := seconds(5) + time.Duration(seed)*97*ms
		r.runTo(crash)
		r.clients[0].Crash(host.LoseUnsynced)
		r.runTo(seconds(30))
		until := r.promisedUntil(holder)
		r.within("grant", r.granted(waiter).At, until, until.Add(sweepInterval+slack))
		if end := r.ended(holder); end.Text != "expired" {
			t.Errorf("seed %d: ended %q", seed, end.Text)
		}
		if waiter.token <= holder.token {
			t.Errorf("seed %d: tokens %d then %d", seed, holder.token, waiter.token)
		}
		if d := New().Describe(); r.granted(waiter).At > sim.Time(crash+quietTakeover(r.env.Params)) || quietTakeover(r.env.Params) > d.Takeover(r.env.Params) {
			t.Errorf("seed %d: granted at %v, later than the quiet takeover", seed, r.granted(waiter).At)
		}
	}
}

// A holder that sleeps past its TTL with no keepalive on its way notices by its own
// deadline: at the reaper's next look, 0 to 1 s after it wakes. Its own late keepalive
// may tell it earlier.
func TestPausedHolderNoticesWithinASecond(t *testing.T) {
	for _, wake := range []host.Wake{host.DueOrder, host.TimersFirst, host.MessagesFirst} {
		r := newRig(t, 2, seconds(10))
		r.fleet.Wake = wake
		r.reset(5)
		holder, waiter := r.lock(0, 0, 0), r.lock(1, time.Second, 0)
		r.runTo(8500 * ms) // keepalives at 0 and 3.5 s and 7 s
		r.clients[0].Pause(sim.Time(seconds(25)))
		r.runTo(seconds(25) - ms)
		if waiter.acquired == 0 || !r.valid(0) {
			t.Fatalf("wake %d: waiter acquired %v, sleeping holder valid %v", wake, waiter.acquired, r.valid(0))
		}
		if waiter.token <= holder.token {
			t.Errorf("wake %d: tokens %d then %d", wake, holder.token, waiter.token)
		}
		r.runTo(seconds(26) + ms)
		if r.valid(0) {
			t.Errorf("wake %d: the first holder still believes 1 s after it woke\n%s", wake, r.dump())
		}
	}
}

// A keepalive reply that lies in the buffer when the pause begins is stamped when the
// client wakes, so its deadline is a whole TTL away, and only the next keepalive, after
// a third of the TTL, brings the truth. Whether the reply or the reaper comes first is
// a race in the client; the order of waking decides it here.
func TestStaleKeepaliveReplyRearmsTheDeadline(t *testing.T) {
	const ttl = 30
	for _, c := range []struct {
		wake  host.Wake
		stale bool
	}{{host.DueOrder, true}, {host.MessagesFirst, true}, {host.TimersFirst, false}} {
		r := newRig(t, 2, seconds(ttl))
		r.fleet.Wake = c.wake
		r.reset(6)
		r.lock(0, 0, 0)
		waiter := r.lock(1, time.Second, 0)
		r.runTo(seconds(5))
		woke := sim.Time(seconds(60))
		r.on(0, "keepalive.sent", func(h *host.Host) { h.Pause(woke) }) // at about 10 s
		r.runTo(seconds(61) + ms)
		if waiter.acquired == 0 {
			t.Fatal("the waiter was not granted during the pause")
		}
		if r.valid(0) != c.stale {
			t.Errorf("wake %d: valid %v 1 s after waking, want %v", c.wake, r.valid(0), c.stale)
		}
		r.runTo(woke.Duration() + seconds(ttl)/3 - ms)
		if r.valid(0) != c.stale {
			t.Errorf("wake %d: valid %v just before the next keepalive, want %v", c.wake, r.valid(0), c.stale)
		}
		r.runTo(woke.Duration() + seconds(ttl)/3 + retryConnWait + slack)
		if r.valid(0) {
			t.Errorf("wake %d: still valid after the next keepalive", c.wake)
		}
	}
}

// A waiter whose session dies while it waits finds its key gone when its turn comes,
// and, as an application would, tries again with a new session.
func TestWaiterWithDeadSessionTriesAgain(t *testing.T) {
	r := newRig(t, 2, seconds(10)).reset(7)
	r.lock(0, 0, seconds(40))
	waiter := r.lock(1, time.Second, 0)
	r.runTo(seconds(2))
	r.clients[1].Pause(sim.Time(seconds(20)))
	r.runTo(seconds(39))
	if r.valid(1) || waiter.acquired != 0 {
		t.Fatal("the waiter's session should have ended")
	}
	r.runTo(seconds(41))
	r.within("acquired", waiter.acquired, sim.Time(seconds(40)), sim.Time(seconds(40)+2*slack))
	// Revisions: put 2, put 3, expiry 4, release 5, put 6.
	if waiter.token != 6 || !r.valid(1) {
		t.Errorf("token %d, valid %v\n%s", waiter.token, r.valid(1), r.dump())
	}
}

// Leases are counted on the monotonic clock: steps of wall clocks change nothing at
// all, to the last bit.
func TestWallClockStepsHaveNoEffect(t *testing.T) {
	trial := func(step time.Duration) uint64 {
		r := newRig(t, 2, seconds(5)).reset(8)
		r.lock(0, 0, seconds(20))
		r.lock(1, time.Second, seconds(5))
		for at := 2; at < 30; at++ {
			r.runTo(seconds(at))
			for _, h := range r.fleet.Hosts {
				h.Clock.Step(step)
				step = -2 * step / 3
			}
		}
		return r.world.Digest().Sum()
	}
	if trial(0) != trial(seconds(3600)) {
		t.Error("a step of the wall clock changed the run")
	}
}

// When the leader crashes, another member leads within seconds, and gives every lease
// its full TTL and a second more: a live holder is not disturbed if its TTL outlives a
// keepalive that is stuck (TestForwardToASilentLeaderTakesTheWholeRequest).
func TestLeaderCrashKeepsALiveHoldersLock(t *testing.T) {
	for seed := uint64(1); seed <= 30; seed++ {
		r := newRig(t, 3, seconds(15)).reset(seed)
		holder := r.lock(1, 0, seconds(50)) // client 2 talks to member 2
		waiter := r.lock(2, time.Second, 0)
		r.runTo(seconds(10) + time.Duration(seed)*111*ms)
		if r.leader().Name != "etcd/1" {
			t.Fatal("member 1 does not lead")
		}
		r.leader().Crash(host.LoseUnsynced)
		for at := 14; at < 50; at++ {
			r.runTo(seconds(at))
			if !r.valid(1) || waiter.acquired != 0 {
				t.Fatalf("seed %d: at %d s valid %v, waiter acquired %v\n%s", seed, at, r.valid(1), waiter.acquired, r.dump())
			}
		}
		r.runTo(seconds(52))
		if holder.err != nil || waiter.acquired == 0 {
			t.Errorf("seed %d: release %v, waiter acquired %v", seed, holder.err, waiter.acquired)
		}
	}
}

// A holder that dies with the leader keeps the lock for a new TTL and a second from
// the promotion on (server/lease/lessor.go, Promote), never less.
func TestLeaderCrashExtendsADeadHoldersLease(t *testing.T) {
	for seed := uint64(1); seed <= 30; seed++ {
		r := newRig(t, 2, seconds(10)).reset(seed)
		holder := r.lock(0, 0, 0)
		waiter := r.lock(1, time.Second, 0)
		crash := seconds(10) + time.Duration(seed)*111*ms
		r.runTo(crash)
		r.clients[0].Crash(host.LoseUnsynced)
		r.leader().Crash(host.LoseUnsynced)
		for r.leader() == nil {
			r.runTo(r.world.Now().Duration() + ms)
		}
		promoted := r.world.Now() // to within a millisecond and a commit
		r.within("leader", promoted, sim.Time(crash), sim.Time(crash+electionTime))
		r.runTo(crash + seconds(40))
		r.within("grant", r.granted(waiter).At, promoted.Add(seconds(11)-2*ms), promoted.Add(seconds(11)+sweepInterval+slack))
		if until := r.promisedUntil(holder); r.granted(waiter).At < until {
			t.Errorf("seed %d: granted at %v, promised until %v", seed, r.granted(waiter).At, until)
		}
		if at := r.granted(waiter).At; at > sim.Time(crash+takeover(r.env.Params)) {
			t.Errorf("seed %d: granted at %v, later than the takeover", seed, at)
		}
	}
}

// A client whose member is gone waits for its timeout and goes on to the next one.
func TestClientGoesOnToTheNextMember(t *testing.T) {
	r := newRig(t, 2, seconds(30)).reset(9)
	r.runTo(seconds(1))
	r.system.cluster.Members()[1].Host().Crash(host.LoseUnsynced) // a follower
	u := r.lock(1, time.Second, seconds(60))
	r.runTo(seconds(61))
	r.within("acquired", u.acquired, sim.Time(seconds(9)), sim.Time(seconds(9)+slack))
	if !r.valid(1) {
		t.Errorf("the session did not survive the dead stream\n%s", r.dump())
	}
	r.runTo(seconds(80))
	if u.err != nil || u.released == 0 {
		t.Errorf("released at %v: %v", u.released, u.err)
	}
}

// A leader that sleeps past its reign may neither revoke nor renew when it wakes: its
// proposals are of an old term.
func TestSleepingLeaderDoesNotRevoke(t *testing.T) {
	for _, wake := range []host.Wake{host.DueOrder, host.TimersFirst, host.MessagesFirst} {
		for seed := uint64(1); seed <= 20; seed++ {
			r := newRig(t, 3, seconds(4))
			r.fleet.Wake = wake
			r.reset(seed)
			holder := r.lock(1, 0, seconds(40))
			waiter := r.lock(2, time.Second, 0)
			r.runTo(seconds(5) + time.Duration(seed)*77*ms)
			r.leader().Pause(r.world.Now().Add(seconds(12)))
			r.runTo(seconds(30))
			if waiter.acquired != 0 && r.valid(1) {
				t.Fatalf("wake %d, seed %d: two holders", wake, seed)
			}
			if end := r.find(history.ServiceEnd, holder.hold, 1); end != nil && end.Text == "expired" && r.promisedUntil(holder) > end.At {
				t.Fatalf("wake %d, seed %d: expired at %v, promised until %v\n%s", wake, seed, end.At, r.promisedUntil(holder), r.dump())
			}
		}
	}
}

// Members that start anew fill their store from the log; the new leader gives every
// lease its full TTL, so an outage of the whole cluster costs nobody the lock. What the
// log holds is not recorded twice, and a waiter's watch is resumed when the client asks
// whether its quiet connection lives.
func TestRestartOfTheClusterKeepsTheLock(t *testing.T) {
	r := newRig(t, 2, seconds(10)).reset(10)
	holder, waiter := r.lock(0, 0, seconds(25)), r.lock(1, time.Second, 0)
	r.runTo(seconds(10))
	records := len(r.env.Recorder.Records)
	for server := range r.system.servers {
		r.system.Restart(server)
	}
	r.runTo(seconds(15))
	for _, rec := range r.env.Recorder.Records[records:] {
		if rec.Kind != history.Note && rec.Kind != history.Promise {
			t.Errorf("kind %d recorded at %v after the restart", rec.Kind, rec.At)
		}
	}
	r.runTo(seconds(25))
	if !r.valid(0) || waiter.acquired != 0 {
		t.Fatalf("valid %v, waiter acquired %v\n%s", r.valid(0), waiter.acquired, r.dump())
	}
	r.runTo(seconds(25) + dialKeepAlive + seconds(8))
	if holder.err != nil || waiter.acquired == 0 || waiter.token != 3 {
		t.Errorf("release %v, waiter acquired %v with token %d", holder.err, waiter.acquired, waiter.token)
	}
}
