package consul

import (
	"testing"

	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// A server takes a request of a client's process for the sign that it waits for no earlier one.
// So it is where requests come once and in order. A late copy of a read makes a follower forget
// the blocking read after it, which is never answered then, while keepalives are: the client does
// not hear that the key is free. TCP delivers no copies, so a scenario that has some reach the
// servers says nothing about Consul.
func TestCopyOfAReadEndsTheNextOne(t *testing.T) {
	for _, share := range []rng.Chance{{}, {Num: 1, Den: 1}} {
		r := newRig(t, 3, nil)
		r.Run(second)
		holder := r.leader()
		waiter := (holder + 1) % 3 // its requests are forwarded
		rule := network.Rule{From: r.client(waiter).ID, To: r.server(waiter).member.Host().ID, Op: OpGet,
			Duplicate: share, Again: rng.Constant(second)}
		r.Net.Impose(&rule)
		r.OnStep(waiter, "wait", func() { r.Net.Lift(&rule) })
		r.Lock(holder, 2*second, 10*second)
		next := r.Lock(waiter, 5*second, 0)
		r.Run(600 * second)
		if heard := next.Acquired != 0; heard != (share.Num == 0) {
			t.Errorf("share %v: acquired at %v\n%s", share, next.Acquired, r.dump())
		}
	}
}
