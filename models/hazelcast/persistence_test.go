package hazelcast

import (
	"testing"

	"fencepost/sim/history"
	"fencepost/sim/host"
)

// Two of three members crash and start anew. With CP persistence they come back with the lock and
// its session; without it they stay away, and the group has lost its majority for good.
func TestMembersComeBackWithPersistence(t *testing.T) {
	for persistence, passesOn := range []bool{false, true} {
		r := newRig(t, 2, "ttl", 60*sec, "persistence", persistence)
		u, next := r.Lock(0, sec, 100*sec), r.Lock(1, 2*sec, 0)
		r.Run(10 * sec)
		for i := range 2 {
			r.server(i).Crash(host.LoseMemory)
		}
		r.Run(11 * sec)
		for i := range 2 {
			r.server(i).Restart(false)
		}
		r.Run(99 * sec)
		if len(r.Records(u.Hold, history.ServiceEnd)) != 0 || next.Acquired != 0 {
			t.Errorf("persistence %d: the lock is lost with the members", persistence)
		}
		r.Run(600 * sec)
		if got := next.Acquired != 0; got != passesOn {
			t.Errorf("persistence %d: the lock passes on: %v", persistence, got)
		}
	}
}
