package zookeeper

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim"
	"fencepost/sim/rng"
)

// Faults of every kind at drawn instants: tokens rise, and one hold ends before the next
// begins.
func TestTrouble(t *testing.T) {
	modeltest.ManyTrials(t)
	for _, recipe := range []int64{interProcessMutex, leaderLatch, plain} {
		r := newRig(t, 3, map[string]int64{"recipe": recipe})
		trouble := modeltest.NewTrouble(r.Fleet)
		var hosts []int
		for i := range r.Fleet.Hosts {
			if i >= len(r.Env.Clients) { // crashed clients would need new programs
				hosts = append(hosts, i)
			}
		}
		grants := 0
		for seed := uint64(1); seed <= 15; seed++ {
			r.reset(seed)
			s := rng.New(rng.Hash(seed, rng.HashString("trouble")), nil)
			draw := modeltest.Draw(func(_ string, lo, hi int) int { return lo + int(s.Int64N(int64(hi-lo+1))) })
			var blows []modeltest.Blow
			for d := time.Second; d < 100*second; d += s.Between(100*ms, 8*second) {
				blows = append(blows, draw.Blow(sim.Time(d), hosts))
			}
			trouble.Reset(blows)
			for client := range r.Env.Clients {
				r.program(client)
			}
			r.Run(200 * second)
			grants += r.soundGrants(seed)
		}
		t.Logf("recipe %d: %d grants", recipe, grants)
		if grants < 1000 {
			t.Errorf("recipe %d: only %d grants", recipe, grants)
		}
	}
}
