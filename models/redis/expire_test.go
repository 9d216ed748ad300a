package redis

import (
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// The key of a SET that is served at 1 ms expires at 10.001 s. Nobody touches it, and the
// first cycle after that, at 10.1 s, deletes it.
func TestActiveExpiry(t *testing.T) {
	for _, c := range []Persistence{NoPersistence, EverySec, Always} {
		r := newPersistentRig(t, c, 0)
		u := r.Lock(0, 0, 0)
		r.Run(20 * second)
		r.ended(t, u, 10_100*ms, "expired")
		if s := r.server(); s.cycle != 0 || s.present {
			t.Errorf("%v: a server without a key: %+v", c, s)
		}
		r.Sound()
	}
}

// The cycle looks when the wall clock says so: an hour back is an hour more. A clock that is
// stepped ahead is noticed by whoever touches the key, here nobody.
func TestActiveExpiryByTheWallClock(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 0)
	r.At(second, func() { r.Server("redis", 0).Clock.Step(-3600 * second) })
	r.Run(4000 * second)
	r.ended(t, u, 3610_100*ms, "expired")

	r = newRig(t, 1, nil)
	u = r.Lock(0, 0, 0)
	r.At(second, func() { r.Server("redis", 0).Clock.Step(20 * second) })
	r.Run(20 * second)
	r.ended(t, u, 10_100*ms, "expired")
}

// By a monotonic clock it makes no difference how the wall clock is set, to whoever touches the key
// and to the cycle; and time in which the machine is suspended does not count.
func TestExpiryByTheMonotonicClock(t *testing.T) {
	for _, step := range []time.Duration{-3600 * second, 20 * second} {
		r := newRig(t, 2, map[string]int64{ExpiryClockParam.Name: 1})
		u, next := r.Lock(0, 0, 0), r.Lock(1, 2*second, 0)
		r.At(second, func() { r.Server("redis", 0).Clock.Step(step) })
		r.Run(20 * second)
		if end := r.Want(u.Hold, history.ServiceEnd); end.Text != history.Expired {
			t.Errorf("step %v: the key was gone: %s", step, end.Text)
		}
		between(t, "the next one's acquire", next.Acquired, at(10*second), at(10*second+300*ms))
	}
	r := newRig(t, 1, map[string]int64{ExpiryClockParam.Name: 1})
	u := r.Lock(0, 0, 0)
	r.At(second, func() { r.Server("redis", 0).Suspend(sim.Time(3601 * second)) })
	r.Run(3700 * second)
	r.ended(t, u, 3610_100*ms, "expired")
}

// A renewal moves the expiry, and a shorter lease would bring it forward: the cycle of the
// first does not end the second.
func TestActiveExpiryAfterARenewal(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 0)
	r.Renew(0, 9*second)
	r.Run(30 * second)
	r.ended(t, u, 19_100*ms, "expired")

	r = newRig(t, 2, nil)
	first, next := r.Lock(0, 0, second), r.Lock(1, 5*second, 0)
	r.Run(30 * second)
	r.ended(t, first, 1003*ms, "released")
	r.ended(t, next, 15_100*ms, "expired")
}

// The cycle's delete is in the file: after a clock that is set back and a restart the key
// does not come back.
func TestActiveExpiryIsWritten(t *testing.T) {
	r := newPersistentRig(t, Always, 0)
	r.Lock(0, 0, 0)
	server := r.Server("redis", 0)
	r.At(12*second, func() { server.Clock.Step(-10 * second); server.Crash(host.LoseUnsynced); server.Restart(false) })
	waiter := r.Lock(1, 13*second, 0)
	r.Run(14 * second)
	equal(t, "the second client is let in", waiter.Acquired, at(13*second+2*ms))
}

// A server that waits for its disk runs no cycle: an fsync of a renewal that begins at 9.001 s
// and takes until 25 s.
func TestNoActiveExpiryDuringAnFsync(t *testing.T) {
	r := newPersistentRig(t, Always, 0)
	r.Env.Fsync = rng.Constant(ms)
	r.Reset(1)
	u := r.Lock(0, 0, 0)
	r.At(8*second, func() { r.Server("redis", 0).Disk.Stall(at(25 * second)) })
	r.Renew(0, 9*second)
	r.Run(30 * second)
	end := r.Want(u.Hold, history.ServiceEnd)
	between(t, "expired", end.At, at(25*second), at(25_100*ms))
}

// A key that the restarted server finds expired in its file goes with the next cycle.
func TestActiveExpiryAfterARestart(t *testing.T) {
	r := newPersistentRig(t, Always, 0)
	u := r.Lock(0, 0, 0)
	r.crash(5*second, host.LoseUnsynced)
	r.Run(20 * second)
	r.ended(t, u, 10_100*ms, "expired")
}
