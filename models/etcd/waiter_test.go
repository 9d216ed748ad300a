package etcd

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// with gives a rig's parameters other values.
func (r *rig) with(params map[string]int64) *rig {
	for name, v := range params {
		r.env.Params[name] = v
	}
	return r
}

// queue is three clients that want the lock one after the other; the first keeps it until
// it has been the first for 40 s.
func queue(r *rig) (first, second, third *use) {
	return r.lock(0, 0, seconds(40)), r.lock(1, time.Second, 0), r.lock(2, seconds(2), 0)
}

// The lease of the second in the queue expires while it waits. When the first lets go, a
// client of 3.5 finds its own key gone (client/v3/concurrency/mutex.go, Lock), and begins
// anew behind the third. One of 3.4 does not look: it takes the lock together with the
// third, with a token that is older than the third's. Its session has told it long ago.
func TestWaiterWhoseLeaseExpiredTakesTheLockBefore35(t *testing.T) {
	for version, client := range map[string]int64{"3.5": 0, "3.4": client34} {
		r := newRig(t, 3, seconds(10)).with(map[string]int64{clientParam.Name: client}).reset(7)
		_, second, third := queue(r)
		r.runTo(seconds(3))
		r.clients[1].Pause(sim.Time(seconds(20)))
		r.runTo(seconds(39))
		if r.valid(1) || second.acquired != 0 || third.acquired != 0 {
			t.Fatalf("%s: valid %v, acquired %v and %v", version, r.valid(1), second.acquired, third.acquired)
		}
		r.runTo(seconds(45))
		r.within("third acquired", third.acquired, sim.Time(seconds(40)), sim.Time(seconds(40)+2*slack))
		if granted := r.find(history.Grant, second.hold, 1); granted != nil {
			t.Errorf("%s: the second was granted at %v, before the third let go", version, granted.At)
		}
		if client != client34 {
			if second.acquired != 0 {
				t.Errorf("%s: the second acquired at %v", version, second.acquired)
			}
			continue
		}
		r.within("second acquired", second.acquired, sim.Time(seconds(40)), sim.Time(seconds(40)+2*slack))
		if second.token != 3 || third.token != 4 || r.valid(1) || !r.valid(2) {
			t.Errorf("%s: tokens %d and %d, valid %v and %v", version, second.token, third.token, r.valid(1), r.valid(2))
		}
	}
}

// With a reply to a keepalive in its buffer the waiter wakes to a session that it takes for
// alive: a client of 3.4 acquires what it does not have, and its session agrees until the
// next keepalive, a third of the TTL after it woke.
func TestWaiterBefore35IsNotEvenToldByItsSession(t *testing.T) {
	r := newRig(t, 3, seconds(30)).with(map[string]int64{clientParam.Name: client34}).reset(7)
	_, second, third := queue(r)
	r.runTo(seconds(3))
	woke := sim.Time(seconds(50)) // after the first has let go
	r.on(1, "keepalive.sent", func(h *host.Host) { h.Pause(woke) })
	r.runTo(seconds(51))
	if second.acquired == 0 || third.acquired == 0 || !r.valid(1) || !r.valid(2) {
		t.Fatalf("acquired %v and %v, valid %v and %v\n%s", second.acquired, third.acquired, r.valid(1), r.valid(2), r.dump())
	}
	r.runTo(woke.Duration() + seconds(10) - ms)
	if !r.valid(1) {
		t.Error("the session ended before the next keepalive")
	}
	r.runTo(woke.Duration() + seconds(10) + retryConnWait + slack)
	if r.valid(1) || !r.valid(2) {
		t.Errorf("valid %v and %v after the next keepalive", r.valid(1), r.valid(2))
	}
}

// To release a lock whose key is gone is no error (mutex.go, Unlock: a plain Delete), and it
// takes nothing from the one who has it.
func TestReleaseWithoutAKeyTakesNothingAway(t *testing.T) {
	r := newRig(t, 3, seconds(10)).with(map[string]int64{clientParam.Name: client34}).reset(7)
	r.lock(0, 0, seconds(40))
	second, third := r.lock(1, time.Second, seconds(3)), r.lock(2, seconds(2), 0)
	r.runTo(seconds(3))
	r.clients[1].Pause(sim.Time(seconds(20)))
	r.runTo(seconds(50))
	if second.err != nil || second.released == 0 || !r.valid(2) || r.find(history.ServiceEnd, third.hold, 1) != nil {
		t.Errorf("released at %v: %v; the third is valid: %v\n%s", second.released, second.err, r.valid(2), r.dump())
	}
}
