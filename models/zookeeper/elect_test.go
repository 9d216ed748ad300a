package zookeeper

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// A new leader is there within the time that the takeover counts for it, also if messages take
// so long that candidates often meet. As fast leader election has no split votes, most take no
// longer than one silence of 5 ticks and the spread: 16 s.
func TestElectionsEndInTime(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, delay := range []time.Duration{ms, 50 * ms} {
		r := newRig(t, 0, nil)
		for _, from := range r.Fleet.Hosts {
			for _, to := range r.Fleet.Hosts {
				r.Net.SetDelay(from.ID, to.ID, rng.Constant(delay))
			}
		}
		const trials = 1000
		late, sum, longest := 0, time.Duration(0), time.Duration(0)
		for seed := uint64(1); seed <= trials; seed++ {
			r.reset(seed)
			crash := at(5*second + time.Duration(seed)*ms)
			r.Run(crash.Duration())
			r.leader().member.Host().Crash(host.LoseUnsynced)
			took := r.election(electionTime(r.Env.Params))
			sum, longest = sum+took, max(longest, took)
			if took > syncLimit*tickTime+spread*tickTime/2+second {
				late++
			}
		}
		t.Logf("delay %v: %v in the mean, %v at most, %d of %d after a split", delay, sum/trials, longest, late, trials)
		if longest >= electionTime(r.Env.Params) || late > trials/20 {
			t.Errorf("delay %v: %v at most, %d of %d after a split", delay, longest, late, trials)
		}
	}
}

// election runs until somebody leads, and returns how long that took.
func (r *rig) election(limit time.Duration) time.Duration {
	from := r.World.Now()
	for r.World.Now() < from.Add(limit) {
		if _, ok := r.system().Leader(); ok {
			break
		}
		r.Run(r.World.Now().Duration() + 10*ms)
	}
	return r.World.Now().Sub(from)
}
