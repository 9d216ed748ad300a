package consul

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/network"
)

// The leader probes at every whole second and 6 ms: it is elected at 4 ms, and its first
// entry is committed 2 ms later. A client whose machine falls silent at 7 s has missed the
// probe of 7.006 s when that of 8.006 s goes out, is suspect for 4 s and counts as failed at
// 12.006 s: the log says so 2 ms later. That is before the TTL: the last
// renewal was answered at 6.005 s, for 10 s.
const (
	silentAt = 7 * second
	failedAt = 12008 * ms
)

// A client's machine that is cut off loses its session by serfHealth, long before its TTL
// has passed: lost-early. Without the check it has twice the TTL. The next holder comes
// after the lock-delay in either case.
func TestPartitionedClientFailsItsCheck(t *testing.T) {
	for _, checks := range []int64{checkSerf, checkNone} {
		r := newRig(t, 2, is{"checks": checks})
		holder, waiter := r.Lock(0, second, 0), r.Lock(1, 2*second, 0)
		r.At(silentAt, func() { r.isolate(r.client(0)) })
		r.Run(70 * second)
		if checks == checkSerf {
			r.ended(holder, failedAt, "health check failed")
			r.grantedIn(waiter, failedAt+15*second, failedAt+20*second+50*ms)
			if kinds := r.findings(); len(kinds) == 0 || kinds[len(kinds)-1] != "lost-early" {
				t.Errorf("found %v", kinds)
			}
		} else {
			r.ended(holder, 6005*ms+20*second+2*ms, "expired")
			r.grantedIn(waiter, (26+15)*second, (26+21)*second)
		}
	}
}

// What a silent partition does to a holder who obeys signals depends on which. The channel
// closes when the connection is found dead, 10 to 40 s after it was cut, and another 10 s
// for the attempt to make a new one; the next holder comes 20 s after the last renewal and
// 15 s. An application that counts the TTL itself has stopped before, also where serfHealth
// takes the lock early.
func TestPartitionedHolderThatWaitsForTheChannel(t *testing.T) {
	late := 0
	for seed := uint64(1); seed <= 30; seed++ {
		for _, checks := range []int64{checkSerf, checkNone} {
			for _, deadline := range []int64{deadlineNone, deadlineTTL} {
				r := newRig(t, 2, is{"checks": checks, "deadline": deadline})
				r.Reset(seed)
				r.Lock(0, second, 0)
				waiter := r.Lock(1, 2*second, 0)
				r.At(silentAt, func() { r.isolate(r.client(0)) })
				for r.Run(silentAt); waiter.Acquired == 0; {
					r.Run(r.World.Now().Duration() + 100*ms)
				}
				if both := r.valid(0); both && deadline == deadlineTTL {
					t.Errorf("seed %d, checks %d: two are valid at %v\n%s", seed, checks, r.World.Now(), r.dump())
				} else if both {
					late++
				}
				r.Run(silentAt + 52*second)
				if r.valid(0) {
					t.Errorf("seed %d, checks %d: valid %v after the cut", seed, checks, r.World.Now().Sub(sim.Time(silentAt)))
				}
				if r.Run(silentAt + 53*second); deadline == deadlineNone {
					if at := r.channelClosed(); at < sim.Time(silentAt+10*second) {
						t.Errorf("seed %d: the channel closed at %v", seed, at)
					}
				}
			}
		}
	}
	if late == 0 {
		t.Error("the channel was always in time")
	}
	t.Logf("the channel was late in %d of 60 runs", late)
}

// Without an agent the blocking read ends with TCP's keepalives: nine in a row, 30 s apart, the first of
// them up to 30 s after the cut, and 10 s for a new connection. The next holder is long in by then.
func TestPartitionedHolderWithoutAnAgent(t *testing.T) {
	for seed := uint64(1); seed <= 10; seed++ {
		r := newRig(t, 2, is{"checks": checkNone, "via": viaServer})
		r.Reset(seed)
		r.Lock(0, second, 0)
		waiter := r.Lock(1, 2*second, 0)
		r.At(silentAt, func() { r.isolate(r.client(0)) })
		r.Run(silentAt + 400*second)
		if at := r.channelClosed(); at < sim.Time(silentAt+270*second) || at > sim.Time(silentAt+311*second) {
			t.Errorf("seed %d: the channel closed %v after the cut", seed, at.Sub(sim.Time(silentAt)))
		}
		// Twice the TTL of 10 s from the last renewal, and 15 s.
		if in := waiter.Acquired.Sub(sim.Time(silentAt)); in < 29*second || in > 41*second {
			t.Errorf("seed %d: the next holder is in %v after the cut", seed, in)
		}
	}
	if err := validate(newRig(t, 1, is{"via": viaServer, "checks": checkNone}).Env.Params); err != nil {
		t.Error(err)
	}
}

// channelClosed is when a loss channel was closed.
func (r *rig) channelClosed() sim.Time {
	r.t.Helper()
	const prefix = "loss channel closed"
	for _, rec := range r.Recorder.Records {
		if rec.Kind == history.Note && len(rec.Text) > len(prefix) && rec.Text[:len(prefix)] == prefix {
			return rec.At
		}
	}
	r.t.Fatalf("no channel was closed\n%s", r.dump())
	return 0
}

// A pause of 15 s with a TTL of 10 s lets nobody in, whatever a pause is: without the check
// the session has 20 s. If the pause stops the machine, the agent with it, serfHealth ends
// the session 5 s later, before its TTL, and the lock-delay is what keeps others out until
// the holder has woken and heard. If the agent is a process of its own, it answers on.
func TestPauseOf15SecondsLetsNobodyIn(t *testing.T) {
	for _, c := range []struct {
		checks, agent int64
		early         bool
	}{{checkSerf, agentOwnProcess, false}, {checkSerf, agentSameHost, true}, {checkNone, agentOwnProcess, false}, {checkNone, agentSameHost, false}} {
		r := newRig(t, 2, is{"checks": c.checks, "agent": c.agent})
		holder, waiter := r.Lock(0, second, 40*second), r.Lock(1, 2*second, second)
		r.At(silentAt, func() { r.client(0).Pause(sim.Time(silentAt + 15*second)) })
		r.Run(silentAt + 15*second)
		r.notGranted(waiter)
		r.Run(silentAt + 15*second + 5*ms)
		if r.valid(0) == c.early {
			t.Errorf("%+v: valid %v after the pause\n%s", c, r.valid(0), r.dump())
		}
		if c.early {
			r.ended(holder, failedAt, "health check failed")
		}
		r.Run(26 * second)
		r.notGranted(waiter)
		r.Run(100 * second)
		if kinds := r.findings(); (len(kinds) > 0) != c.early {
			t.Errorf("%+v: found %v", c, kinds)
		}
	}
}

// A machine that sleeps takes its agent along, also one that is a process of its own.
func TestSuspendedMachineFailsItsCheck(t *testing.T) {
	r := newRig(t, 2, nil)
	holder := r.Lock(0, second, 0)
	r.At(silentAt, func() { r.client(0).Suspend(sim.Time(silentAt + 15*second)) })
	r.Run(60 * second)
	r.ended(holder, failedAt, "health check failed")
	// It wakes, answers the next probe, and its node passes again.
	if at := r.noted("serfHealth passes"); at < sim.Time(22*second) || at > sim.Time(24*second) {
		t.Errorf("the check passes again at %v", at)
	}
}

// A paused process whose machine is cut off as well has no agent that answers.
func TestPausedAndCutOff(t *testing.T) {
	r := newRig(t, 2, nil)
	holder := r.Lock(0, second, 0)
	r.At(silentAt, func() {
		r.client(0).Pause(sim.Time(30 * second))
		r.isolate(r.client(0))
	})
	r.Run(30 * second)
	r.ended(holder, failedAt, "health check failed")
}

// cutProbes stops the probes of some servers to a client, and nothing else, as a lost UDP
// port would.
func (r *rig) cutProbes(client int, servers ...int) {
	for _, i := range servers {
		r.Net.Impose(&network.Rule{From: r.Server("consul", i).ID, To: r.client(client).ID, Op: OpProbe, Cut: true})
	}
}

// A false positive: the probes of a healthy client are lost while its requests pass. The
// session is gone before its TTL. The holder, who can be reached, hears of it at once by its
// blocking read, and the lock-delay keeps the next one away.
func TestFalsePositiveEndsTheLockEarly(t *testing.T) {
	r := newRig(t, 2, nil)
	holder := r.Lock(0, second, 0)
	r.At(silentAt, func() { r.cutProbes(0, 0, 1, 2) })
	r.Run(20 * second)
	r.ended(holder, failedAt, "health check failed")
	if at := r.channelClosed(); at > sim.Time(failedAt+3*ms) {
		t.Errorf("the channel closed at %v", at)
	}
	r.finds("lost-early")
}

// A client that the leader alone cannot reach is reached through others.
func TestIndirectProbes(t *testing.T) {
	r := newRig(t, 2, nil)
	holder := r.Lock(0, second, 50*second)
	r.At(silentAt, func() { r.cutProbes(0, 0, 1) })
	r.Run(60 * second)
	r.ended(holder, 51013*ms, "released")
	r.finds()
}

// A node with a critical check gets no session: Lock fails until it passes again.
func TestNoSessionOnACriticalNode(t *testing.T) {
	r := newRig(t, 2, nil)
	r.cutProbes(0, 0, 1, 2)
	u := r.Lock(0, 10*second, 0)
	r.Run(11 * second)
	if r.noted("Lock failed: "+errServer.Error()) > sim.Time(11*second) {
		t.Error("Lock did not fail")
	}
	r.Run(30 * second)
	r.notGranted(u)
}

// Rates of clocks change nothing but the leader's timer, and that is a matter of its rate
// alone: steps of wall clocks have no effect at all.
func TestWallClockStepsHaveNoEffect(t *testing.T) {
	trial := func(step time.Duration) uint64 {
		r := newRig(t, 2, nil)
		r.Lock(0, second, 20*second)
		r.Lock(1, 2*second, 5*second)
		for at := 2 * second; at < 40*second; at += second {
			r.Run(at)
			for _, h := range r.Fleet.Hosts {
				h.Clock.Step(step)
				step = -2 * step / 3
			}
		}
		return r.World.Digest().Sum()
	}
	if trial(0) != trial(3600*second) {
		t.Error("a step of the wall clock changed the run")
	}
}
