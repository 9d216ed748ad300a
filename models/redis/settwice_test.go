package redis

import (
	"testing"

	"fencepost/sim/history"
)

// Upon an error the second set takes whosever key there is; upon the word that there is a key, none is
// sent. A key of its own is extended by it, and one that is not there is not set.
func TestSetTwice(t *testing.T) {
	newTwice := func() *rig {
		return newRig(t, 2, map[string]int64{acquireParam.Name: acquireBySetTwice, "timeout": int64(second)})
	}
	r := newTwice()
	holder := r.Lock(0, 0, 0)
	r.At(900*ms, func() { r.At(1400*ms, r.Cut(r.Env.Clients[1], r.Server("redis", 0))) })
	other := r.Lock(1, second, 0)
	r.Run(5 * second)
	equal(t, "the second set", other.Acquired, at(2002*ms))
	r.ended(t, holder, 2001*ms, history.ForeignRelease)

	r = newTwice()
	r.Lock(0, 0, 0)
	other = r.Lock(1, second, 0)
	r.Run(5 * second)
	equal(t, "upon the word", other.Acquired, 0)
	r.Sound()

	r = newTwice()
	r.At(0, func() { r.At(500*ms, r.Cut(r.Server("redis", 0), r.Env.Clients[0])) })
	own := r.Lock(0, ms, 0)
	r.Run(5 * second)
	equal(t, "its own", own.Acquired, at(1003*ms))
	if n := len(r.Records(own.Hold, history.Grant)); n != 1 {
		t.Errorf("%d grants of its own key", n)
	}

	r = newTwice()
	r.At(0, func() { r.At(1500*ms, r.Cut(r.Env.Clients[0], r.Server("redis", 0))) })
	none := r.Lock(0, ms, 0)
	r.Run(5 * second)
	if none.Acquired < at(2001*ms) {
		t.Errorf("set without a key, at %v", none.Acquired)
	}
}
