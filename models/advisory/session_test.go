package advisory

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// Waiters queue in the server and are let in one after the other, each at the instant at
// which the one before gives the lock back. Their tokens are those of the sequence.
func TestQueue(t *testing.T) {
	r := newRig(t, 3, nil)
	first, last := r.Lock(0, 0, second), r.Lock(2, 20*ms, 0)
	next := r.Lock(1, 10*ms, second)
	r.Run(10 * second)
	equal(t, "granted", r.Want(first.Hold, history.Grant).At, at(3*ms))
	equal(t, "acquired", first.Acquired, at(6*ms))
	r.ended(t, first, 1007*ms, "released")
	equal(t, "granted", r.Want(next.Hold, history.Grant).At, at(1007*ms))
	r.ended(t, next, 1007*ms+3*ms+second+ms, "released")
	equal(t, "granted", r.Want(last.Hold, history.Grant).At, r.Want(next.Hold, history.ServiceEnd).At)
	if first.Token != 1 || next.Token != 2 || last.Token != 3 || first.Err != nil {
		t.Errorf("tokens %d, %d and %d, released with %v", first.Token, next.Token, last.Token, first.Err)
	}
	r.Sound()
}

// A connection is used again, and without a sequence the lock is there a round trip earlier.
func TestNextCycle(t *testing.T) {
	r := newRig(t, 1, given{"token": 0})
	first, again := r.Lock(0, 0, second), r.Lock(0, 2*second, 0)
	r.Run(10 * second)
	equal(t, "acquired", first.Acquired, at(4*ms))
	equal(t, "acquired again", again.Acquired, at(2*second+2*ms))
	if first.Token != 0 {
		t.Errorf("token %d", first.Token)
	}
	r.Sound()
}

// A paused holder keeps the lock, however long: there is no time to live.
func TestPausedHolderKeepsTheLock(t *testing.T) {
	r := newRig(t, 2, nil)
	u, other := r.Lock(0, 0, 10*second), r.Lock(1, second, 0)
	r.At(2*second, func() { r.Env.Clients[0].Pause(at(3600 * second)) })
	r.Run(3599 * second)
	if other.Acquired != 0 {
		t.Errorf("acquired at %v", other.Acquired)
	}
	r.Run(3700 * second)
	r.ended(t, u, 3600*second+ms, "released")
	r.Sound()
}

// The holder's machine dies. The server last heard of it at 5 ms: two hours later it probes,
// nine times in 75 s each, and then the next one is let in. The default of MySQL would end
// the session after eight hours, and does so if keepalive is off for longer.
func TestHolderVanishes(t *testing.T) {
	for _, c := range []struct {
		set   given
		after time.Duration
		why   string
	}{
		{nil, 7200*second + 9*75*second, "keepalive was not answered"},
		{given{"keepalive-idle": int64(20 * second), "keepalive-interval": int64(second), "keepalive-count": 3, "timeout": int64(100 * second)}, 23 * second, "keepalive was not answered"},
		{given{"database": mysql}, 7200*second + 9*75*second, "keepalive was not answered"},
		{given{"database": mysql, "keepalive-idle": int64(36_000 * second)}, 28_800 * second, "idle timeout"},
		{given{"idle-timeout": int64(60 * second)}, 60 * second, "idle timeout"},
	} {
		r := newRig(t, 2, c.set)
		holder, waiter := r.Lock(0, 0, 0), r.Lock(1, second, 0)
		r.At(2*second, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
		r.Run(c.after + 10*second)
		r.ended(t, holder, 5*ms+c.after, c.why)
		equal(t, "granted", r.Want(waiter.Hold, history.Grant).At, at(5*ms+c.after))
		r.Sound()
	}
}

// A holder that answers probes is kept for ever.
func TestKeepaliveIsAnswered(t *testing.T) {
	r := newRig(t, 2, given{"keepalive-idle": int64(5 * second), "keepalive-interval": int64(second), "keepalive-count": 3, "timeout": int64(600 * second)})
	holder, waiter := r.Lock(0, 0, 0), r.Lock(1, second, 0)
	r.Run(500 * second)
	if waiter.Acquired != 0 || r.server(0).find(1).probes != 0 {
		t.Errorf("acquired at %v", waiter.Acquired)
	}
	r.Sound()
	// Cut off for 2 s it misses two probes at most; for good, all three.
	heal := r.cutOff(0, 0)
	r.Run(502 * second)
	heal()
	r.Run(550 * second)
	if waiter.Acquired != 0 {
		t.Errorf("acquired at %v", waiter.Acquired)
	}
	r.cutOff(0, 0)
	r.Run(570 * second)
	if end := r.Want(holder.Hold, history.ServiceEnd); end.Text != "keepalive was not answered" || waiter.Acquired == 0 {
		t.Errorf("ended: %s", end.Text)
	}
	r.verdicts(t, true, true) // it could not know
}

// A live session of a holder that works on something else is idle: MySQL ends it after
// wait_timeout. The holder's program sees nothing of it until it releases.
func TestIdleTimeoutOfALiveHolder(t *testing.T) {
	r := newRig(t, 2, given{"database": mysql, "idle-timeout": int64(60 * second)})
	holder, waiter := r.Lock(0, 0, 100*second), r.Lock(1, second, 0)
	r.Run(99 * second)
	r.ended(t, holder, 60*second+5*ms, "idle timeout")
	equal(t, "granted", r.Want(waiter.Hold, history.Grant).At, at(60*second+5*ms))
	if !r.Lockers[0].Valid(nil) {
		t.Error("nobody has used the connection")
	}
	r.verdicts(t, true, true)
	r.Run(110 * second)
	if !errors.Is(holder.Err, errLost) {
		t.Errorf("released with %v", holder.Err)
	}
}

// A session that waits for the lock is in a command, and not idle; queries on the holder's
// connection keep that from being idle.
func TestWhoWaitsIsNotIdle(t *testing.T) {
	r := newRig(t, 2, given{"idle-timeout": int64(60 * second)})
	holder, waiter := r.Lock(0, 0, 200*second), r.Lock(1, second, second)
	for when := 50 * second; when < 200*second; when += 50 * second {
		r.Renew(0, when)
	}
	r.Run(250 * second)
	r.ended(t, holder, 200*second+7*ms, "released")
	equal(t, "granted", r.Want(waiter.Hold, history.Grant).At, at(200*second+7*ms))
	r.Sound()
}

// What happens to the connection after the release is no loss, and the next acquire begins
// without the errors of the one before.
func TestResetBetweenTwoCycles(t *testing.T) {
	r := newRig(t, 1, nil)
	first, again := r.Lock(0, 0, second), r.Lock(0, 5*second, 0)
	r.At(2*second, func() { r.reset(0, 0) })
	failed := r.Renew(0, 3*second)
	r.Run(10 * second)
	if !errors.Is(failed.Err, errLost) || len(r.Records(first.Hold, history.Promise)) != 0 {
		t.Errorf("%v; promises %+v", failed.Err, r.Records(first.Hold, history.Promise))
	}
	equal(t, "acquired", again.Acquired, at(5*second+6*ms))
	if !r.Lockers[0].Valid(nil) {
		t.Error("the new connection has not failed")
	}
	r.Sound()
}

// A reset ends the session, and the next one is let in 1 ms after the holder's host knows.
// Its program finds out when it uses the connection; a driver that connects anew without a
// word hides that, and only the release has nothing to give back.
func TestResetOfTheHoldersConnection(t *testing.T) {
	for _, c := range []struct {
		silent, asks bool
		valid        bool
		released     error
	}{
		{false, false, true, errLost},
		{false, true, false, errLost},
		{true, false, true, models.ErrNotHeld},
		{true, true, true, models.ErrNotHeld},
	} {
		set := given{}
		if c.silent {
			set["reconnect"] = reconnectSilently
		}
		r := newRig(t, 2, set)
		holder, waiter := r.Lock(0, 0, 10*second), r.Lock(1, second, 0)
		r.At(5*second, func() { r.reset(0, 0) })
		renewed := &modeltest.Renewal{}
		if c.asks {
			renewed = r.Renew(0, 6*second)
		}
		r.Run(7 * second)
		equal(t, "promised until", r.Want(holder.Hold, history.Promise).Until, at(5*second))
		r.ended(t, holder, 5*second+ms, "its connection was closed")
		equal(t, "granted", r.Want(waiter.Hold, history.Grant).At, at(5*second+ms))
		if valid := r.Lockers[0].Valid(nil); valid != c.valid {
			t.Errorf("%+v: valid %v", c, valid)
		}
		if asks := r.Records(holder.Hold, history.Note); c.asks {
			if len(asks) != 1 || !strings.HasPrefix(asks[0].Text, "query: connection lost (connection reset)") || strings.Contains(asks[0].Text, "without the lock") != c.silent || (renewed.Err == nil) != c.silent {
				t.Errorf("%+v: a query was answered with %v, noted: %+v", c, renewed.Err, asks)
			}
		} else if len(asks) != 0 {
			t.Errorf("noted without use of the connection: %+v", asks)
		}
		r.Run(20 * second)
		if !errors.Is(holder.Err, c.released) || len(r.Records(waiter.Hold, history.ServiceEnd)) != 0 {
			t.Errorf("%+v: released with %v", c, holder.Err)
		}
		r.verdicts(t, false, true)
	}
}

// A waiter's connection is reset. It connects anew and queues behind the others; its old
// session is ended when it looks, or would be let in. It is never given the lock.
func TestResetOfAWaitersConnection(t *testing.T) {
	for _, c := range []struct {
		set   given
		ended time.Duration // the old session
	}{
		{nil, 10*second + 7*ms},
		{given{"check-interval": int64(3 * second)}, 8*second + ms},
		{given{"database": mysql}, 6*second + ms},
	} {
		r := newRig(t, 3, c.set)
		r.Lock(0, 0, 10*second)
		waiter, other := r.Lock(1, second, 0), r.Lock(2, 2*second, second)
		r.At(5*second, func() { r.reset(1, 0) })
		r.Run(c.ended - 1)
		if r.server(0).find(2) == nil {
			t.Errorf("%v: the old session has ended before %v", c.set, c.ended)
		}
		r.Run(c.ended + ms)
		if r.server(0).find(2) != nil {
			t.Errorf("%v: the old session has not ended at %v", c.set, c.ended)
		}
		r.Run(20 * second)
		equal(t, "granted", r.Want(other.Hold, history.Grant).At, at(10*second+7*ms))
		equal(t, "granted", r.Want(waiter.Hold, history.Grant).At, r.Want(other.Hold, history.ServiceEnd).At)
		r.Sound()
	}
}

// A waiter's machine dies. The server does not know, lets it in, and everybody else waits for
// keepalive: two hours from when something was last heard of it.
func TestVanishedWaiterIsGranted(t *testing.T) {
	r := newRig(t, 3, nil)
	r.Lock(0, 0, 10*second)
	dead, other := r.Lock(1, second, 0), r.Lock(2, 2*second, 0)
	r.At(5*second, func() { r.Env.Clients[1].Crash(host.LoseMemory) })
	r.Run(7900 * second)
	equal(t, "granted", r.Want(dead.Hold, history.Grant).At, at(10*second+7*ms))
	equal(t, "granted", r.Want(other.Hold, history.Grant).At, at(second+3*ms+7875*second))
	r.Sound()
}

// A holder whose machine crashes waits for its own dead session when it is back, until the
// first probe after two hours finds that nobody knows the connection any more. Of a process
// that died alone the kernel has closed the connection.
func TestRestartedHolder(t *testing.T) {
	for lost, want := range map[host.Lost]time.Duration{host.LoseUnsynced: 5*ms + 7200*second + 2*ms, host.LoseMemory: 2*second + 3*ms} {
		r := newRig(t, 1, nil)
		first := r.Lock(0, 0, 0)
		var again *modeltest.Use
		r.At(2*second, func() {
			r.Env.Clients[0].Crash(lost)
			r.Env.Clients[0].Restart(false)
			r.Lockers[0] = r.System.Locker(0)
			again = r.Lock(0, 0, 0)
		})
		r.Run(7900 * second)
		equal(t, "granted", r.Want(again.Hold, history.Grant).At, at(want))
		if end := r.Want(first.Hold, history.ServiceEnd); end.Text != "its connection was closed" {
			t.Errorf("%v lost: %s", lost, end.Text)
		}
	}
}

// The session is lost after the lock was granted and before the token is there: what was
// granted is given up, and asked for again.
func TestResetBeforeTheToken(t *testing.T) {
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 0)
	r.At(5*ms+1, func() { r.reset(0, 0) })
	r.Run(second)
	if len(r.Records(u.Hold, history.Grant)) != 2 || u.Token != 2 {
		t.Errorf("token %d, grants %+v", u.Token, r.Records(u.Hold, history.Grant))
	}
	r.Want(u.Hold, history.ReleaseBegin)
	r.Sound()
}
