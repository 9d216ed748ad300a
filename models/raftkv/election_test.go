package raftkv

import (
	"testing"
	"time"

	"fencepost/sim/host"
	"fencepost/sim/rng"
)

func TestTimingIsChecked(t *testing.T) {
	good := eager
	for what, c := range map[string]struct {
		change  func(t *Timing)
		members int
		refused bool
	}{
		"as it is":                  {func(*Timing) {}, 3, false},
		"candidates never differ":   {func(t *Timing) { t.Spread = 1 }, 3, true},
		"there is one candidate":    {func(t *Timing) { t.Spread = 1 }, 1, false},
		"no spread":                 {func(t *Timing) { t.Spread = 0 }, 1, true},
		"no tick":                   {func(t *Timing) { t.Tick = 0 }, 3, true},
		"few ticks":                 {func(t *Timing) { t.ElectionTicks = fewestElectionTicks - 1 }, 3, true},
		"no retries":                {func(t *Timing) { t.RetryMin, t.RetryMax = 0, 0 }, 3, false},
		"retries never differ":      {func(t *Timing) { t.RetryMax = t.RetryMin }, 3, true},
		"a range upside down":       {func(t *Timing) { t.RetryMax = t.RetryMin / 2 }, 3, true},
		"no time for any request":   {func(t *Timing) { t.RequestTimeout = 0 }, 3, true},
		"the shortest range of all": {func(t *Timing) { t.RetryMin, t.RetryMax = 0, 1 }, 3, false},
	} {
		timing := good
		c.change(&timing)
		refused := func() (refused bool) {
			defer func() { refused = recover() != nil }()
			timing.check(c.members)
			return false
		}()
		if refused != c.refused {
			t.Errorf("%s, %d members: refused is %v", what, c.members, refused)
		}
	}
}

// Two followers ask for votes at the same instant, each its own. With a range for retries the
// next attempt is drawn from it; without one it comes an election timeout later at the
// earliest.
func TestSplitVotesAreAskedForAgain(t *testing.T) {
	const first = 8 * time.Second
	elected := func(timing Timing, seed uint64) time.Duration {
		r := newRigOf(t, 3, timing, rng.Constant(0), func(*Member) App { return &counterApp{} })
		r.env.EveryMessage = true
		for _, from := range r.fleet.Hosts {
			for _, to := range r.fleet.Hosts {
				r.net.SetDelay(from.ID, to.ID, rng.Constant(10*time.Millisecond))
			}
		}
		r.reset(seed)
		r.runTo(5 * time.Second)
		r.cluster.Leader().host.Crash(host.LoseUnsynced)
		for _, m := range r.cluster.members[1:] {
			m.election.silence, m.election.timeout = 0, timing.ElectionTicks
			m.arm(m.Now().Add(first - 5*time.Second - time.Duration(timing.ElectionTicks-1)*timing.Tick))
			m.election.due = m.election.armed
		}
		r.runTo(first)
		for r.cluster.Leader() == nil || r.cluster.Leader().ID == 1 {
			r.runTo(r.world.Now().Duration() + time.Millisecond)
		}
		return r.world.Now().Duration() - first
	}
	slower := eager
	slower.RetryMin, slower.RetryMax = 0, 0
	for seed := uint64(1); seed <= 20; seed++ {
		// The two vote for themselves after 20 ms. Retries are 120 to 180 ms after their first
		// attempts, and one that is 10 ms earlier than the other has its votes 40 ms later.
		if took := elected(eager, seed); took < 160*time.Millisecond || took > 600*time.Millisecond {
			t.Errorf("seed %d: elected after %v", seed, took)
		}
		if took := elected(slower, seed); took < time.Duration(slower.ElectionTicks)*slower.Tick {
			t.Errorf("seed %d: without retries elected after %v", seed, took)
		}
	}
}
