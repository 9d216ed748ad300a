package etcd

import (
	"testing"
	"time"

	"fencepost/models/client"
	"fencepost/models/modeltest"
	"fencepost/models/resource"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// sets is five clients that add to a set of which they read all and write all back, over up
// to 2 s, under a lock of 2 s, in pauses of processes (K. Kingsbury, Jepsen: etcd 3.4.3, 2020;
// jepsen-io/etcd, src/jepsen/etcd/lock.clj, LockingSetClient). It returns how many writes
// were acknowledged, and how many of them replaced what their own hold had not read.
func sets(t *testing.T, guard resource.Guard, seed uint64, pause func(r *rig, s *rng.Stream) *host.Host) (acknowledged, lost int) {
	r := newRig(t, 5, seconds(2))
	machine := r.fleet.NewHost("resource")
	for _, h := range r.fleet.Hosts {
		r.net.SetDelay(h.ID, machine.ID, rng.Constant(50*time.Microsecond))
		r.net.SetDelay(machine.ID, h.ID, rng.Constant(50*time.Microsecond))
	}
	register := resource.NewStore(machine, r.env.Recorder, guard, resource.Settings{})
	r.reset(seed)
	for i, h := range r.clients {
		c := &client.Client{Index: i, Locker: r.system.clients[i], Resource: register.Addr(), Recorder: r.env.Recorder, Seed: seed,
			Workload: client.Workload{Cycles: 1000, Between: rng.Uniform(0, 2*time.Second), Check: client.CheckNever, RequestTimeout: time.Minute}}
		c.Start(h, "client")
	}
	s := rng.New(rng.Hash(seed, rng.HashString("nemesis")), nil)
	for at := seconds(5); at <= seconds(300); at += seconds(5) {
		r.runTo(at)
		if pause != nil {
			pause(r, &s).Pause(sim.Time(at).Add(s.Between(seconds(3), seconds(5))))
		}
	}
	read := map[history.HoldID]int64{}
	for _, rec := range r.env.Recorder.Records {
		switch rec.Kind {
		case history.Read:
			read[rec.Hold] = rec.Value
		case history.Write:
			acknowledged++
			if rec.Base != read[rec.Hold] {
				lost++
			}
		}
	}
	return acknowledged, lost
}

// With leases of 2 s, work of up to 2 s and a pause every 5 s, Jepsen lost 18 % of the updates
// that were acknowledged. The number depends on its machines; that it is a sizeable share
// does not, whether holders or members pause: neither looks at its session. Without pauses
// nothing is lost here, where the network is quick and no client is ever late. With the
// revision of the key as a token, checked on reads and writes, nothing is lost at all.
func TestJepsenLosesUpdates(t *testing.T) {
	modeltest.ManyTrials(t)
	anyClient := func(r *rig, s *rng.Stream) *host.Host { return r.clients[s.Int64N(int64(len(r.clients)))] }
	anyMember := func(r *rig, s *rng.Stream) *host.Host {
		members := r.system.cluster.Members()
		return members[s.Int64N(int64(len(members)))].Host()
	}
	none := resource.Guards[0]
	fenced, _ := resource.FindGuard("fence-reads-writes")
	for _, c := range []struct {
		name    string
		guard   resource.Guard
		pause   func(r *rig, s *rng.Stream) *host.Host
		atLeast int // per cent
		atMost  int
	}{
		{"no pauses", none, nil, 0, 0},
		{"clients pause", none, anyClient, 5, 30},
		{"members pause", none, anyMember, 10, 30},
		{"clients pause, fenced", fenced, anyClient, 0, 0},
		{"members pause, fenced", fenced, anyMember, 0, 0},
	} {
		acknowledged, lost := 0, 0
		for seed := uint64(1); seed <= 5; seed++ {
			a, l := sets(t, c.guard, seed, c.pause)
			acknowledged, lost = acknowledged+a, lost+l
		}
		t.Logf("%s: %d of %d updates lost", c.name, lost, acknowledged)
		if acknowledged < 300 || lost*100 < c.atLeast*acknowledged || lost*100 > c.atMost*acknowledged {
			t.Errorf("%s: %d of %d updates lost, want %d to %d %%", c.name, lost, acknowledged, c.atLeast, c.atMost)
		}
	}
}
