package zookeeper

import (
	"testing"

	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// A copy of a create makes a second node that its client knows nothing of. It deletes the first
// alone, and the other keeps everybody out until the session ends. TCP delivers no copies, so a
// scenario that has some reach the servers says nothing about ZooKeeper.
func TestCopyOfACreateIsASecondNode(t *testing.T) {
	for _, share := range []rng.Chance{{}, {Num: 1, Den: 1}} {
		r := newRig(t, 2, nil)
		for _, server := range r.servers() {
			r.Net.Impose(&network.Rule{From: r.Env.Clients[0].ID, To: server.ID, Op: OpCreate,
				Duplicate: share, Again: rng.Constant(10 * ms)})
		}
		first := r.Lock(0, second, second)
		next := r.Lock(1, 2*second, 0)
		r.Run(60 * second)
		blocked := share.Num > 0
		if first.Acquired == 0 || (next.Acquired == 0) != blocked {
			t.Errorf("share %v: acquired at %v and %v", share, first.Acquired, next.Acquired)
		}
		r.Env.Clients[0].Crash(host.LoseMemory)
		r.Run(60*second + quietTakeover(r.Env.Params) + second)
		if next.Acquired == 0 {
			t.Errorf("share %v: not acquired after the end of the session", share)
		}
	}
}
