package etcd

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// stopsBelieving runs until a client's session is lost, and returns when, to within a
// millisecond.
func (r *rig) stopsBelieving(client int, limit sim.Time) sim.Time {
	for r.valid(client) && r.world.Now() < limit {
		r.runTo(r.world.Now().Duration() + ms)
	}
	return r.world.Now()
}

// silence cuts the way from a client to the members, and leaves the way back open.
func (r *rig) silence(client int) {
	for _, m := range r.system.cluster.Members() {
		r.net.Impose(&network.Rule{From: r.clients[client].ID, To: m.Host().ID, Cut: true})
	}
}

// A holder that is cut off, and obeys its session, without any pause. The service counts the
// lease from the renewal at A, the client from the reply, d later (client/v3/lease.go,
// recvKeepAlive). It stops when its reaper finds A + d + TTL passed, which is up to 1 s
// later; the service lets another in when a pass finds A + TTL passed, up to 500 ms later,
// and after one commit. So the beliefs overlap for more than d - 500 ms and less than
// d + 1 s, and without any delay at all they can overlap for most of a second.
func TestOverlapWithoutAnyPause(t *testing.T) {
	modeltest.ManyTrials(t)
	const reaper, pass = time.Second, 500 * ms  // client/v3/lease.go, deadlineLoop; server/lease/lessor.go, runLoop
	longest, shortest := -time.Hour, time.Hour  // beyond d
	for seed := uint64(1); seed <= 30; seed++ { // which draws the phase of the members' passes
		for _, d := range []time.Duration{0, 490 * ms, 3 * time.Second} {
			for keepalives := 1; keepalives <= 2; keepalives++ { // between two looks of the reaper, or right after one
				beyond := overlap(newRig(t, 2, seconds(10)).reset(seed), d, keepalives) - d
				longest, shortest = max(longest, beyond), min(shortest, beyond)
			}
		}
	}
	t.Logf("overlaps of d %v to d + %v", shortest, longest)
	if longest > reaper+slack || shortest < -pass-slack {
		t.Errorf("overlaps of d %v to d + %v", shortest, longest)
	}
	if longest < reaper-100*ms || shortest > -pass+100*ms {
		t.Errorf("overlaps of d %v to d + %v: far from the bounds", shortest, longest)
	}
}

// overlap is for how long a holder still believes when another is let in: after so many
// keepalives, to the last of which the reply took d, nothing that it sends arrives.
func overlap(r *rig, d time.Duration, keepalives int) time.Duration {
	r.lock(0, 0, 0)
	waiter := r.lock(1, time.Second, 0)
	r.runTo(2 * time.Second)
	var sent sim.Time
	for range keepalives {
		sent = r.nextKeepalive(0)
		r.runTo(sent.Duration() + 10*time.Microsecond)
	}
	if d > 0 {
		r.holdNext(r.system.cluster.Members()[0].Host(), r.clients[0], OpKeepAliveReply, sent.Add(d).Duration())
	}
	r.runTo(sent.Duration() + 5*ms)
	r.silence(0)
	end := r.stopsBelieving(0, sent.Add(seconds(20)))
	r.runTo(sent.Duration() + seconds(12))
	if waiter.acquired == 0 {
		r.t.Fatalf("nobody else was let in\n%s", r.dump())
	}
	return end.Sub(waiter.acquired)
}

// How long a holder goes on believing that wakes from a pause of more than its lease. With
// no reply in its buffer its reaper is overdue and looks at once. With one the order
// decides: the reaper first is the same, the reply first counts a whole TTL from now, and
// the next keepalive, which brings the truth, is a third of the TTL away, on a grid of
// 500 ms: up to TTL/3 + 500 ms and a round trip, 20.5 s with the default.
func TestResidualBeliefAfterAPause(t *testing.T) {
	const ttl = 60
	for _, c := range []struct {
		step   string
		wake   host.Wake
		lo, hi time.Duration
	}{
		{"keepalive.reply", host.DueOrder, 0, slack},
		{"keepalive.reply", host.TimersFirst, 0, slack},
		{"keepalive.reply", host.MessagesFirst, 0, slack},
		{"keepalive.sent", host.TimersFirst, 0, slack},
		{"keepalive.sent", host.DueOrder, ttl / 3 * time.Second, ttl/3*time.Second + retryConnWait + slack},
		{"keepalive.sent", host.MessagesFirst, ttl / 3 * time.Second, ttl/3*time.Second + retryConnWait + slack},
	} {
		for seed := uint64(1); seed <= 10; seed++ {
			r := newRig(t, 2, seconds(ttl))
			r.fleet.Wake = c.wake
			r.reset(seed)
			r.lock(0, 0, 0)
			waiter := r.lock(1, time.Second, 0)
			r.runTo(seconds(5))
			woke := sim.Time(seconds(100) + time.Duration(seed)*77*ms)
			r.on(0, c.step, func(h *host.Host) { h.Pause(woke) })
			r.runTo(woke.Duration() - ms)
			if waiter.acquired == 0 || !r.valid(0) {
				t.Fatalf("%s, wake %d: waiter acquired %v", c.step, c.wake, waiter.acquired)
			}
			if got := r.stopsBelieving(0, woke.Add(seconds(ttl))).Sub(woke); got < c.lo || got > c.hi {
				t.Errorf("%s, wake %d, seed %d: believed for %v after waking, want %v to %v", c.step, c.wake, seed, got, c.lo, c.hi)
			}
		}
	}
}

// A machine that sleeps stops its monotonic clock with it. The client has a deadline that
// has not passed when it wakes, however long that was, and no reply to correct it: only its
// next keepalive does, up to a third of the TTL and a grid of 500 ms of its own time after
// the last one. The order of waking makes no difference.
func TestResidualBeliefAfterASuspension(t *testing.T) {
	const ttl = 30
	for _, wake := range []host.Wake{host.DueOrder, host.TimersFirst, host.MessagesFirst} {
		longest := time.Duration(0)
		for seed := uint64(1); seed <= 20; seed++ {
			r := newRig(t, 2, seconds(ttl))
			r.fleet.Wake = wake
			r.reset(seed)
			r.lock(0, 0, 0)
			waiter := r.lock(1, time.Second, 0)
			r.runTo(seconds(11) + time.Duration(seed)*500*ms)
			woke := r.world.Now().Add(seconds(300))
			r.clients[0].Suspend(woke)
			r.runTo(woke.Duration() - ms)
			if waiter.acquired == 0 || !r.valid(0) {
				t.Fatalf("wake %d: waiter acquired %v", wake, waiter.acquired)
			}
			longest = max(longest, r.stopsBelieving(0, woke.Add(seconds(ttl))).Sub(woke))
		}
		if longest > seconds(ttl)/3+retryConnWait+slack || longest < seconds(ttl)/3-seconds(1) {
			t.Errorf("wake %d: believed for %v after waking, want up to 10.5 s", wake, longest)
		}
	}
}

// A pause while the reply of the lock's transaction is on its way: Lock returns success for a
// key that is long gone. The session says so at once if its reaper comes first. If a reply to
// its first keepalive was in the buffer, it says so after a third of the TTL.
func TestPauseBeforeTheReplyOfLock(t *testing.T) {
	const ttl = 30
	for _, c := range []struct {
		wake  host.Wake
		stale bool
	}{{host.DueOrder, true}, {host.TimersFirst, false}, {host.MessagesFirst, true}} {
		// Lock's context has no deadline; with one that passes in the pause, Lock may fail.
		r := newRig(t, 2, seconds(ttl)).with(map[string]int64{"timeout": int64(seconds(100))})
		r.fleet.Wake = c.wake
		r.reset(3)
		member := r.system.cluster.Members()[0].Host()
		holder := r.lock(0, 0, 0)
		waiter := r.lock(1, time.Second, 0)
		woke := sim.Time(seconds(60))
		r.holdNext(member, r.clients[0], OpTxnReply, 100*ms)
		r.on(0, "keepalive.sent", func(h *host.Host) { h.Pause(woke) })
		r.runTo(woke.Duration() + 100*ms)
		if waiter.acquired == 0 || waiter.acquired > woke || holder.acquired < woke || holder.token >= waiter.token {
			t.Fatalf("wake %d: acquired %v with token %d and %v with %d", c.wake, holder.acquired, holder.token, waiter.acquired, waiter.token)
		}
		if r.valid(0) != c.stale {
			t.Errorf("wake %d: valid %v after Lock", c.wake, r.valid(0))
		}
		r.runTo(woke.Duration() + seconds(ttl)/3 + retryConnWait + slack)
		if r.valid(0) {
			t.Errorf("wake %d: still valid after the next keepalive", c.wake)
		}
	}
}
