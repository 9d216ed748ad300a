package redis

import (
	"errors"
	"testing"

	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// The answer to an acquire comes when its caller has gone. By default it begins the renewals, and nobody
// gets the lock before the process ends; or it gives the lock back.
func TestInterruptedAcquire(t *testing.T) {
	for lateReply, renewed := range []bool{true, false} {
		r := newRedissonRig(t, 2, map[string]int64{interruptParam.Name: int64(100 * ms), lateReplyParam.Name: int64(lateReply)})
		r.Net.SetDelay(r.Server("redis", 0).ID, r.Env.Clients[0].ID, rng.Constant(500*ms))
		gone, next := r.try(0, 0), r.Lock(1, second, 0)
		r.Run(200 * second)
		if gone.done != at(100*ms) || !errors.Is(gone.err, errInterrupted) {
			t.Errorf("late-reply %d: the caller is told %v at %v", lateReply, gone.err, gone.done)
		}
		if got := next.Acquired == 0; got != renewed {
			t.Errorf("late-reply %d: renewed for nobody: %v, want %v", lateReply, got, renewed)
		}
		r.Env.Clients[0].Crash(host.LoseMemory)
		r.Run(240 * second)
		if next.Acquired == 0 {
			t.Errorf("late-reply %d: renewed by a process that has ended", lateReply)
		}
		if end := r.Want(gone.hold, history.ServiceEnd); renewed == (end.Text == "released") {
			t.Errorf("late-reply %d: the lock ends: %s", lateReply, end.Text)
		}
	}
	// An answer in time is as without it.
	r := newRedissonRig(t, 1, map[string]int64{interruptParam.Name: int64(100 * ms)})
	u := r.Lock(0, 0, second)
	r.Run(5 * second)
	equal(t, "acquired", u.Acquired, at(2*ms))
	r.Sound()
}
