package redlock

import (
	"slices"
	"testing"
	"time"

	"fencepost/checker/monitor"
	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// Two clients that ask at the same moment get two servers each and nobody the fifth, which
// is down. The retry delay is random to break this symmetry (redis.io, Distributed Locks
// with Redis, Retry on Failure); without the random part they go on for ever.
func TestSymmetricSplit(t *testing.T) {
	for jitter, resolved := range map[time.Duration]bool{0: false, 200 * ms: true} {
		r := newClientRig(t, 2, specification, map[string]int64{"retry-base": int64(50 * ms), "retry-jitter": int64(jitter)})
		cutOff(r, 0, 4)
		cutOff(r, 1, 4)
		for i := range 2 {
			r.Net.SetDelay(r.Env.Clients[0].ID, r.Server("redis", 2+i).ID, farther)
			r.Net.SetDelay(r.Env.Clients[1].ID, r.Server("redis", i).ID, farther)
		}
		one, other := try(r, 0, 0), try(r, 1, 0)
		r.Run(60 * second)
		if got := max(one.got, other.got) > 0; got != resolved {
			t.Errorf("jitter %v: acquired at %v and %v after %d and %d attempts", jitter, one.got, other.got, len(one.sent), len(other.sent))
		}
	}
}

// SETs that arrive after their own attempt has been undone, and whose deletes are lost, leave keys that nobody owns. On a
// majority they keep everybody out, their own client too, until they expire. One value for
// each call does not help: SET NX refuses its own key as well.
func TestGhostKeys(t *testing.T) {
	for _, client := range []clientLibrary{specification, redsync} {
		r := newClientRig(t, 2, client, map[string]int64{"attempts": 1_000_000})
		for i := range 3 {
			r.Net.Hold(&network.Hold{From: r.Env.Clients[0].ID, To: r.Server("redis", i).ID, Op: redis.OpSet, Until: sim.Time(520 * ms), Count: 1})
			r.At(40*ms, func() { r.At(510*ms, r.Cut(r.Env.Clients[0], r.Server("redis", i))) }) // loses the deletes
		}
		own, other := try(r, 0, 0), try(r, 1, 530*ms)
		r.At(501*ms, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
		r.Run(10500 * ms)
		if own.got != 0 || other.got != 0 {
			t.Errorf("%s: acquired at %v and %v, before the ghosts have expired", clientParam.Choices[client], own.got, other.got)
		}
		r.Run(11 * second)
		within(t, "another is let in", other.got, sim.Time(10520*ms), sim.Time(10850*ms))
	}
}

// redsync's FailFast returns with a majority and cancels the rest, which may be executed all
// the same, even after a release whose delete is lost: such a key stays for a TTL.
func TestFailFast(t *testing.T) {
	r := newClientRig(t, 2, redsync, map[string]int64{"replies": 2})
	r.Net.Hold(&network.Hold{From: r.Env.Clients[0].ID, To: r.Server("redis", 4).ID, Op: redis.OpSet, Until: sim.Time(second)})
	r.At(50*ms, func() { r.At(900*ms, r.Cut(r.Env.Clients[0], r.Server("redis", 4))) }) // loses the delete
	u := r.Lock(0, 0, 100*ms)
	r.Run(2 * second)
	equal(t, "acquired", u.Acquired, sim.Time(2*ms))
	if n := keys(r, u); n != 1 {
		t.Errorf("released with %v, %d keys, want the one that came late", u.Err, n)
	}
	refused := try(r, 1, 0)
	r.Run(3 * second)
	if refused.got == 0 {
		t.Error("one late key keeps out who needs three of five")
	}
}

// A holder that is cut off cannot release: the lock is free when its keys have expired.
func TestPartitionOfHolder(t *testing.T) {
	r := newClientRig(t, 2, specification, nil)
	r.At(second, func() { cutOff(r, 0, 0, 1, 2, 3, 4) })
	r.Lock(0, 0, 2*second)
	next := try(r, 1, 3*second)
	r.Run(20 * second)
	within(t, "the next is let in", next.got, sim.Time(10*second), sim.Time(10*second+354*ms))
}

// Delayed restart costs what it says: if a majority crashes, nobody gets a lock for a TTL and
// more. With fsync at every write the servers are back at once, and remember.
func TestCrashOfAMajority(t *testing.T) {
	const delay = 11 * second
	for _, c := range []struct {
		params map[string]int64
		held   time.Duration
		lo, hi time.Duration
	}{
		{map[string]int64{"restart-delay": int64(delay)}, 500 * ms, second + delay, second + delay + 400*ms}, // it is free
		{map[string]int64{"persistence": int64(redis.Always)}, 0, 10 * second, 10*second + 400*ms},
		{nil, 0, 2 * second, 2*second + 2*ms}, // and the promise is broken
	} {
		r := newClientRig(t, 2, specification, c.params)
		grants := &monitor.Grants{}
		r.Recorder.Observers = append(r.Recorder.Observers, grants)
		r.Lock(0, 0, c.held)
		r.At(second, func() {
			for i := range 3 {
				r.Server("redis", i).Crash(host.LoseUnsynced)
				r.Server("redis", i).Restart(false)
			}
		})
		next := try(r, 1, 2*second)
		r.Run(30 * second)
		within(t, "the next is let in", next.got, sim.Time(c.lo), sim.Time(c.hi))
		if grants.Violated() != (c.params == nil) {
			t.Errorf("%v: promises broken: %t", c.params, grants.Violated())
		}
	}
}

// The delay is measured by the server's own clock: on one that runs fast by a tenth it is
// over before the keys elsewhere are.
func TestRestartDelayIsAMeasurementOfTime(t *testing.T) {
	for rate, early := range map[int64]bool{0: false, 200_000_000: true} {
		r := newClientRig(t, 2, specification, map[string]int64{"restart-delay": int64(11 * second)})
		halves(r)
		r.Lock(0, 5*ms, 0)
		r.At(10*ms, func() {
			c := r.Server("redis", 2)
			c.SetRate(rate)
			c.Crash(host.LoseMemory)
			c.Restart(false)
		})
		u := try(r, 1, second)
		r.Run(9800 * ms)
		if got := u.got != 0; got != early {
			t.Errorf("rate %d: acquired at %v, promised to another until 9.903 s", rate, u.got)
		}
	}
}

// Numbers that clients count in their own memory order nothing: both clients' first is 1, who
// has had the lock more often has the higher one, whoever comes later, and a process that
// starts anew begins with 1 again.
func TestClientCountersDoNotFence(t *testing.T) {
	r := newClientRig(t, 2, specification, map[string]int64{"token": 1})
	first, again := r.Lock(0, 0, 100*ms), r.Lock(0, second, 100*ms)
	other, later := r.Lock(1, 2*second, 100*ms), try(r, 0, 4*second)
	r.At(3*second, func() { r.Lockers[0] = r.System.Locker(0) })
	r.Run(5 * second)
	got := []int64{first.Token, again.Token, other.Token, later.token}
	if want := []int64{1, 2, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("tokens %v, want %v", got, want)
	}
	if g := r.Want(other.Hold, history.Grant); g.Token != 1 {
		t.Errorf("recorded token %d", g.Token)
	}
	if d := New().Describe(); !d.HasToken(r.Env.Params) || d.HasToken(models.Defaults(d.Params)) {
		t.Error("there is a token if it is asked for")
	}
	for client, name := range clientParam.Choices {
		for token := range int64(2) {
			r := newClientRig(t, 1, clientLibrary(client), map[string]int64{"token": token})
			u := try(r, 0, 0)
			r.Run(second)
			if u.token != token {
				t.Errorf("%s: token %d, want %d", name, u.token, token)
			}
		}
	}
}
