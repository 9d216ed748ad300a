package advisory

import (
	"strings"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// The primary dies at 5 s. The standby, which asks it every 6 s, takes over at 30 s, without
// the lock: the next one is let in beside the holder, which nobody tells. In PostgreSQL the
// sequence goes on after the 33 values that were logged ahead, in MySQL after the one.
func TestFailover(t *testing.T) {
	for database, token := range []int64{34, 2} {
		r := newRig(t, 2, given{"database": int64(database)})
		holder, other := r.Lock(0, 0, 0), r.Lock(1, 31*second, 0)
		r.At(5*second, func() { r.Server("db", 0).Crash(host.LoseMemory) })
		r.Run(60 * second)
		r.ended(t, holder, 30*second, history.LostInFailover)
		equal(t, "granted", r.Want(other.Hold, history.Grant).At, at(31*second+3*ms))
		if other.Token != token || !r.Lockers[0].Valid(nil) {
			t.Errorf("token %d, want %d; valid %v", other.Token, token, r.Lockers[0].Valid(nil))
		}
		r.verdicts(t, true, true)
		if r.Progress.Findings()[0].Kind != "lost-early" {
			t.Errorf("progress %+v", r.Progress.Findings())
		}
	}
}

// A change that has not reached the standby is lost with the primary: tokens begin again,
// below that of the holder that goes on. With 32 values logged ahead that takes a failover
// soon after the first of them.
func TestTokenRegressesAfterAnAsynchronousFailover(t *testing.T) {
	for _, c := range []struct {
		database   int64
		lag, crash time.Duration
		token      int64
	}{
		{0, 4 * second, 2500 * ms, 1},       // nothing has reached the standby
		{0, 4 * second, 4500 * ms, 34},      // the first record has, and stands for 33 values
		{mysql, 4 * second, 4500 * ms, 2},   // the first value has, and not the second
		{mysql, 10 * second, 7 * second, 1}, // the standby has asked at 6 s
	} {
		r := newRig(t, 2, given{"database": c.database, "replication-lag": int64(c.lag)})
		r.Lock(0, 0, second)
		holder := r.Lock(0, 1500*ms, 0)
		other := r.Lock(1, 40*second, 0)
		r.At(c.crash, func() { r.Server("db", 0).Crash(host.LoseMemory) })
		r.Run(60 * second)
		if holder.Token != 2 || other.Token != c.token {
			t.Errorf("crash at %v: tokens %d and %d, want 2 and %d", c.crash, holder.Token, other.Token, c.token)
		}
	}
}

// A server that is back before anybody missed it has forgotten the lock, and not the
// sequence, unless its disk is gone. It knows nobody's session.
func TestRestartOfThePrimary(t *testing.T) {
	for _, c := range []struct {
		database int64
		lost     host.Lost
		token    int64
	}{{0, host.LoseUnsynced, 34}, {mysql, host.LoseUnsynced, 2}, {mysql, host.LoseEverything, 1}} {
		r := newRig(t, 2, given{"database": c.database})
		holder, other := r.Lock(0, 0, 0), r.Lock(1, 7*second, 0)
		r.At(5*second, func() {
			r.Server("db", 0).Crash(c.lost)
			r.Server("db", 0).RestartAt(at(6*second), false)
		})
		asked := r.Renew(0, 8*second)
		r.Run(60 * second)
		r.ended(t, holder, 6*second, "lost")
		equal(t, "granted", r.Want(other.Hold, history.Grant).At, at(7*second+3*ms))
		if other.Token != c.token || r.System.(*system).primary != 0 {
			t.Errorf("token %d, want %d", other.Token, c.token)
		}
		if asked.Err != errLost || r.Lockers[0].Valid(nil) {
			t.Errorf("a query succeeds on a connection to the server's former life: %v", asked.Err)
		}
		r.verdicts(t, true, true)
	}
}

// Who connects to a dead primary tries again every 11 s: at 6, 17, 28 and 39 s.
func TestConnectDuringAFailover(t *testing.T) {
	r := newRig(t, 1, nil)
	r.At(5*second, func() { r.Server("db", 0).Crash(host.LoseMemory) })
	u := r.Lock(0, 6*second, 0)
	r.Run(60 * second)
	equal(t, "acquired", u.Acquired, at(39*second+6*ms))
}

// A waiter whose server has died waits for a reply, two hours by default; with a timeout it
// goes to the new primary.
func TestWaiterAfterAFailover(t *testing.T) {
	for _, timeout := range []time.Duration{0, 40 * second} {
		r := newRig(t, 2, given{"timeout": int64(timeout)})
		r.Lock(0, 0, 0)
		waiter := r.Lock(1, second, 0)
		r.At(5*second, func() { r.Server("db", 0).Crash(host.LoseMemory) })
		r.Run(8000 * second)
		want := second + 2*ms + timeout + 3*ms
		if timeout == 0 {
			want += 7875 * second
		}
		equal(t, "granted", r.Want(waiter.Hold, history.Grant).At, at(want))
	}
}

// A primary that stands still is replaced, and goes on: both have let somebody in. It learns
// of the other one at its first message, and ends its sessions.
func TestTwoPrimaries(t *testing.T) {
	r := newRig(t, 3, nil)
	holder, other := r.Lock(0, 0, 0), r.Lock(1, 31*second, 0)
	late := r.Lock(2, 29*second, 0) // its first attempt reaches the former primary at 70 s
	r.Net.Hold(&network.Hold{From: r.Env.Clients[2].ID, To: r.Server("db", 0).ID, Until: at(70 * second)})
	r.At(5*second, func() { r.Server("db", 0).Pause(at(60 * second)) })
	r.Run(59 * second)
	if other.Acquired == 0 || len(r.Records(holder.Hold, history.ServiceEnd)) != 0 {
		t.Errorf("acquired at %v", other.Acquired)
	}
	r.Run(61 * second)
	r.ended(t, holder, 60*second, history.LostInFailover)
	equal(t, "the holder's host knows", r.Want(holder.Hold, history.Promise).Until, at(60*second+ms))
	r.Run(80 * second)
	if late.Acquired != 0 || len(r.server(0).sessions) != 0 || r.server(0).cluster.primary || !r.server(1).cluster.primary {
		t.Errorf("acquired at %v", late.Acquired)
	}
	r.verdicts(t, true, true)
}

// The former primary comes back as the standby, and takes over in its turn.
func TestFailback(t *testing.T) {
	r := newRig(t, 2, given{"timeout": int64(20 * second)})
	r.At(5*second, func() { r.Server("db", 0).Crash(host.LoseMemory); r.Server("db", 0).RestartAt(at(50*second), false) })
	r.At(100*second, func() { r.Server("db", 1).Crash(host.LoseMemory) })
	first, last := r.Lock(0, 60*second, 10*second), r.Lock(1, 140*second, 0)
	r.Run(50*second + 1)
	if r.server(0).cluster.primary {
		t.Error("a server that comes back is not the primary")
	}
	r.Run(200 * second)
	if first.Acquired != at(60*second+6*ms) || last.Acquired != at(140*second+6*ms) || last.Token <= first.Token {
		t.Errorf("acquired at %v and %v, tokens %d and %d", first.Acquired, last.Acquired, first.Token, last.Token)
	}
	r.Sound()
}

// The log of a primary that is cut off from its standby waits to be sent for as long as the
// standby lags; by then the servers have met again, and what was logged is the other one's.
// Nothing of it is sent, and the sequence goes on where that of the new primary was.
func TestLogOfAReplacedPrimary(t *testing.T) {
	r := newRig(t, 2, given{"database": mysql, "failover": int64(10 * second), "replication-lag": int64(20 * second)})
	first := r.Lock(0, 0, second)
	heal := r.cutBetween(ms)
	r.At(40*second, heal)
	old := r.Lock(0, 35*second, second) // on its old connection: logged at 35 s, due at 55 s
	var last *modeltest.Use
	for i := range 4 { // the fourth reaches db/1 at about 52 s, and replaces what is logged there
		last = r.Lock(1, 32*second+time.Duration(i)*100*ms, 10*ms)
	}
	r.Run(41 * second)
	equal(t, "first", r.Want(first.Hold, history.Grant).At, at(3*ms))
	equal(t, "old", r.Want(old.Hold, history.Grant).At, at(35*second+ms))
	if old.Token != 2 || last.Token != 4 {
		t.Errorf("tokens %d and %d, want 2 and 4", old.Token, last.Token)
	}
	if q := r.server(0).sequence; q.logged != 0 || len(q.lagging) != 0 {
		t.Errorf("the log of the former primary is its own: %+v", q)
	}
	r.Run(70 * second)
	if q := r.server(0).sequence; q.logged != 4 {
		t.Errorf("logged %d on the former primary, want 4", q.logged)
	}
}

// A primary that was replaced before its log was sent, and is the primary again 5 s later: the
// timer for what is gone, at 20.005 s, sends nothing of what it has logged since and is due at 30 s.
func TestTimerOfALogThatIsGone(t *testing.T) {
	r := newRig(t, 1, given{"failover": int64(3 * second), "replication-lag": int64(20 * second), "timeout": int64(second)})
	heal := r.cutBetween(ms)
	r.At(4*second, heal)
	r.Lock(0, 0, second)
	r.At(5*second, func() { r.Server("db", 1).Crash(host.LoseMemory); r.Server("db", 1).RestartAt(at(12*second), false) })
	r.Lock(0, 10*second, second)
	r.Run(29 * second)
	if now, standby := r.server(0), r.server(1); !now.cluster.primary || now.sequence.last != 1 || standby.sequence.logged != 0 {
		t.Errorf("%+v has sent its log early: %+v", now.sequence, standby.sequence)
	}
	r.Run(31 * second)
	if logged := r.server(1).sequence.logged; logged != 33 {
		t.Errorf("logged %d on the standby, want 33", logged)
	}
}

// What is the program's to choose is not there by default: no token, no fencing.
func TestDefaults(t *testing.T) {
	c := configOf(models.Defaults(params))
	if c.token || c.fencing || c.silent || c.failover != 60*second {
		t.Errorf("%+v", c)
	}
}

func TestValidateAndTakeover(t *testing.T) {
	for _, c := range []struct {
		set  given
		says string
	}{
		{nil, ""},
		{given{"failover": 0}, ""},
		{given{"failover": int64(ms)}, "failover is 1ms"},
		{given{"failover": 0, "replication-lag": int64(second)}, "replication-lag"},
		{given{"failover": 0, "fencing": fencedWhenStandbyLost}, "fencing"},
	} {
		p := models.Defaults(params)
		for name, v := range c.set {
			p[name] = v
		}
		err := validate(p)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.set, err)
		}
	}
	p := models.Defaults(params)
	if got, want := takeover(p), 72*second+7875*second+11*second; got != want {
		t.Errorf("takeover %v, want %v: the wait of those whose server has died", got, want)
	}
	p["timeout"] = int64(second)
	if got := takeover(p); got != 7875*second {
		t.Errorf("takeover %v, want keepalive's 7875 s", got)
	}
	p["idle-timeout"] = int64(100 * second)
	if got := takeover(p); got != 100*second {
		t.Errorf("takeover %v, want the idle timeout of 100 s", got)
	}
}
