package zookeeper

import (
	"testing"
	"time"

	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim/history"
	"fencepost/sim/rng"
)

// The program that scenarios run unless they say otherwise has the listener that Curator's
// documentation recommends: it stops its section 2T/3 after the last word, while it works, and so
// T/3 before anybody else can be let in. LeaderLatch calls its listeners as well.
func TestDefaultProgramListens(t *testing.T) {
	for _, recipe := range []int64{interProcessMutex, leaderLatch, plain} {
		r := newRig(t, 2, map[string]int64{"recipe": recipe})
		machine := r.Fleet.NewHost("resource")
		register := resource.NewStore(machine, r.Recorder, resource.Guards[0], resource.Settings{})
		for _, h := range r.Env.Clients {
			r.Net.SetDelay(h.ID, machine.ID, rng.Constant(ms))
			r.Net.SetDelay(machine.ID, h.ID, rng.Constant(ms))
		}
		r.reset(1)
		for i, h := range r.Env.Clients {
			c := &client.Client{Index: i, Locker: r.Lockers[i], Resource: register.Addr(), Recorder: r.Recorder, OnDone: func() {},
				Workload: client.Workload{Start: time.Duration(i+1) * second, Cycles: 1, Between: rng.Constant(60 * second),
					Check: client.Check(New().Describe().Check), CheckPeriod: 100 * ms, RequestTimeout: second}}
			c.Start(h, "client")
		}
		r.Run(5 * second)
		r.partition(0)
		heard := r.heardAt(0)
		r.Run(40 * second)
		ends := r.Records(1, history.BeliefEnd)
		if len(ends) != 1 || len(r.Records(2, history.BeliefBegin)) != 1 || r.exclusion.Violated() {
			t.Fatalf("recipe %d: %+v\n%s", recipe, r.exclusion.Findings(), r.dump())
		}
		r.within("stopped", ends[0].At, heard.Add(2*T/3), heard.Add(2*T/3+100*ms+slack))
	}
}
