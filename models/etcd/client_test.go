package etcd

import (
	"testing"
	"time"

	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// The user's program as scenarios run it, and Kleppmann's counterexample: a client
// pauses for longer than its lease after its last check and then writes. Without
// fencing the late write lands on top of the next holder's, with it, it is rejected.
func TestPauseBeforeTheWrite(t *testing.T) {
	for _, guard := range resource.Guards[:2] {
		r := newRig(t, 2, seconds(10))
		machine := r.fleet.NewHost("resource")
		for _, h := range r.fleet.Hosts {
			r.net.SetDelay(h.ID, machine.ID, rng.Constant(50*time.Microsecond))
			r.net.SetDelay(machine.ID, h.ID, rng.Constant(50*time.Microsecond))
		}
		register := resource.NewStore(machine, r.env.Recorder, guard, resource.Settings{})
		r.reset(14)
		r.on(0, "write.send", func(h *host.Host) { h.Pause(r.world.Now().Add(15 * time.Second)) })
		done := 0
		for i, h := range r.clients {
			c := &client.Client{Index: i, Locker: r.system.clients[i], Resource: register.Addr(), Recorder: r.env.Recorder,
				OnDone: func() { done++ }, Workload: client.Workload{Start: time.Duration(i) * time.Second, Cycles: 1,
					Check: client.CheckBeforeWrite, RequestTimeout: time.Second}}
			c.Start(h, "client")
		}
		r.world.Run(sim.Time(seconds(40)))
		if done != 2 {
			t.Fatalf("%s: %d clients are done\n%s", guard.Name, done, r.dump())
		}
		writes, rejects := 0, 0
		for _, rec := range r.env.Recorder.Records {
			switch rec.Kind {
			case history.Write:
				writes++
			case history.Reject:
				rejects++
			}
		}
		if want := guard.NeedsToken; (rejects == 1) != want || (writes == 1) != want {
			t.Errorf("%s: %d writes, %d rejected", guard.Name, writes, rejects)
		}
	}
}
