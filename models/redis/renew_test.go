package redis

import (
	"errors"
	"testing"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// A renewal sets the TTL anew from when the server applies it.
func TestRenew(t *testing.T) {
	r := newRig(t, 2, nil)
	u, waiter := r.Lock(0, 0, 0), r.Lock(1, second, 0)
	renewal := r.Renew(0, 5*second)
	r.Run(30 * second)
	promises := r.Records(u.Hold, history.Promise)
	if renewal.Err != nil || len(promises) != 1 {
		t.Fatalf("renewed with %v, promises %+v", renewal.Err, promises)
	}
	applied := sim.Time(5*second + ms)
	if p := promises[0]; p.At != applied || p.Until != applied.Add(10*second-ms) {
		t.Errorf("promised at %v until %v", p.At, p.Until)
	}
	if waiter.Acquired <= applied.Add(10*second) || waiter.Acquired > applied.Add(11*second) {
		t.Errorf("the waiter was let in at %v", waiter.Acquired)
	}
}

// A key that is not there, or another client's, is not renewed.
func TestRenewOfALostLock(t *testing.T) {
	r := newRig(t, 2, nil)
	u, waiter := r.Lock(0, 0, 0), r.Lock(1, second, 0)
	late := r.Renew(0, 12*second)
	r.Run(19 * second)
	if !errors.Is(late.Err, models.ErrNotHeld) || len(r.Records(u.Hold, history.Promise)) != 0 {
		t.Errorf("renewed with %v", late.Err)
	}
	if waiter.Acquired == 0 || len(r.Records(waiter.Hold, history.ServiceEnd)) != 0 {
		t.Errorf("the waiter, which holds since %v, lost its lock", waiter.Acquired)
	}
}

// A renewal that is not answered may have been applied: it does not say that the lock is lost.
func TestRenewWithoutAReply(t *testing.T) {
	r := newRig(t, 1, nil)
	r.Lock(0, 0, 0)
	r.At(4*second, func() { r.Cut(r.Server("redis", 0), r.Env.Clients[0]) })
	renewal := r.Renew(0, 5*second)
	r.Run(9 * second)
	if !errors.Is(renewal.Err, host.ErrTimeout) || renewal.Done != sim.Time(8*second) {
		t.Errorf("came back at %v with %v", renewal.Done, renewal.Err)
	}
}

// With extend: set a renewal that finds no key sets it: the same hold is let in again, whoever was
// inside meanwhile. One that finds another's key does nothing.
func TestRenewThatSets(t *testing.T) {
	for extend, grantsWanted := range []int{1, 2} { // compare, and set
		set := extend == extendBySet
		r := newRig(t, 2, map[string]int64{"extend": int64(extend)})
		u, other := r.Lock(0, 0, 0), r.Lock(1, second, 2*second)
		conflict, late := r.Renew(0, 11*second), r.Renew(0, 14*second)
		r.Run(20 * second)
		if other.Acquired == 0 || other.Released == 0 || !errors.Is(conflict.Err, models.ErrNotHeld) {
			t.Fatalf("the other is in from %v to %v, the first renewal ends with %v", other.Acquired, other.Released, conflict.Err)
		}
		grants := r.Records(u.Hold, history.Grant)
		if len(grants) != grantsWanted || (late.Err == nil) != set {
			t.Errorf("extend: set is %v: let in %d times, renewed with %v", set, len(grants), late.Err)
		}
		if r.Grants.Violated() {
			t.Error("a promise was broken")
		}
	}
}
