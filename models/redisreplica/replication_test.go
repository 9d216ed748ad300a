package redisreplica

import (
	"testing"

	"fencepost/sim"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// A stream whose messages were lost is made good within a second, by the next acknowledgement.
func TestLostStreamIsSentAgain(t *testing.T) {
	r := newRig(t, 1, nil)
	r.cutOp(5*second, opStream, 0, 1, 2)
	u := r.Lock(0, 10*second, 0)
	r.Run(11_500 * ms)
	if !r.box(1).server.Has(u.Hold) || !r.box(2).server.Has(u.Hold) {
		t.Error("a replica has not the key")
	}
}

// A copy of an earlier write does not undo a later one.
func TestLateCopyOfAWrite(t *testing.T) {
	r := newRig(t, 1, nil)
	r.Net.Impose(&network.Rule{From: r.server(0).ID, To: r.server(1).ID, Op: opStream,
		Duplicate: rng.Chance{Num: 1, Den: 1}, Again: rng.Constant(500 * ms)})
	u := r.Lock(0, 10*second, 100*ms)
	r.Run(10_550 * ms)
	if r.box(1).server.Has(u.Hold) {
		t.Error("the key that was released is back")
	}
}

// What the old master had sent, and what arrives only after the failover, is of no use to
// those who follow another, or nobody.
func TestWritesOfTheOldMasterComeLate(t *testing.T) {
	r := newRig(t, 1, nil)
	for i := 1; i <= 2; i++ {
		r.Net.Hold(&network.Hold{From: r.server(0).ID, To: r.server(i).ID, Op: opStream, Until: sim.Time(60 * second)})
	}
	u := r.Lock(0, 10*second, 0)
	r.crash(10_100*ms, 0)
	r.Run(62 * second)
	for i := 1; i <= 2; i++ {
		if r.box(i).server.Has(u.Hold) {
			t.Errorf("server %d has taken over a write of the old master", i)
		}
	}
}

// The master's heartbeats keep the links of a quiet lock.
func TestQuietLinkStays(t *testing.T) {
	r := newRig(t, 1, nil)
	r.Run(second / 2)
	for now := 1; now < 200; now++ {
		r.Run(second * times(now))
		if !r.box(1).node.linked || !r.box(2).node.linked {
			t.Fatalf("a link is down at %d s", now)
		}
	}
}

// A replica that follows a replica has no link, and its Sentinels correct it when it has been
// so for the failover timeout.
func TestMisconfiguredReplica(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"failover-timeout": int64(20 * second)})
	r.At(5*second, func() { r.box(2).replicaOf(1) })
	r.Run(24 * second)
	if n := &r.box(2).node; n.master != 1 || n.linked {
		t.Errorf("%+v", n)
	}
	r.Run(45 * second)
	r.converged()
}

// A master that somebody has made a replica is down after down-after and two INFO periods. It
// is told of the new one after the failover timeout.
func TestMasterThatIsAReplica(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"failover-timeout": int64(20 * second)})
	r.At(5*second, func() { r.box(0).replicaOf(1) })
	r.Run(54 * second)
	if m := r.masters(); len(m) != 0 {
		t.Errorf("masters %v", m)
	}
	r.Run(70 * second)
	if m := r.masters(); len(m) != 1 || m[0] == 0 {
		t.Errorf("masters %v", m)
	}
	r.Run(110 * second)
	r.converged()
}

// Who loses its disk starts from its first configuration: the first server is the master.
func TestLostConfiguration(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"down-after": int64(5 * second)})
	r.crash(10*second, 0)
	r.Run(30 * second)
	for _, lost := range []host.Lost{host.LoseUnsynced, host.LoseEverything} {
		fresh := lost == host.LoseEverything
		for i := 1; i <= 2; i++ {
			was := r.box(i).node.master
			r.server(i).Crash(lost)
			r.server(i).Restart(false)
			if b := r.box(i); (b.node.master == 0) != fresh || !fresh && b.node.master != was || (b.sentinel.configEpoch == 0) != fresh {
				t.Errorf("%v lost: server %d follows %d, was %d, epoch %d", lost, i, b.node.master, was, b.sentinel.configEpoch)
			}
		}
	}
}

// With appendfsync always the master answers when its write is synced, and a replica has its
// own file.
func TestPersistentReplicas(t *testing.T) {
	r := newRig(t, 2, map[string]int64{"persistence": 2})
	r.Env.Fsync = rng.Constant(20 * ms)
	r.Reset(1)
	u := r.Lock(0, 10*second, 0)
	r.Run(11 * second)
	r.equal("acquired", u.Acquired, 10_024*ms)
	for i := range 3 {
		r.server(i).Crash(host.LoseUnsynced)
		if r.server(i).Restart(false); !r.box(i).server.Has(u.Hold) {
			t.Errorf("server %d has not the key in its file", i)
		}
	}
	r.Run(20 * second)
	for i := range 3 {
		if !r.box(i).server.Has(u.Hold) {
			t.Errorf("server %d has lost the key", i)
		}
	}
	r.sound()
}

// A replica that starts anew with the key in its file, and a clock that is ahead by an hour,
// lets it not expire either.
func TestRestartedReplicaLetsNothingExpire(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"persistence": 2})
	r.server(1).Clock.Step(3600 * second)
	u := r.Lock(0, 10*second, 0)
	r.isolate(20*second, 60*second, []int{1}, nil)
	r.At(20*second, func() { r.server(1).Crash(host.LoseUnsynced); r.server(1).Restart(false) })
	for now := 21; now < 60; now++ {
		if r.Run(second * times(now)); !r.box(1).server.Has(u.Hold) {
			t.Fatalf("the key is gone at %d s", now)
		}
	}
}
