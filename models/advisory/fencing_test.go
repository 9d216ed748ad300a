package advisory

import (
	"errors"
	"testing"
	"time"

	"fencepost/sim/history"
	"fencepost/sim/host"
)

// The servers are cut off from each other at 7 s; the last answers came at 6.002 s, and they
// look again every 6 s. The standby has waited 30 s at 42 s and takes over. Without fencing
// the primary goes on: two have the lock. With it that is stopped after 15 s, at 24 s. Its
// sessions end there, the holder's host knows 1 ms later, and its program when it uses the
// connection; who asks for the lock meanwhile gets it at the new primary: the attempts are
// 1.002 s apart, the connection is refused at once.
func TestFencingInASplit(t *testing.T) {
	for fencing := range 2 {
		r := newRig(t, 3, given{"fencing": int64(fencing)})
		r.cutBetween(7 * second)
		holder, other := r.Lock(0, 0, 0), r.Lock(1, 25*second, 0)
		asked := r.Renew(0, 30*second)
		late := r.Lock(2, 43*second, 0)
		r.Run(60 * second)
		if fencing == 0 {
			r.verdicts(t, true, true)
			equal(t, "granted", r.Want(late.Hold, history.Grant).At, at(43*second+3*ms))
			if len(r.Records(holder.Hold, history.ServiceEnd)) != 0 || asked.Err != nil || !r.server(0).cluster.primary {
				t.Errorf("the former primary does not go on: %v", asked.Err)
			}
			continue
		}
		r.ended(t, holder, 24*second, "fenced")
		equal(t, "the holder's host knows", r.Want(holder.Hold, history.Promise).Until, at(24*second+ms))
		if !errors.Is(asked.Err, errLost) || r.Lockers[0].Valid(nil) {
			t.Errorf("a query succeeds on a server that is stopped: %v", asked.Err)
		}
		// 25 s + 17 · 1.002 s is the first attempt after 42 s.
		equal(t, "granted", r.Want(other.Hold, history.Grant).At, at(25*second+17*1002*ms+3*ms))
		if r.Grants.Violated() {
			t.Errorf("%+v", r.Grants.Findings())
		}
	}
}

// The standby is what dies, at 7 s: with fencing nobody serves. It comes back at 100 s, hears
// no primary, and takes over at 130 s; then the one that was stopped is its standby.
func TestFencingWhenTheStandbyDies(t *testing.T) {
	for fencing, want := range []time.Duration{50*second + 3*ms, 50*second + 80*1002*ms + 3*ms} {
		r := newRig(t, 1, given{"fencing": int64(fencing)})
		r.At(7*second, func() { r.Server("db", 1).Crash(host.LoseMemory); r.Server("db", 1).RestartAt(at(100*second), false) })
		u := r.Lock(0, 50*second, second)
		r.Run(200 * second)
		equal(t, "granted", r.Want(u.Hold, history.Grant).At, at(want))
		if c := r.server(0).cluster; c.fenced || c.primary != (fencing == 0) {
			t.Errorf("the former primary is %+v", c)
		}
		r.Sound()
	}
}

// A new primary misses no standby that it has never had: nobody stops it for the one that it
// has replaced. Once that was back, it does: it is gone again at 102 s, and last answered at
// 102 s or before.
func TestFencingOfANewPrimary(t *testing.T) {
	r := newRig(t, 1, given{"fencing": fencedWhenStandbyLost})
	old := r.Server("db", 0)
	r.At(5*second, func() { old.Crash(host.LoseMemory); old.RestartAt(at(90*second), false) })
	r.Run(89 * second)
	if c := r.server(1).cluster; !c.primary || c.fenced {
		t.Errorf("the new primary is %+v", c)
	}
	r.At(103*second, func() { old.Crash(host.LoseMemory) })
	r.Run(125 * second)
	if c := r.server(1).cluster; c.primary || !c.fenced {
		t.Errorf("the new primary is %+v", c)
	}
}

// A server that is stopped sends nothing: what it has logged at 8.005 s is due at 28 s, and the
// link is whole again at 25 s.
func TestStoppedServerSendsNothing(t *testing.T) {
	r := newRig(t, 1, given{"fencing": fencedWhenStandbyLost, "replication-lag": int64(20 * second)})
	heal := r.cutBetween(7 * second)
	r.At(25*second, heal)
	r.Lock(0, 8*second, second)
	r.Run(30 * second)
	if logged := r.server(1).sequence.logged; !r.server(0).cluster.fenced || logged != 0 {
		t.Errorf("logged %d on the standby, want nothing", logged)
	}
}

// Who starts a stopped server anew before the standby has taken over has a primary again. If
// the link is whole by then, the standby hears it, and all is well. In a split there are soon
// two: it misses no standby that has not been there since.
func TestStoppedServerStartsAnew(t *testing.T) {
	for _, healed := range []bool{true, false} {
		r := newRig(t, 2, given{"fencing": fencedWhenStandbyLost})
		heal := r.cutBetween(7 * second)
		r.At(25*second, func() { r.Server("db", 0).Crash(host.LoseMemory); r.Server("db", 0).Restart(false) })
		if healed {
			r.At(26*second, heal)
		}
		first, other := r.Lock(0, 30*second, 0), r.Lock(1, 50*second, 0)
		r.Run(80 * second)
		equal(t, "granted", r.Want(first.Hold, history.Grant).At, at(30*second+3*ms))
		if got := len(r.Records(other.Hold, history.Grant)); !r.server(0).cluster.primary || r.server(1).cluster.primary == healed || (got == 0) != healed {
			t.Errorf("healed: %v; the other one was granted the lock %d times", healed, got)
		}
		r.verdicts(t, !healed, !healed)
	}
}
