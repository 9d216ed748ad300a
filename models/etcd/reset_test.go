package etcd

import (
	"slices"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// dies is a member whose process dies alone: its kernel resets the connections.
func (r *rig) dies(member int) {
	h := r.system.cluster.Members()[member].Host()
	for _, c := range r.clients {
		r.net.Break(c.ID, h.ID, 0)
	}
	h.Crash(host.LoseMemory)
}

// A Txn that was carried out and whose reply is lost with its connection. It is not sent
// again (client/v3/retry.go): Lock returns the error at once, the session is closed at
// another member, and the service has let a hold in and out that the client never knew.
func TestResetLosesTheReplyOfLock(t *testing.T) {
	r := newRig(t, 1, seconds(30)).reset(51)
	member := r.system.cluster.Members()[0].Host()
	caught := r.holdNext(member, r.clients[0], OpTxnReply, seconds(20))
	u := r.lock(0, 0, seconds(3))
	r.runTo(seconds(1))
	if caught.Caught != 1 || u.acquired != 0 {
		t.Fatalf("caught %d, acquired %v", caught.Caught, u.acquired)
	}
	r.net.Break(r.clients[0].ID, member.ID, 0)
	r.runTo(seconds(10))
	r.within("acquired", u.acquired, sim.Time(seconds(1)), sim.Time(seconds(1)+2*slack))
	want := []history.Kind{history.Grant, history.ReleaseBegin, history.ServiceEnd, history.Grant, history.ServiceEnd}
	if got := r.ownership(); !slices.Equal(got, want) || u.err != nil {
		t.Errorf("kinds %v, want %v; release %v\n%s", got, want, u.err, r.dump())
	}
	// Revisions: put 2, revoked 3, put 4.
	if u.token != 4 {
		t.Errorf("token %d, want 4", u.token)
	}
}

// The delete of Unlock that was carried out and whose reply is lost: Unlock returns an
// error, and the lock is free all the same.
func TestResetLosesTheReplyOfUnlock(t *testing.T) {
	r := newRig(t, 2, seconds(30)).reset(52)
	member := r.system.cluster.Members()[0].Host()
	r.holdNext(member, r.clients[0], OpDeleteReply, seconds(20))
	holder, waiter := r.lock(0, 0, seconds(3)), r.lock(1, time.Second, 0)
	r.runTo(seconds(4))
	r.net.Break(r.clients[0].ID, member.ID, 0)
	r.runTo(seconds(5))
	if holder.err == nil || r.ended(holder).Text != "released" {
		t.Errorf("release %v, ended %q", holder.err, r.ended(holder).Text)
	}
	r.within("released", holder.released, sim.Time(seconds(4)), sim.Time(seconds(4)+slack))
	r.within("handed over", waiter.acquired, sim.Time(seconds(3)), sim.Time(seconds(3)+2*slack))
}

// A waiter whose member's process dies resumes its watch at the next member at once, and a
// client that calls goes on at once. If the machine dies, both wait (package comment).
func TestDeadProcessIsNoticedAtOnce(t *testing.T) {
	r := newRig(t, 2, seconds(60)).reset(53)
	holder, waiter := r.lock(0, 0, seconds(10)), r.lock(1, time.Second, 0)
	r.runTo(seconds(9))
	r.dies(1) // a follower, that of the waiter
	r.runTo(seconds(11))
	r.within("handed over", waiter.acquired, holder.released.Add(-slack), holder.released.Add(slack))
	r.dies(2)
	late := r.lock(0, 0, 0)
	r.runTo(seconds(30))
	if late.acquired != 0 || r.leader() != nil && r.leader().Name == "etcd/1" {
		t.Error("one member of three serves")
	}
}

// A keepalive whose connection breaks is sent again at the next look, 500 ms later, over a
// new connection (client/v3/lease.go, recvKeepAliveLoop); a reset costs no session.
func TestResetCostsNoSession(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		r := newRig(t, 2, seconds(2)).reset(seed)
		holder := r.lock(1, 0, seconds(20)) // talks to a follower, which forwards
		r.lock(0, time.Second, 0)
		for at := 2; at < 20; at++ {
			r.runTo(seconds(at) + time.Duration(seed)*23*ms)
			r.net.Break(r.clients[1].ID, r.system.cluster.Members()[1].Host().ID, 0)
			if !r.valid(1) {
				t.Fatalf("seed %d: the session was lost at %v\n%s", seed, r.world.Now(), r.dump())
			}
		}
		r.runTo(seconds(21))
		if holder.err != nil {
			t.Errorf("seed %d: release %v", seed, holder.err)
		}
	}
}
