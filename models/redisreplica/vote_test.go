package redisreplica

import "testing"

// A leader needs a majority and quorum votes.
func TestVotesForALeader(t *testing.T) {
	for _, c := range []struct {
		quorum int64
		others int // that voted for the Sentinel, which votes for itself
		leads  bool
	}{{0, 0, false}, {0, 1, true}, {1, 0, false}, {1, 1, true}, {3, 1, false}, {3, 2, true}} {
		r := newRig(t, 1, map[string]int64{"quorum": c.quorum})
		s := &r.box(0).sentinel
		s.currentEpoch = 1
		for i := 1; i <= c.others; i++ {
			s.peers[i].leader, s.peers[i].leaderEpoch = 0, 1
		}
		if got := r.box(0).elected(1); (got == 0) != c.leads {
			t.Errorf("%+v: elected %d", c, got)
		}
	}
}

// An opinion counts for five seconds.
func TestOldOpinions(t *testing.T) {
	r := newRig(t, 1, nil)
	r.Run(100 * second)
	b := r.box(1)
	b.sentinel.servers[0].down = true
	b.sentinel.peers[2] = peer{saysDown: true, answered: 95_000}
	if b.judgeObjectively(100_000); !b.sentinel.objectively {
		t.Error("an opinion of 5 s ago does not count")
	}
	if b.judgeObjectively(100_001); b.sentinel.objectively {
		t.Error("an opinion of more than 5 s ago counts")
	}
}

// Replicas are reconfigured one at a time. One that is down is left out; one that does not
// answer and is not known to be down holds the others up for 10 s.
func TestReconfiguration(t *testing.T) {
	for _, c := range []struct{ crash, done int }{{8, 50}, {38, 64}} {
		r := newRig(t, 1, map[string]int64{"servers": 5})
		r.crash(10*second, 0)
		r.crash(second*times(c.crash), 1)
		for now := 300; now < 10*c.done; now++ {
			r.Run(100 * ms * times(now))
			for _, b := range r.system().boxes {
				underWay := 0
				for _, in := range b.sentinel.servers {
					if in.reconf == reconfSent || in.reconf == reconfUnderWay {
						underWay++
					}
				}
				if underWay > 1 {
					t.Fatalf("%d replicas at once", underWay)
				}
			}
		}
		m := r.masters()
		if len(m) != 1 {
			t.Fatalf("masters %v", m)
		}
		for i := 2; i < 5; i++ {
			if n := &r.box(i).node; i != m[0] && (n.master != m[0] || !n.linked) || r.box(i).sentinel.master != m[0] {
				t.Errorf("replica crashed at %d s: server %d is not reconfigured: %+v", c.crash, i, n)
			}
		}
	}
}
