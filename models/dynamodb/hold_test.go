package dynamodb

import (
	"errors"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// leaseOver is when a lease that began at an instant is over for isExpired: it has lasted
// longer than 20 s, in whole milliseconds.
func leaseOver(begun time.Duration) time.Duration { return begun + 20*second + ms }

// Cut off, the holder counts from before its last heartbeat was sent, and everybody else
// from after they have read it: no overlap, whenever the other one came.
func TestSilentPartition(t *testing.T) {
	modeltest.ManyTrials(t)
	for start := 4 * second; start < 6*second; start += 37 * ms {
		r := newRig(t, 2, nil)
		r.Lock(0, 0, 0)
		other := r.Lock(1, start, 0)
		r.At(5003*ms, func() { r.cutOff(0) })
		until := r.believes(0, second)
		r.Run(60 * second)
		equal(t, "believed until", *until, at(leaseOver(5*second)-ms))
		if granted := r.Want(other.Hold, history.Grant).At; granted <= *until || r.Grants.Violated() {
			t.Errorf("start %v: granted at %v, believed until %v", start, granted, *until)
		}
	}
}

// There is no slack but the way of the messages and the period of looks: a holder's clock
// that is a tenth slow, of which the documentation says nothing, makes 20 s 22.2 s.
func TestSlowClock(t *testing.T) {
	for _, c := range []struct {
		slower  int64 // percent
		overlap bool
	}{{0, false}, {2, false}, {10, true}} { // 20 s / 0.98 = 20.41 s
		r := newRig(t, 2, nil)
		r.At(0, func() { r.Env.Clients[0].SetRate(-c.slower * 10_000_000) })
		r.Lock(0, 0, 0)
		other := r.Lock(1, 500*ms, 0)
		r.At(700*ms, func() { r.cutOff(0) })
		until := r.believes(0, 600*ms)
		r.Run(60 * second)
		granted := r.Want(other.Hold, history.Grant).At
		equal(t, "granted", granted, at(500*ms+20*1002*ms+3*ms))
		if (*until > granted) != c.overlap || r.Grants.Violated() {
			t.Errorf("%d %% slower: believed until %v, the other was let in at %v", c.slower, *until, granted)
		}
	}
}

// After a pause longer than the lease isExpired is right at once, without asking anybody.
func TestNoResidualBelief(t *testing.T) {
	r := newRig(t, 2, nil)
	u, other := r.Lock(0, 0, 50*second), r.Lock(1, 6*second, 0)
	r.At(6*second, func() { r.Env.Clients[0].Pause(at(40 * second)) })
	until := r.believes(0, second)
	r.Run(80 * second)
	between(t, "believed until", *until, at(6*second-ms), at(6*second))
	equal(t, "granted", r.Want(other.Hold, history.Grant).At, at(6*second+20*1002*ms+3*ms))
	if n := len(r.Records(u.Hold, history.Promise)); n != 1 { // no heartbeat for an expired lock
		t.Errorf("%d heartbeats", n)
	}
	if !errors.Is(u.Err, models.ErrNotHeld) || len(r.Records(other.Hold, history.ServiceEnd)) != 0 {
		t.Errorf("released with %v", u.Err)
	}
}

// A lock that has expired by the holder's own clock gets no heartbeat, although nobody else
// has taken it.
func TestNoHeartbeatAfterTheLease(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 0)
	r.At(6*second, func() { r.Env.Clients[0].Pause(at(40 * second)) })
	r.Run(80 * second)
	equal(t, "last heartbeat", r.Want(u.Hold, history.Promise).At, at(5*second+ms))
}

// A suspended machine's clock stands, and so does the lease.
func TestSuspend(t *testing.T) {
	r := newRig(t, 2, nil)
	r.Lock(0, 0, 0)
	other := r.Lock(1, 6*second, 0)
	r.At(6*second, func() { r.Env.Clients[0].Suspend(at(40 * second)) })
	until := r.believes(0, second)
	r.Run(80 * second)
	equal(t, "believed until", *until, at(40*second+leaseOver(5*second)-6*second-ms))
	if other.Acquired == 0 || !r.Exclusion.Violated() || r.Grants.Violated() {
		t.Errorf("the other acquired at %v", other.Acquired)
	}
}

// A pause while the reply to the put is on its way: acquire returns with a lease that is
// over, and says so if it is asked.
func TestPauseBeforeTheReplyToThePut(t *testing.T) {
	r := newRig(t, 2, nil)
	u, other := r.Lock(0, 0, 0), r.Lock(1, second, 0)
	r.At(3*ms+1, func() { r.Env.Clients[0].Pause(at(30 * second)) })
	r.Run(31 * second)
	equal(t, "acquired", u.Acquired, at(30*second))
	if other.Acquired == 0 || r.client(0).item.expired(0) || !r.client(0).item.expired(30e9) {
		t.Errorf("the other acquired at %v", other.Acquired)
	}
}

// A heartbeat is applied, its reply is lost with the connection, and the SDK sends it again:
// its own version does not match any more. There are no more heartbeats, and isExpired is
// true a lease after the one before, before anybody else can have the lock.
func TestHeartbeatWithoutAReply(t *testing.T) {
	r := newRig(t, 2, nil)
	u, other := r.Lock(0, 0, 30*second), r.Lock(1, 6*second, 0)
	r.At(5*second+ms+1, func() { r.reset(0) })
	until := r.believes(0, second)
	r.Run(60 * second)
	equal(t, "promised until", r.Want(u.Hold, history.Promise).Until, at(25*second+ms))
	equal(t, "believed until", *until, at(leaseOver(2*ms)-ms))
	between(t, "granted", r.Want(other.Hold, history.Grant).At, at(26*second), at(28*second))
	if !errors.Is(u.Err, models.ErrNotHeld) || r.Grants.Violated() {
		t.Errorf("released with %v", u.Err)
	}
}

// A put is applied and answered to nobody; sent again it finds the item. The client takes its
// own item for another's, and waits for its lease like everybody.
func TestPutWithoutAReply(t *testing.T) {
	r := newRig(t, 2, nil)
	u := r.Lock(0, 0, 0)
	r.At(3*ms+1, func() { r.reset(0) })
	r.Run(60 * second)
	grants := r.Records(u.Hold, history.Grant)
	if len(grants) != 2 {
		t.Fatalf("grants %+v", grants)
	}
	between(t, "acquired", u.Acquired, at(21*second), at(21*second+1200*ms))
	between(t, "given up", r.Want(u.Hold, history.ReleaseBegin).At, at(5*ms), at(40*ms))
	r.Sound()
}

// A release is applied, and the one that is sent again finds nothing: the program is told
// that the lock was not its own any more.
func TestReleaseWithoutAReply(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, second)
	r.At(1005*ms+1, func() { r.reset(0) })
	r.Run(10 * second)
	r.ended(t, u, 1005*ms, "released")
	if !errors.Is(u.Err, models.ErrNotHeld) {
		t.Errorf("released with %v", u.Err)
	}
}

// One lost reply, without a reset, keeps the heartbeat thread waiting for the SDK's 30 s,
// longer than the lease.
func TestTimeoutOfTheSDK(t *testing.T) {
	r := newRig(t, 2, nil)
	u, other := r.Lock(0, 0, 22*second), r.Lock(1, 6*second, 0)
	r.At(5*second, func() { r.At(5*second+2*ms, r.Cut(r.Server("dynamodb", 0), r.Env.Clients[0])) })
	until := r.believes(0, second)
	r.Run(60 * second)
	equal(t, "believed until", *until, at(leaseOver(2*ms)-ms))
	between(t, "granted", r.Want(other.Hold, history.Grant).At, at(26*second), at(27*second))
	between(t, "released, after the heartbeat", u.Released, at(35*second), at(36*second))
}

// A release waits for the heartbeat that is on its way, and then knows its version.
func TestReleaseWaitsForTheHeartbeat(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 5*second-3*ms) // released at 5.001 s
	r.At(5*second, func() { r.holdNext(r.Server("dynamodb", 0), r.Env.Clients[0], OpReply, 7*second) })
	r.Run(20 * second)
	r.ended(t, u, 7*second+ms, "released")
	if u.Err != nil {
		t.Errorf("released with %v", u.Err)
	}
	r.Sound()
}

// The service answers 503 for a minute. Heartbeats fail, and so does acquire. A client that
// is told to hold the lock none the less believes on, and the other one, which has seen its
// version before, needs no more time when the service is back: both hold it.
func TestHoldOnServiceUnavailable(t *testing.T) {
	for _, holdOn := range []int64{0, yes} {
		r := newRig(t, 2, given{"hold-on-unavailable": holdOn, "skip-blocking-wait": yes, "unavailable": int64(39 * second)})
		u := r.Lock(0, 0, 0)
		server := r.Server("dynamodb", 0)
		r.At(6*second, func() { server.Crash(host.LoseMemory); server.RestartAt(at(7*second), false) })
		until := r.believes(0, second)
		seen, _ := r.try(1, 5500*ms)
		unavailable, _ := r.try(1, 30*second)
		r.try(1, 46*second+ms)
		r.Run(90 * second)
		if seen.Err != errHeld || unavailable.Err != errUnavailable {
			t.Errorf("%v and %v", seen.Err, unavailable.Err)
		}
		if r.Grants.Violated() {
			t.Errorf("grants %+v", r.Grants.Findings())
		}
		if holdOn == 0 {
			equal(t, "believed until", *until, at(leaseOver(5*second)-ms))
			continue
		}
		equal(t, "the other is let in", r.Want(4, history.Grant).At, at(46*second+4*ms))
		between(t, "believed until", *until, at(60*second), at(72*second))
		if len(r.Records(u.Hold, history.Note)) == 0 {
			t.Error("nobody says why")
		}
	}
}

// The session monitor tells the program a safe time after the last heartbeat was sent, which
// leaves it the rest of the lease.
func TestSessionMonitor(t *testing.T) {
	r := newRig(t, 1, given{"session-monitor": int64(15 * second)})
	u := r.Lock(0, 0, 0)
	until := r.believes(0, second)
	r.At(11*second, func() { r.cutOff(0) })
	r.Run(60 * second)
	equal(t, "believed until", *until, at(25*second-ms))
	equal(t, "told", r.Want(u.Hold, history.Note).At, at(25*second))

	r = newRig(t, 1, given{"session-monitor": int64(15 * second)})
	u = r.Lock(0, 0, 11*second)
	r.Run(60 * second)
	if notes := r.Records(u.Hold, history.Note); len(notes) != 0 {
		t.Errorf("told of a lock that was released: %+v", notes)
	}
}

// Until it has seen an item, a client waits for the additional second only. A put that is
// applied later lets nobody in, and keeps everybody out for its lease.
func TestLatePut(t *testing.T) {
	r := newRig(t, 1, given{"timeout": int64(second), "sdk-retries": 0})
	c, server := r.Env.Clients[0], r.Server("dynamodb", 0)
	r.holdNext(c, server, OpPutNew, 1500*ms) // what follows it on the connection comes later
	u, gaveUp := r.try(0, 0)
	r.Run(30 * second)
	equal(t, "granted", r.Want(u.Hold, history.Grant).At, at(1500*ms))
	equal(t, "given up", r.Want(u.Hold, history.ReleaseBegin).At, at(1500*ms))
	equal(t, "gave up", *gaveUp, at(1002*ms))
	r.Sound()
}
