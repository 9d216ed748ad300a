package redlock

import (
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

// An extension that a majority confirms promises the validity anew, whoever's client.
func TestExtensionOfEveryClient(t *testing.T) {
	for _, client := range []clientLibrary{specification, redsync, nodeV4, nodeV5, redlockRB} {
		r := newClientRig(t, 1, client, nil)
		u := r.Lock(0, 0, 0)
		renewal := r.Renew(0, 5*second)
		r.Run(6 * second)
		length := 9898 * ms
		if client == redsync {
			length = 9900 * ms
		}
		if renewal.Err != nil {
			t.Errorf("%s: %v", clientParam.Choices[client], renewal.Err)
		}
		equal(t, clientParam.Choices[client]+" is promised the lock until", r.Want(u.Hold, history.Promise).Until, sim.Time(5*second+length))
	}
}

// One extension without a majority. The documentation's client still has the lock; redsync on
// go-redis asks again, and has its extension; without that it says so and leaves the keys alone; node-redlock v4 and the gem delete them everywhere,
// as after an attempt to acquire: the next client is let in while the promise runs. v5 asks
// again, and has its extension when the servers are back.
func TestFailedExtension(t *testing.T) {
	for _, c := range []struct {
		client  clientLibrary
		heal    time.Duration // when the extension is lost, and before a delete is sent
		retries int64
		err     error
		gives   bool
	}{
		{specification, 20 * ms, 0, errNotRenewed, false}, {nodeV4, 20 * ms, 0, models.ErrNotHeld, true}, {nodeV5, 20 * ms, 0, nil, false},
		{redsync, 20 * ms, 0, nil, false}, {redsync, 20 * ms, -1, errNotRenewed, false},
		{redlockRB, 152 * ms, 0, models.ErrNotHeld, true}, // 50 ms for each of three
	} {
		r := newClientRig(t, 2, c.client, map[string]int64{"timeout": int64(50 * ms), "command-retries": c.retries})
		grants := &monitor.Grants{}
		r.Recorder.Observers = append(r.Recorder.Observers, grants)
		u := r.Lock(0, 0, 0)
		var heal func()
		r.At(second, func() { heal = cutOff(r, 0, 0, 1, 2) })
		renewal := r.Renew(0, 2*second)
		r.At(2*second+c.heal, func() { heal() })
		next := try(r, 1, 8*second)
		r.Run(8*second + 100*ms)
		name := clientParam.Choices[c.client]
		if renewal.Err != c.err {
			t.Errorf("%s: extended with %v, want %v", name, renewal.Err, c.err)
		}
		if got := next.got != 0; got != c.gives || grants.Violated() != c.gives {
			t.Errorf("%s: another client acquired at %v, promise broken: %t", name, next.got, grants.Violated())
		}
		if c.gives != (keys(r, u) == 0) {
			t.Errorf("%s: %d keys are left", name, keys(r, u))
		}
	}
}

// The gem's extension sets keys that are gone: one of a lock that has expired succeeds if
// nobody has taken it, and the hold, which had ended, is let in again. If somebody has, it fails
// and leaves the other's keys alone. extend-sets: no is extend_only_if_locked.
func TestExtensionThatSetsKeys(t *testing.T) {
	for _, c := range []struct {
		sets, taken int64 // sets: 0 client, 1 no
		ok          bool
	}{{0, 0, true}, {0, 1, false}, {1, 0, false}} {
		r := newClientRig(t, 2, redlockRB, map[string]int64{"extend-sets": c.sets})
		u := r.Lock(0, 0, 0)
		var other *tried
		if c.taken == 1 {
			other = try(r, 1, 11*second)
		}
		renewal := r.Renew(0, 12*second)
		r.Run(13 * second)
		if ok := renewal.Err == nil; ok != c.ok {
			t.Errorf("%+v: extended with %v", c, renewal.Err)
		}
		if grants := r.Records(u.Hold, history.Grant); c.ok && (len(grants) != 2 || grants[1].Until != sim.Time(12*second+9898*ms)) {
			t.Errorf("%+v: grants %+v", c, grants)
		}
		if other != nil && r.System.(*system).of(other.hold).servers != 5 {
			t.Errorf("%+v: the other has lost keys", c)
		}
	}
}

// redsync's SetNXOnExtend helps after restarts that have forgotten the key: three of five
// have, and without the option a majority says no. The hold had ended by then, and is let in
// again.
func TestSetNXOnExtend(t *testing.T) {
	for sets, ok := range map[int64]bool{0: false, 1: false, 2: true} {
		r := newClientRig(t, 1, redsync, map[string]int64{"extend-sets": sets})
		u := r.Lock(0, 0, 0)
		r.At(second, func() {
			for i := range 3 {
				r.Server("redis", i).Crash(host.LoseMemory)
				r.Server("redis", i).Restart(false)
			}
		})
		renewal := r.Renew(0, 2*second)
		r.Run(3 * second)
		if got := renewal.Err == nil; got != ok || ok != (keys(r, u) == 5) {
			t.Errorf("extend-sets %d: extended with %v, %d keys", sets, renewal.Err, keys(r, u))
		}
		if grants := r.Records(u.Hold, history.Grant); ok && (len(grants) != 2 || grants[1].Until != sim.Time(2*second+9900*ms)) {
			t.Errorf("grants %+v", grants)
		}
	}
}

// Its price: an extension that arrives after the release sets a key that nobody owns, and on
// a majority that keeps everybody out for a TTL.
func TestSetNXOnExtendAfterTheRelease(t *testing.T) {
	for sets, ghost := range map[int64]bool{1: false, 2: true} {
		r := newClientRig(t, 2, redsync, map[string]int64{"extend-sets": sets, "attempts": 1_000_000})
		for i := range 3 {
			r.Net.Hold(&network.Hold{From: r.Env.Clients[0].ID, To: r.Server("redis", i).ID, Op: redis.OpExtend, Until: sim.Time(5 * second)})
			r.Net.Hold(&network.Hold{From: r.Env.Clients[0].ID, To: r.Server("redis", i).ID, Op: redis.OpExtendOrSet, Until: sim.Time(5 * second)})
		}
		r.Lock(0, 0, 3*second)
		renewal := r.Renew(0, 2900*ms)
		next := try(r, 1, 6*second)
		r.Run(20 * second)
		if ghost {
			within(t, "the next is let in", next.got, sim.Time(15*second), sim.Time(15*second+260*ms))
		} else {
			equal(t, "the next is let in", next.got, sim.Time(6*second+2*ms))
		}
		if len(r.Records(1, history.Promise, history.Grant)) != 1 {
			t.Errorf("extend-sets %d: who has released is promised something (%v)", sets, renewal.Err)
		}
	}
}

// redsync does not look at its own deadline before it extends: while the keys are there, an
// expired lock can be extended. Here the validity of 0.99 TTL is over and the TTL is not.
func TestRedsyncExtendsPastItsDeadline(t *testing.T) {
	for client, ok := range map[clientLibrary]bool{redsync: true, nodeV4: false, nodeV5: false} {
		r := newClientRig(t, 1, client, nil)
		r.Lock(0, 0, 0)
		renewal := r.Renew(0, 9950*ms)
		r.Run(12 * second)
		if got := renewal.Err == nil; got != ok {
			t.Errorf("%s: extended with %v", clientParam.Choices[client], renewal.Err)
		}
	}
}

// An extension that comes back too late extends nothing for those who look: its validity
// would be over.
func TestLateExtension(t *testing.T) {
	for client, ok := range map[clientLibrary]bool{specification: false, redsync: false, nodeV5: true} {
		r := newClientRig(t, 1, client, map[string]int64{"attempts": 1})
		u := r.Lock(0, 0, 0)
		r.At(8*second+500_000, func() { r.Env.Clients[0].Pause(sim.Time(19 * second)) })
		renewal := r.Renew(0, 8*second)
		r.Run(20 * second)
		if got := renewal.Err == nil; got != ok || (len(r.Records(u.Hold, history.Promise, history.Grant)) == 2) != ok {
			t.Errorf("%s: extended with %v", clientParam.Choices[client], renewal.Err)
		}
	}
}
