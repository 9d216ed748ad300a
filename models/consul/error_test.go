package consul

import (
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// An acquire whose connection is reset while the leader commits it is not sent again: Lock
// fails, and has its session destroyed. The key is taken meanwhile, for a hold that its client
// has given up, so nobody is let in; and the end of the session puts the lock-delay before
// the client's own next attempt.
func TestResetDuringTheAcquire(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, second, 0)
	r.At(1007500*time.Microsecond, func() { r.Net.Break(r.client(0).ID, r.Server("consul", 0).ID, 0) })
	r.Run(40 * second)
	if at := r.noted("Lock failed: EOF"); at != sim.Time(1007500*time.Microsecond) {
		t.Errorf("Lock failed at %v", at)
	}
	// The session is destroyed after the connection to the next server is made.
	r.grantedIn(u, 16*second, 22*second)
	r.finds()
}

// A renewal that fails is tried again after a second, by way of another server.
func TestRenewalIsTriedAgainAfterASecond(t *testing.T) {
	r := newRig(t, 1, is{"checks": checkNone})
	holder := r.Lock(0, second, 0)
	const sent = 6004500 * time.Microsecond // half a millisecond after the first
	r.At(sent, func() { r.Net.Break(r.client(0).ID, r.Server("consul", 0).ID, 0) })
	r.Run(9 * second)
	promises := r.Records(holder.Hold, history.Promise)
	if len(promises) != 1 || promises[0].At < sim.Time(sent+second) || promises[0].At > sim.Time(sent+second+10*ms) {
		t.Errorf("promises %+v\n%s", promises, r.dump())
	}
	if !r.valid(0) {
		t.Errorf("the monitor did not read again\n%s", r.dump())
	}
}

// A server without a leader holds a request for 7 s, and then says so; so long does the
// agent try, too.
func TestNoLeader(t *testing.T) {
	r := newRig(t, 2, is{"checks": checkNone})
	r.At(second, func() { r.isolate(r.Server("consul", 1), r.client(1)) })
	r.Lock(1, 15*second, 0)
	r.Run(30 * second)
	if at := r.noted("Lock failed: " + errNoLeader.Error()); at < sim.Time(22*second) || at > sim.Time(23*second) {
		t.Errorf("Lock failed at %v", at)
	}
}

// A blocking read at a server that leads no more is run again when the key changes, and
// fails, because it is to be consistent: the channel closes by an error.
func TestMonitorAtAFormerLeader(t *testing.T) {
	r := newRig(t, 1, nil)
	r.Lock(0, second, 0)
	var heal []func()
	r.At(10*second, func() {
		for _, i := range []int{1, 2} {
			heal = append(heal, r.Cut(r.Server("consul", 0), r.Server("consul", i)), r.Cut(r.Server("consul", i), r.Server("consul", 0)))
		}
	})
	r.At(25*second, func() {
		for _, h := range heal {
			h()
		}
	})
	r.Run(28 * second)
	if r.leader() == 0 || len(r.server(0).timers) > 0 {
		t.Fatalf("server %d leads, and the first has timers %v", r.leader()+1, r.server(0).timers)
	}
	if !r.valid(0) {
		t.Fatalf("lost with the leader\n%s", r.dump())
	}
	r.cutProbes(0, 0, 1, 2)
	r.Run(40 * second)
	r.noted("loss channel closed: monitor failed: " + errServer.Error())
}

// A suspicion that was refuted does not count when the next one begins.
func TestRefutedSuspicion(t *testing.T) {
	r := newRig(t, 1, nil)
	holder := r.Lock(0, second, 0)
	for _, from := range []time.Duration{7 * second, 10500 * ms} {
		var heal func()
		r.At(from, func() { heal = r.isolate(r.client(0)) })
		r.At(from+2500*ms, func() { heal() })
	}
	r.Run(20 * second)
	if ends := r.Records(holder.Hold, history.ServiceEnd); len(ends) > 0 {
		t.Errorf("ended %+v", ends)
	}
	r.finds()
}

// An answer that comes later than a round is none.
func TestLateAnswersAreNone(t *testing.T) {
	r := newRig(t, 1, nil)
	holder := r.Lock(0, second, 0)
	r.At(silentAt, func() {
		for i := range 3 {
			r.Net.Impose(&network.Rule{From: r.client(0).ID, To: r.Server("consul", i).ID, Op: OpAck, Extra: rng.Constant(1200 * ms)})
		}
	})
	r.Run(20 * second)
	r.ended(holder, failedAt, "health check failed")
}

// A destruction is tried six times, 10, 20, 40, 80 and 160 s apart, also by a server that
// does not lead.
func TestInvalidationGivesUp(t *testing.T) {
	r := newRig(t, 1, nil)
	r.Run(second)
	follower := r.server(1)
	follower.invalidate(invalidation{session: 1})
	for _, c := range []struct {
		at   time.Duration
		left int
	}{{second + 309*second, 1}, {second + 311*second, 0}} {
		r.Run(c.at)
		if len(follower.retries) != c.left {
			t.Errorf("%d left at %v, want %d", len(follower.retries), c.at, c.left)
		}
	}
}

// The default timing: heartbeats of half a second, election timeouts of 5 to 10 s.
func TestParameters(t *testing.T) {
	p := models.Defaults(params)
	tm := timing(p.Int("raft-multiplier"))
	if tm.Tick != 500*ms || tm.Tick*time.Duration(tm.ElectionTicks) != 5*second || tm.Spread != tm.ElectionTicks {
		t.Errorf("%+v", tm)
	}
	// 2·15 s, 0.5 s, 15 s and 5 s; and with a change of the leader the election's 20 s, 2·15 s
	// again, what finding a dead connection takes longer than that, and another 5 s.
	if got := quietTakeover(p); got != 50500*ms {
		t.Errorf("quiet takeover %v", got)
	}
	if got, want := takeover(p), (20+30+27+5)*second+50500*ms; got != want {
		t.Errorf("takeover %v, want %v", got, want)
	}
	for _, text := range []string{"9s", "24h1s"} {
		if _, err := params[0].Parse(text); err == nil {
			t.Errorf("a TTL of %s is accepted", text)
		}
	}
}
