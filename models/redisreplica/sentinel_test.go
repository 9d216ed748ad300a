package redisreplica

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"fencepost/models/modeltest"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// promotedAt runs until a server other than the first is master, and returns when.
func (r *rig) promotedAt(until int) int {
	for now := 1; now < until; now++ {
		r.Run(second * times(now))
		if m := r.masters(); len(m) > 0 && m[len(m)-1] != 0 {
			return now
		}
	}
	return 0
}

// The silence begins with the first ping that is not answered, at most a second after the
// crash, and counts for down-after; opinions, vote and choice take another 2 s.
func TestDownAfter(t *testing.T) {
	for _, after := range []int{5, 30} {
		for seed := uint64(1); seed <= 10; seed++ {
			r := newRig(t, 1, map[string]int64{"down-after": int64(second * times(after))})
			r.Reset(seed)
			r.crash(10*second, 0)
			if at := r.promotedAt(100); at < 10+after || at > 10+after+5 {
				t.Errorf("seed %d: promoted at %d s, want %d s to %d s", seed, at, 10+after, 10+after+5)
			}
		}
	}
}

// A master that answers in time is not down, however short it is silent for the rest.
func TestNoFailoverAfterAShortSilence(t *testing.T) {
	r := newRig(t, 1, nil)
	r.At(10*second, func() { r.server(0).Pause(at(38 * second)) })
	r.Run(100 * second)
	if m := r.masters(); len(m) != 1 || m[0] != 0 || r.box(1).sentinel.configEpoch != 0 {
		t.Errorf("masters %v", m)
	}
}

// Each Sentinel votes once in an epoch, for whoever asks first.
func TestOneVoteInAnEpoch(t *testing.T) {
	r := newRig(t, 1, nil)
	b := r.box(0)
	if got := b.vote(1, 2); got != 2 {
		t.Errorf("voted for %d", got)
	}
	if got := b.vote(1, 1); got != 2 {
		t.Errorf("voted for %d in the same epoch", got)
	}
	if got := b.vote(2, 1); got != 1 || b.sentinel.currentEpoch != 2 {
		t.Errorf("voted for %d in the next", got)
	}
	if got := b.vote(1, 2); got != 1 {
		t.Errorf("voted for %d in an epoch that is over", got)
	}
	if b.sentinel.failover.start == 0 {
		t.Error("who votes for another may start a failover at once")
	}
	r.server(0).Crash(host.LoseUnsynced)
	r.server(0).Restart(false)
	if got := b.vote(2, 2); got != 1 {
		t.Errorf("voted for %d in the same epoch after a restart", got)
	}
}

// A Sentinel whose clock is set back stands aside for 30 s: without it there is no majority.
func TestTilt(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"down-after": int64(5 * second)})
	r.crash(10*second, 0)
	r.At(14*second, func() { r.server(1).Clock.Step(-3 * second) })
	if at := r.promotedAt(100); at < 44 || at > 48 {
		t.Errorf("promoted at %d s, want after 44 s", at)
	}
	r = newRig(t, 1, map[string]int64{"down-after": int64(5 * second)})
	r.crash(10*second, 0)
	r.At(14*second, func() { r.server(1).Clock.Step(2500 * ms) })
	if at := r.promotedAt(100); at < 44 || at > 48 {
		t.Errorf("promoted at %d s, want after 44 s", at)
	}
}

// Two Sentinels cannot reach each other: none is elected, the attempt ends after 10 s, and
// the next one comes after twice the failover timeout.
func TestElectionWithoutAMajority(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"down-after": int64(5 * second), "failover-timeout": int64(15 * second), "quorum": 1})
	r.crash(10*second, 0)
	for _, a := range []int{1, 2} {
		for _, op := range []*network.Op{opIsDown, opIsDownReply, opHello} {
			r.cutOp(0, op, a, 3-a)
		}
	}
	r.Run(28 * second)
	for _, i := range []int{1, 2} {
		if f := r.box(i).sentinel.failover; f.state != failoverNone || f.start == 0 {
			t.Errorf("Sentinel %d: %+v", i, f)
		}
	}
	r.Run(60 * second)
	if m := r.masters(); len(m) != 0 || r.box(1).sentinel.currentEpoch < 2 {
		t.Errorf("masters %v, epoch %d", m, r.box(1).sentinel.currentEpoch)
	}
}

// An old master that is back is made a replica, not before 8 s have passed, and the replica
// that was not promoted follows the new one.
func TestOldMasterComesBack(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"down-after": int64(5 * second)})
	r.crash(10*second, 0)
	r.At(40*second, func() { r.server(0).Restart(false) })
	r.Run(47 * second)
	if m := r.masters(); len(m) != 2 {
		t.Errorf("masters %v", m)
	}
	r.Run(70 * second)
	r.converged()
}

// converged checks that one server is master, and that the others have what it has.
func (r *rig) converged() {
	r.t.Helper()
	if why := r.disagreement(); why != "" {
		r.t.Error(why)
	}
}

// disagreement is what is wrong with servers that should be in order, or nothing.
func (r *rig) disagreement() string {
	m := r.masters()
	if len(m) != 1 {
		return fmt.Sprintf("masters %v", m)
	}
	for i, b := range r.system().boxes {
		if b.sentinel.master != m[0] {
			return fmt.Sprintf("Sentinel %d takes %d for the master, it is %d", i, b.sentinel.master, m[0])
		}
		if i != m[0] && (b.node.master != m[0] || !b.node.linked || b.node.offset != r.box(m[0]).node.offset) {
			return fmt.Sprintf("server %d: %+v", i, b.node)
		}
	}
	return ""
}

// A replica that was behind a partition for longer than repl-timeout takes its master's data
// anew when it is back.
func TestReplicaIsBack(t *testing.T) {
	r := newRig(t, 1, nil)
	r.isolate(10*second, 100*second, []int{2}, nil)
	u := r.Lock(0, 20*second, 0)
	r.Run(99 * second)
	if r.box(2).server.Has(u.Hold) || r.box(2).node.linked || r.box(0).node.offset != 1 {
		t.Errorf("%+v", r.box(2).node)
	}
	r.Run(103 * second)
	if !r.box(2).server.Has(u.Hold) {
		t.Error("the replica has not what its master has")
	}
	r.converged()
}

// usualDelays makes every message take as long as in a new rig.
func (r *rig) usualDelays() {
	for _, from := range r.Fleet.Hosts {
		for _, to := range r.Fleet.Hosts {
			r.Net.SetDelay(from.ID, to.ID, rng.Constant(modeltest.Delay))
		}
	}
}

// Whatever happens to the hosts and between them, an epoch has one leader and, when all is
// well again, one server is master and the others follow it. The second trial in a world is
// the first one in a new world.
func TestStormConverges(t *testing.T) {
	params := map[string]int64{"down-after": int64(2 * second), "failover-timeout": int64(5 * second)}
	r := newRig(t, 2, params)
	trouble := modeltest.NewTrouble(r.Fleet)
	rapid.Check(t, func(t *rapid.T) {
		draw := modeltest.Draw(func(what string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, what) })
		r.Reset(uint64(draw("seed", 1, 1000)))
		var blows []modeltest.Blow
		for range draw("blows", 0, 6) {
			blows = append(blows, draw.Blow(at(second*times(draw("when", 1, 30))), []int{2, 3, 4}))
		}
		trouble.Reset(blows)
		r.At(0, r.usualDelays) // a blow may have changed those of an earlier trial
		r.At(50*second, r.usualDelays)
		r.Lock(0, 3*second, 5*second)
		elected := map[int64]int{}
		for now := range 120 {
			r.Run(second * times(now))
			for i, b := range r.system().boxes {
				if f := &b.sentinel.failover; f.state >= failoverPromote {
					if other, ok := elected[f.epoch]; ok && other != i {
						t.Fatalf("Sentinels %d and %d lead in epoch %d", other, i, f.epoch)
					}
					elected[f.epoch] = i
				}
			}
		}
		if why := r.disagreement(); why != "" {
			t.Fatalf("%s, after %+v", why, blows)
		}
	})
}
