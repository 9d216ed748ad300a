package redlock

import (
	"errors"
	"testing"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
)

// A renewal that a majority applies within the validity time promises 10 s less 1 % less
// 2 ms from its own start, and the keys live as long.
func TestRenew(t *testing.T) {
	r := newRig(t, 2, nil)
	u := r.Lock(0, 0, 0)
	first, second8 := r.Renew(0, 4*second), r.Renew(0, 8*second)
	waiter := r.Lock(1, second, 0)
	r.Run(30 * second)
	for _, renewal := range []error{first.Err, second8.Err} {
		if renewal != nil {
			t.Errorf("renewed with %v", renewal)
		}
	}
	promises := r.Records(u.Hold, history.Promise)
	if len(promises) != 2 {
		t.Fatalf("%d promises, want 2: %+v", len(promises), promises)
	}
	equal(t, "promised", promises[1].At, sim.Time(8*second+2*ms))
	equal(t, "promised until", promises[1].Until, sim.Time(8*second+10*second-100*ms-2*ms))
	// The keys were set anew at 8.001 s and are gone 10 s later.
	if end := r.Want(u.Hold, history.ServiceEnd); end.At < sim.Time(18*second) || end.At > sim.Time(18*second+second) {
		t.Errorf("ended at %v", end.At)
	}
	if waiter.Acquired < sim.Time(18*second) {
		t.Errorf("the waiter was let in at %v", waiter.Acquired)
	}
}

// A minority that renews is no renewal. The old validity stays and a later renewal may
// still succeed, as long as it lasts.
func TestRenewWithoutAMajority(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 0)
	heal := func() {}
	r.At(3*second, func() { heal = cutOff(r, 0, 0, 1, 2) })
	r.At(6*second, func() { heal() })
	failed, late := r.Renew(0, 4*second), r.Renew(0, 7*second)
	r.Run(8 * second)
	if failed.Err == nil || errors.Is(failed.Err, models.ErrNotHeld) || late.Err != nil {
		t.Errorf("renewed with %v and %v, want that the first says nothing of a loss while the lock is valid", failed.Err, late.Err)
	}
	equal(t, "the failed renewal was over", failed.Done, sim.Time(4*second+50*ms))
	if promises := r.Records(u.Hold, history.Promise); len(promises) != 1 || promises[0].At != sim.Time(7*second+2*ms) {
		t.Errorf("promises %+v, want one, of the second renewal", promises)
	}
}

// After the keys have expired there is nothing to renew: the script finds no key, which
// does not set one (unlike a SET would).
func TestRenewTooLate(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 0)
	late := r.Renew(0, 11*second)
	r.Run(12 * second)
	if !errors.Is(late.Err, models.ErrNotHeld) || keys(r, u) != 0 || len(r.Records(u.Hold, history.Promise)) != 0 {
		t.Errorf("renewed with %v, %d keys", late.Err, keys(r, u))
	}
}
