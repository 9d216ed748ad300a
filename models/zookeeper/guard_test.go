package zookeeper

import (
	"testing"

	"fencepost/sim/network"
)

// A session whose end has been proposed is not saved by a touch that comes late.
func TestTouchOfAClosingSession(t *testing.T) {
	tr := tracker{tick: tickTime}
	tr.track(7, T, 0)
	if id := tr.expire(0); id != 0 {
		t.Errorf("session %d expired at once", id)
	}
	if id := tr.expire(tr.find(7).expiry); id != 7 {
		t.Errorf("session %d expired, want 7", id)
	}
	before := tr.find(7).expiry
	if tr.touch(7, before) || tr.track(7, T, before) || tr.find(7).expiry != before || tr.expire(before) != 0 {
		t.Error("the session was touched, or expired twice")
	}
}

// A touch is sent with every answer until the leader's ping says that it has come.
func TestTouchesAreKeptUntilTheyHaveArrived(t *testing.T) {
	r := newRig(t, 1, nil)
	r.Run(second)
	s, leader := r.system().servers[1], r.leader().member
	s.quorum.touches = append(s.quorum.touches, touched{session: 7})
	for _, c := range []struct{ ping, last, shipped int64 }{{5, 4, 5}, {6, 4, 6}, {7, 6, 0}} {
		s.shipTouches(leader, network.Message{Body: network.Body{Value: c.ping, Key: c.last}})
		switch left := s.quorum.touches; {
		case c.shipped == 0 && len(left) > 0:
			t.Errorf("ping %d: still %+v", c.ping, left)
		case c.shipped != 0 && (len(left) != 1 || left[0].shipped != c.shipped):
			t.Errorf("ping %d: %+v", c.ping, left)
		}
	}
}

// A server that has seen less than the client sends it away.
func TestServerBehindItsClient(t *testing.T) {
	r := newRig(t, 1, nil)
	r.Lock(0, second, 0)
	r.Run(5 * second)
	r.system().clients[0].zk.zxid += 1000
	r.Net.Break(r.Env.Clients[0].ID, r.server(0).ID, 0)
	r.Run(9 * second)
	if r.valid(0) {
		t.Error("the session was resumed")
	}
}

// A server without a leader sends clients away at once, so that they need not wait for their
// timeout.
func TestServerWithoutALeader(t *testing.T) {
	r := newRig(t, 3, nil)
	r.isolate(r.server(2), r.servers()...)
	r.Run(30 * second)
	u := r.Lock(2, 0, 0)
	r.Run(50 * second)
	r.within("acquired", u.Acquired, at(30*second), at(30*second+reconnectPause+slack))
}

// A follower that the leader has not pinged for 5 ticks sends its clients away.
func TestFollowerWithoutPingsStopsServing(t *testing.T) {
	r := newRig(t, 3, map[string]int64{"ttl": int64(40 * second)})
	u := r.Lock(2, second, 0)
	r.Run(5 * second)
	r.isolate(r.server(2), r.servers()...)
	lost := r.invalidAt(2, 60*second)
	r.within("sent away", lost, at(5*second+syncLimit*tickTime-tickTime/2), at(5*second+syncLimit*tickTime+tickTime/2+slack))
	r.Run(lost.Duration() + reconnectPause + slack)
	if !r.valid(2) || len(r.ends(u)) > 0 {
		t.Errorf("valid %v, ended %v", r.valid(2), r.ends(u))
	}
}
