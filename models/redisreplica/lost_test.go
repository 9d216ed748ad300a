package redisreplica

import (
	"testing"

	"fencepost/models"
	"fencepost/sim/history"
)

// Client 1 has the lock, and the master crashes before it has sent it to a replica: a replica
// becomes master without it, and client 2 gets it too (redis.io).
func TestLostSuffix(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		r := newRig(t, 2, nil)
		r.Reset(seed)
		r.unreplicated(second, 0, 1, 2)
		u, next := r.Lock(0, 10*second, 0), r.Lock(1, 11*second, 0)
		r.crash(10_100*ms, 0)
		r.Run(60 * second)
		r.ended(u, 10*second+failoverLeast-second, 10*second+failoverMost, history.LostInFailover)
		r.between("client 2 is let in", next.Acquired, 10*second+failoverLeast-second, 10*second+failoverMost+3*second)
		if !r.noted(u.Hold, "lost-suffix") || !r.Grants.Violated() || !r.Exclusion.Violated() {
			t.Error("no promise was broken")
		}
		if leader, ok := r.System.(models.Elected).Leader(); leader == 0 || !ok {
			t.Errorf("leader %d, %t", leader, ok)
		}
	}
}

// A replica whose clock is ahead by 20 s ends the locks that survive 20 s early. Until it is
// promoted it lets nothing expire.
func TestReplicaWithAClockAhead(t *testing.T) {
	r := newRig(t, 2, map[string]int64{"ttl": int64(60 * second)})
	for _, i := range []int{1, 2} {
		r.server(i).Clock.Step(20 * second)
	}
	u, next := r.Lock(0, 10*second, 0), r.Lock(1, 11*second, 0)
	r.crash(12*second, 0)
	r.Run(75 * second)
	r.ended(u, 50_004*ms, 50_300*ms, "expired")
	r.between("client 2 is let in", next.Acquired, 50_004*ms, 50_300*ms)
	if !r.Grants.Violated() {
		t.Error("no promise was broken")
	}

	r = newRig(t, 1, map[string]int64{"ttl": int64(60 * second)})
	r.server(1).Clock.Step(200 * second)
	u = r.Lock(0, 10*second, 0)
	r.Run(70 * second)
	if !r.box(1).server.Has(u.Hold) {
		t.Error("a replica has let the key expire")
	}
	r.Run(71 * second)
	if r.box(1).server.Has(u.Hold) {
		t.Error("a replica has not heard of the delete")
	}
	r.ended(u, 70_100*ms, 70_100*ms, "expired")
}

// A release that was not replicated is undone: the new master has the key for the rest of its
// lease, and nobody holds it.
func TestLostRelease(t *testing.T) {
	r := newRig(t, 2, map[string]int64{"ttl": int64(60 * second)})
	u, next := r.Lock(0, 10*second, 2*second), r.Lock(1, 14*second, 0)
	r.unreplicated(11*second, 0, 1, 2)
	r.crash(13*second, 0)
	r.Run(75 * second)
	r.ended(u, 12*second, 12_010*ms, "released")
	r.between("client 2 is let in", next.Acquired, 70_004*ms, 70_300*ms)
	r.sound()
}

// The counter of tokens is lost with the suffix, if nobody waits for replicas: the token of the
// second hold is given again.
func TestTokenRegresses(t *testing.T) {
	r := newRig(t, 3, map[string]int64{"client": 2, "token": 1, "wait-replicas": -1})
	first := r.Lock(0, 10*second, second)
	r.unreplicated(12*second, 0, 1, 2)
	lost := r.Lock(1, 13*second, 0)
	r.crash(14*second, 0)
	again := r.Lock(2, 60*second, 0)
	r.Run(62 * second)
	if first.Token != 1 || lost.Token != 2 || again.Token != 2 {
		t.Errorf("tokens %d, %d and %d, want 1, 2 and 2 again", first.Token, lost.Token, again.Token)
	}

	r = newRig(t, 2, map[string]int64{"client": 2, "token": 1})
	r.Lock(0, 10*second, second)
	r.crash(14*second, 0)
	next := r.Lock(1, 60*second, 0)
	r.Run(62 * second)
	if next.Token != 2 {
		t.Errorf("token %d after a failover that lost nothing", next.Token)
	}
}
