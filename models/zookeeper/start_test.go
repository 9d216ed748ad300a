package zookeeper

import (
	"testing"

	"fencepost/sim/host"
)

// A trial begins with a cluster that stands: the first client is not sent away, and made to wait
// for up to a second, because the first leader is elected in the first milliseconds. Election,
// session, node and list are some twenty messages of 1 ms each.
func TestNoTimeIsLostAtZero(t *testing.T) {
	r := newRig(t, 3, map[string]int64{"recipe": plain})
	for seed := uint64(1); seed <= 50; seed++ {
		first := int(seed % 3)
		r.reset(seed)
		u := r.Lock(first, 0, 0)
		r.Run(5 * second)
		if u.Acquired == 0 || u.Acquired > at(2*slack) {
			t.Errorf("seed %d: client %d acquired at %v", seed, first+1, u.Acquired)
		}
	}
}

// If there is no leader for more than a tick, clients are sent away.
func TestNoLeaderAtZero(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"ttl": int64(20 * tickTime)})
	r.server(1).Crash(host.LoseUnsynced)
	r.server(2).Crash(host.LoseUnsynced)
	r.Lock(0, 0, 0)
	r.Run(tickTime + reconnectPause + slack)
	if tried := r.system().clients[0].server; tried < 4 {
		t.Errorf("the client has tried %d servers, want the next", tried-2)
	}
	if s := r.system().servers[0]; s.fresh || len(s.early) > 0 {
		t.Error("the server still waits")
	}
}
