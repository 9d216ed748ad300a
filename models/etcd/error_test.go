package etcd

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/trace"
)

// cycles makes a client acquire and hold for a while, one time after the other.
func (r *rig) cycles(client int, hold time.Duration, n int) []*use {
	uses := make([]*use, n)
	for i := range uses {
		uses[i] = &use{hold: r.env.Recorder.NewHold(client, history.Executor(client+1))}
	}
	r.clients[client].Go("client", func(p *host.Process) {
		locker := r.system.clients[client]
		for _, u := range uses {
			grant, _ := locker.Acquire(p, u.hold)
			u.acquired, u.token = r.world.Now(), grant.Token
			p.Sleep(hold)
			u.err = locker.Release(p)
			u.released = r.world.Now()
		}
	})
	return uses
}

// holdNext holds the next message of a class between a client and a member back.
func (r *rig) holdNext(from, to *host.Host, op *network.Op, until time.Duration) *network.Hold {
	h := &network.Hold{From: from.ID, To: to.ID, Op: op, Until: sim.Time(until)}
	r.net.Hold(h)
	return h
}

// A Delete that was sent is not sent again (client/v3/retry.go, DeleteRange): Unlock
// returns its error, and the session is closed (session.go, Close), so that the Delete,
// when it comes at last, does not hit the client's next key.
func TestUnlockIsNotRetried(t *testing.T) {
	r := newRig(t, 1, seconds(30)).reset(17)
	sink := &trace.Memory{}
	r.world.Sink = sink
	member := r.system.cluster.Members()[0].Host()
	held := r.holdNext(r.clients[0], member, OpDelete, seconds(20))
	uses := r.cycles(0, seconds(3), 3)
	r.runTo(seconds(10) + slack)
	first := uses[0]
	r.within("released", first.released, sim.Time(seconds(10)), sim.Time(seconds(10)+slack))
	if first.err == nil || held.Caught != 1 {
		t.Fatalf("release %v, %d messages held", first.err, held.Caught)
	}
	deletes := 0
	for _, rec := range sink.Records {
		if rec.What == "send" && strings.Contains(rec.Text, OpDelete.Name+" ") {
			deletes++
		}
	}
	if deletes != 1 {
		t.Errorf("%d deletes were sent, want 1", deletes)
	}
	if end := r.ended(first); end.Text != "released" || end.At > first.released {
		t.Errorf("ended %q at %v, released at %v", end.Text, end.At, first.released)
	}
	// The others take 3 s each: the second is over at 13 s, the third at 16 s.
	r.runTo(seconds(16) + 2*slack)
	late := r.cycles(0, seconds(10), 1)[0]
	r.runTo(seconds(21))
	if late.acquired == 0 || !r.valid(0) || r.find(history.ServiceEnd, late.hold, 1) != nil {
		t.Errorf("the late delete took a later key\n%s", r.dump())
	}
}

// A Txn that puts is not sent again either (client/v3/retry.go, Txn). Lock returns the
// error, and the application comes back with a new session; the old lease is revoked, so
// the late Txn finds no lease and leaves no key behind.
func TestLockTriesAgainWithANewSession(t *testing.T) {
	r := newRig(t, 1, seconds(30)).reset(18)
	r.holdNext(r.clients[0], r.system.cluster.Members()[0].Host(), OpTxn, seconds(12))
	u := r.lock(0, seconds(1), seconds(3))
	r.runTo(seconds(20))
	r.within("acquired", u.acquired, sim.Time(seconds(8)), sim.Time(seconds(8)+2*slack))
	if u.err != nil || u.released > sim.Time(seconds(12)) {
		t.Errorf("release %v at %v", u.err, u.released)
	}
	for i, srv := range r.system.servers {
		if len(srv.store.keys) != 0 || len(srv.lessor.leases) != 1 {
			t.Errorf("member %d has keys %v and %d leases", i+1, srv.store.keys, len(srv.lessor.leases))
		}
	}
}

// If the Txn was carried out and only its reply is late, the service has let the client
// in, and the client gives the lock back without having known. The record says so, and
// the hold is let in anew.
func TestLockThatWasGrantedUnknownIsGivenBack(t *testing.T) {
	r := newRig(t, 1, seconds(30)).reset(19)
	r.holdNext(r.system.cluster.Members()[0].Host(), r.clients[0], OpTxnReply, seconds(12))
	u := r.lock(0, seconds(1), 0)
	r.runTo(seconds(20))
	want := []history.Kind{history.Grant, history.ReleaseBegin, history.ServiceEnd, history.Grant}
	if got := r.ownership(); !slices.Equal(got, want) {
		t.Errorf("kinds %v, want %v\n%s", got, want, r.dump())
	}
	if end := r.ended(u); end.Text != "released" || !r.valid(0) {
		t.Errorf("ended %q, valid %v", end.Text, r.valid(0))
	}
}

// ownership is the kinds of the records that say whose the lock is, in their order.
func (r *rig) ownership() []history.Kind {
	var kinds []history.Kind
	for _, rec := range r.env.Recorder.Records {
		switch rec.Kind {
		case history.Grant, history.ReleaseBegin, history.ServiceEnd:
			kinds = append(kinds, rec.Kind)
		}
	}
	return kinds
}

// A Txn that comes between the error of Lock and the revocation makes a key that nobody
// claims any more. It is no grant.
func TestLateTxnGrantsNothing(t *testing.T) {
	r := newRig(t, 1, seconds(30)).reset(22)
	members := r.system.cluster.Members()
	r.holdNext(r.clients[0], members[0].Host(), OpTxn, seconds(10))
	r.holdNext(r.clients[0], members[1].Host(), OpRevoke, seconds(12))
	u := r.lock(0, seconds(1), 0)
	r.runTo(seconds(11))
	if keys := r.system.servers[0].store.keys; len(keys) != 1 || u.acquired != 0 {
		t.Fatalf("keys %v, acquired %v: the test shows nothing", keys, u.acquired)
	}
	r.runTo(seconds(13))
	if got := r.ownership(); !slices.Equal(got, []history.Kind{history.Grant}) || !r.valid(0) {
		t.Errorf("kinds %v, valid %v\n%s", got, r.valid(0), r.dump())
	}
	r.within("grant", r.granted(u).At, sim.Time(seconds(12)), sim.Time(seconds(12)+2*slack))
}

// LeaseRevoke is repeatable (client/v3/retry.go), until Close's own timeout of a TTL
// (session.go): a client that is cut off comes back from Unlock a timeout and a TTL
// after it called, and its lease runs out by itself.
func TestCloseGivesUpAfterATTL(t *testing.T) {
	r := newRig(t, 2, seconds(10)).reset(20)
	holder, waiter := r.lock(0, 0, seconds(5)), r.lock(1, time.Second, 0)
	r.runTo(seconds(4))
	for _, m := range r.system.cluster.Members() {
		r.net.Impose(&network.Rule{From: r.clients[0].ID, To: m.Host().ID, Cut: true})
	}
	until := r.promisedUntil(holder)
	r.runTo(seconds(40))
	r.within("released", holder.released, sim.Time(seconds(5+7+10)), sim.Time(seconds(5+7+10)+slack))
	r.within("handed over", waiter.acquired, until, until.Add(sweepInterval+slack))
	if holder.err == nil {
		t.Error("the release came back without an error")
	}
}

// A keepalive that is answered while the delete is on its way promises nothing more to a
// client that gives the lock back.
func TestNothingIsPromisedDuringTheRelease(t *testing.T) {
	r := newRig(t, 1, seconds(3)).reset(21)
	r.holdNext(r.clients[0], r.system.cluster.Members()[0].Host(), OpDelete, seconds(10))
	holder := r.lock(0, 0, seconds(4))
	r.runTo(seconds(9))
	lease := r.system.clients[0].session.lease
	if at := r.system.reporter.Touched(lease); at < sim.Time(seconds(6)) {
		t.Fatalf("last renewed at %v: the test shows nothing", at)
	}
	if at := r.renewedAfter(holder, sim.Time(seconds(4))); at != 0 {
		t.Errorf("promised at %v\n%s", at, r.dump())
	}
	r.runTo(seconds(11))
	if holder.err != nil || r.ended(holder).Text != "released" {
		t.Errorf("release %v, ended %q", holder.err, r.ended(holder).Text)
	}
}
