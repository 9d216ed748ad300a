package zookeeper

import (
	"testing"
	"time"

	"fencepost/sim/host"
)

// All servers die at 5 s and are back 15 s later. Client 1 has been SUSPENDED for longer than T by
// then: it is LOST, and comes back in a new session. The servers' new leader gives the old session
// its whole timeout anew, so that the old node still comes first. A latch that looks whose session's
// it is has lost its leadership for good. One that does not leads again, and goes on leading when
// the old session is over and client 2 leads, too.
func TestLatchTakesTheNodeOfItsEarlierSession(t *testing.T) {
	for latchNode, leads := range []bool{false, true} { // session, path
		r := newRig(t, 2, map[string]int64{"recipe": leaderLatch, "latch-node": int64(latchNode)})
		r.Lock(0, 0, 10*time.Minute)
		waiter := r.Lock(1, second, 10*time.Minute)
		r.At(5*second, func() {
			for _, h := range r.servers() {
				h.Crash(host.LoseMemory)
			}
		})
		r.At(20*second, func() {
			for _, h := range r.servers() {
				h.Restart(false)
			}
		})
		r.Run(19 * second)
		if r.valid(0) {
			t.Errorf("latch-node %d: leads without a connection", latchNode)
		}
		r.Run(2 * time.Minute)
		if waiter.Acquired == 0 {
			t.Fatalf("latch-node %d: client 2 does not lead\n%s", latchNode, r.dump())
		}
		if r.valid(0) != leads {
			t.Errorf("latch-node %d: client 1 leads beside client 2: %v", latchNode, !leads)
		}
	}
}

// A client that is cut off hears nothing from some instant on, and is SUSPENDED two thirds of T
// later. With 33 % it is LOST when the session may end, a third of T after that, with 100 % T after
// it, and with 0 % it waits for the bare client, whose 3.9.2 never says so.
func TestExpirationPercent(t *testing.T) {
	for _, c := range []struct {
		percent int64
		lost    time.Duration // after the client last heard of a server; 0 is never
	}{{expirationPercent, T * 5 / 3}, {330_000, T*2/3 + T*33/100}, {0, 0}} {
		r := newRig(t, 1, map[string]int64{"stop-on": onLost, "client-version": 1, "expiration-percent": c.percent})
		r.Lock(0, 0, 10*time.Minute)
		r.At(5*second, func() { r.partition(0) })
		r.Run(6 * second)
		heard, zk := r.heardAt(0), r.system().clients[0].zk
		lost := r.invalidAt(0, time.Minute)
		if c.lost == 0 {
			if zk != r.system().clients[0].zk {
				t.Error("0 %: Curator ended the session")
			}
			continue
		}
		r.within("LOST", lost, heard.Add(c.lost-slack), heard.Add(c.lost+slack))
	}
}

// Both are Curator's, and the first LeaderLatch's.
func TestCuratorsParameters(t *testing.T) {
	for _, c := range []struct {
		params map[string]int64
		ok     bool
	}{
		{map[string]int64{"latch-node": byPath}, false},
		{map[string]int64{"latch-node": byPath, "recipe": leaderLatch}, true},
		{map[string]int64{"expiration-percent": 330_000, "recipe": plain}, false},
		{map[string]int64{"expiration-percent": 330_000}, true},
	} {
		if err := validate(completed(c.params)); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.params, err)
		}
	}
}
