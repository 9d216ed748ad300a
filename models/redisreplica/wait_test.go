package redisreplica

import (
	"errors"
	"testing"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// WAIT asks the replicas: two more round trips, of the client and of the replicas, and the
// lock is confirmed.
func TestWait(t *testing.T) {
	for _, client := range []int64{0, 2} {
		r := newRig(t, 1, map[string]int64{"client": client, "wait-replicas": 2})
		u := r.Lock(0, 10*second, second)
		r.Run(12 * second)
		r.equal("granted", r.Want(u.Hold, history.Grant).At, 10_003*ms)
		r.equal("acquired", u.Acquired, 10_008*ms)
		r.sound()
	}
}

// Too few have it after a second: the lock is not acquired, and is taken back.
func TestWaitForTooFew(t *testing.T) {
	for client, attempts := range map[int64]int64{0: 1, 2: 0} {
		r := newRig(t, 1, map[string]int64{"client": client, "wait-replicas": 1, "attempts": attempts})
		r.unreplicated(5*second, 0, 1, 2)
		hold := r.Recorder.NewHold(0, 1)
		var err error
		r.Env.Clients[0].Go("client 1", func(p *host.Process) {
			p.Sleep(10 * second)
			_, err = r.Lockers[0].Acquire(p, hold)
		})
		r.Run(20 * second)
		if !errors.Is(err, models.ErrNotAcquired) {
			t.Errorf("client %d: %v", client, err)
		}
		// WAIT is there at 10.005 s, answered a second later, and the unlock is there at 11.007 s.
		end, begun := r.Want(hold, history.ServiceEnd), r.Want(hold, history.ReleaseBegin)
		r.equal("taken back", begun.At, 11_006*ms)
		r.equal("gone", end.At, 11_007*ms)
	}
}

// WAIT for one of two: the other is promoted if the one that has the lock is gone too.
func TestWaitForOneIsNotEnough(t *testing.T) {
	r := newRig(t, 2, map[string]int64{"wait-replicas": 1, "servers": 5})
	r.unreplicated(5*second, 0, 2, 3, 4)
	u, next := r.Lock(0, 10*second, 0), r.Lock(1, 60*second, 0)
	r.crash(12*second, 0)
	r.crash(12*second, 1)
	r.Run(65 * second)
	if u.Acquired == 0 || next.Acquired == 0 || !r.Grants.Violated() {
		t.Errorf("acquired at %v and %v", u.Acquired, next.Acquired)
	}
}

// With all of them a crash of the master loses nothing.
func TestWaitForAll(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"wait-replicas": 2})
	u := r.Lock(0, 10*second, 0)
	r.At(10_009*ms, func() { r.server(0).Crash(host.LoseUnsynced) })
	r.Run(70 * second)
	if m := r.masters(); u.Acquired == 0 || len(m) != 1 || !r.box(m[0]).server.Has(u.Hold) {
		t.Errorf("acquired at %v, masters %v", u.Acquired, m)
	}
}

// WAIT never undoes anything, and a renewal does not wait: what is renewed after the links
// are gone is lost.
func TestRenewalsAreNotConfirmed(t *testing.T) {
	r := newRig(t, 2, map[string]int64{"wait-replicas": 2, "ttl": int64(60 * second)})
	u := r.Lock(0, 10*second, 0)
	r.unreplicated(11*second, 0, 1, 2)
	r.Renew(0, 40*second)
	next := r.Lock(1, 70*second, 0)
	r.crash(41*second, 0)
	r.Run(90 * second)
	promise := r.Want(u.Hold, history.Promise)
	if grants := r.Records(next.Hold, history.Grant); len(grants) == 0 || promise.Until < grants[0].At || !r.Grants.Violated() {
		t.Errorf("promised until %v, client 2 acquired at %v", promise.Until, next.Acquired)
	}
}

// A replica refuses WAIT and writes.
func TestReplicaRefuses(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"attempts": 1})
	r.Run(second)
	r.system().links[0].master = 1
	hold := r.Recorder.NewHold(0, 1)
	var err error
	var confirmed bool
	r.Env.Clients[0].Go("client 1", func(p *host.Process) {
		_, err = r.Lockers[0].Acquire(p, hold)
		if known := r.system().links[0].master; known != nobody {
			t.Errorf("the client still takes %d for the master", known)
		}
		r.system().waiting = 1
		r.system().links[0].master = 1
		confirmed = r.system().Confirm(p, 0, hold)
	})
	r.Run(5 * second)
	if err == nil || confirmed || len(r.Records(hold, history.Grant, history.ReleaseBegin)) != 0 {
		t.Errorf("%v, confirmed %t, %+v", err, confirmed, r.Recorder.Records)
	}
}
