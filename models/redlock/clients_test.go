package redlock

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// Each client's own number of attempts and delays, where another client has the lock. An
// attempt and its undoing take a round trip of 2 ms each, or 2 ms for each of five servers
// where they are asked one after the other. node-redlock v5 undoes after the last alone.
func TestOwnAttempts(t *testing.T) {
	for _, c := range []struct {
		client   word
		attempts int
		lo, hi   time.Duration // from attempt to attempt
		last     time.Duration // from the last attempt to its end
	}{
		{antirez, 3, 20 * ms, 219 * ms, 20 * ms},
		{redsync, 32, 54 * ms, 253 * ms, 4 * ms},
		{nodeV4, 11, 104 * ms, 303 * ms, 4 * ms},
		{nodeV5, 11, 102 * ms, 301 * ms, 4 * ms},
		{redlockRB, 4, 220 * ms, 269 * ms, 20 * ms},
	} {
		r := newClientRig(t, 2, c.client, map[string]int64{"ttl": int64(60 * second)})
		try(r, 0, 0)
		u := try(r, 1, second)
		r.Run(40 * second)
		name := clientParam.Choices[c.client]
		if len(u.sent) != c.attempts || !errors.Is(u.err, models.ErrNotAcquired) {
			t.Errorf("%s: %d attempts, %v", name, len(u.sent), u.err)
			continue
		}
		for i := 1; i < len(u.sent); i++ {
			if gap := u.sent[i].Sub(u.sent[i-1]); gap < c.lo || gap > c.hi {
				t.Errorf("%s: %v between two attempts", name, gap)
			}
		}
		equal(t, name+" gave up", u.ended, u.sent[c.attempts-1].Add(c.last))
	}
}

// How long each client needs for a lock when D and E, or A and B, do not answer, with its
// own timeout and a TTL of 10 s:
//
//   - spec waits 50 ms, redsync 5 % of the TTL, for all at once; the gem 100 ms for each.
//   - node-redlock v5 has its majority after one round trip. v4 waits for all replies, and
//     its Redis client until TCP gives the connection up; then the lock has expired, and it
//     tries again.
//   - antirez's client waits 5 s for each, so that 10 s have passed: no validity is left.
//   - Redisson waits 3 s for a reply and 3 s more to give that server's lock back. After A,
//     B and C a failure at D ends the round, and setting the lease takes three round
//     trips. If A and B are silent, 12 s are more than its budget of 7.5 to 10 s.
func TestUnreachableServers(t *testing.T) {
	for _, c := range []struct {
		client word
		silent []int
		want   time.Duration // 0 is never
	}{
		{specification, []int{3, 4}, 50 * ms}, {redsync, []int{3, 4}, 500 * ms}, {redlockRB, []int{3, 4}, 206 * ms},
		{nodeV5, []int{3, 4}, 2 * ms}, {nodeV4, []int{3, 4}, 0}, {antirez, []int{3, 4}, 0},
		{redisson, []int{3, 4}, 6*ms + 6*second + 6*ms}, {redisson, []int{0, 1}, 0},
		{redlockRB, []int{0, 1}, 206 * ms}, {antirez, []int{0, 1}, 0}, {antirez, []int{1}, 5*second + 8*ms},
	} {
		r := newClientRig(t, 1, c.client, nil)
		cutOff(r, 0, c.silent...)
		u := try(r, 0, 0)
		r.Run(2000 * second)
		equal(t, clientParam.Choices[c.client]+" acquired", u.got, sim.Time(c.want))
	}
}

// The allowance and the TTL of each client, as the end of its promise shows: one counts from
// the start of the attempt, Redisson's lease from when it is set, which is less Redis's
// granularity of 1 ms, because nothing is allowed for drift. Without a TTL each has its
// own; Redisson's is its watchdog's, from when the first server was asked.
func TestOwnPromises(t *testing.T) {
	for _, c := range []struct {
		client word
		ttl    time.Duration
		want   time.Duration
	}{
		{specification, 10 * second, 9898 * ms}, {antirez, 10 * second, 9898 * ms}, {redlockRB, 10 * second, 9898 * ms},
		{nodeV4, 10 * second, 9898 * ms}, {nodeV5, 10 * second, 9898 * ms}, {redsync, 10 * second, 9900 * ms},
		{redisson, 10 * second, 10*ms + 9999*ms},
		{specification, 0, 9898 * ms}, {redsync, 0, 7920 * ms}, {redisson, 0, 29999 * ms},
	} {
		r := newClientRig(t, 1, c.client, map[string]int64{"ttl": int64(c.ttl)})
		u := try(r, 0, 0)
		r.Run(second)
		equal(t, clientParam.Choices[c.client]+" is promised the lock until", r.Want(u.hold, history.Grant).Until, sim.Time(c.want))
	}
}

// Validity of exactly nothing is enough for the gem (validity >= 0) and for nobody else. The
// round trip takes 2 ms or 10 ms, and 98 ms are valid of 101 ms that 1.01 ms and 2 ms are
// taken from; the gem sees whole milliseconds.
func TestElapsedCheckAtTheEdge(t *testing.T) {
	for _, c := range []struct {
		client word
		loose  bool
	}{{specification, false}, {antirez, false}, {nodeV4, false}, {redlockRB, true}} {
		r := newClientRig(t, 1, c.client, map[string]int64{"ttl": int64(100 * ms), "attempts": 1})
		r.OnStep(0, "acquire.reply", func() { r.Env.Clients[0].Pause(sim.Time(97 * ms)) })
		u := try(r, 0, 0)
		r.Run(second)
		if got := u.got != 0; got != c.loose {
			t.Errorf("%s: acquired without validity: %t", clientParam.Choices[c.client], got)
		}
	}
}

// Each difference can be set apart: a client with another's answer has its verdict.
func TestAnswersSetApart(t *testing.T) {
	for _, c := range []struct {
		name   string
		client word
		params map[string]int64
		caught bool
	}{
		{"node v5 that looks, by the monotonic clock", nodeV5, map[string]int64{"elapsed-check": 1, "clock": 1, "start": 1, "undo": 1}, true},
		{"node v5 that looks", nodeV5, map[string]int64{"elapsed-check": 1, "start": 1}, false},
		{"spec that does not look", specification, map[string]int64{"elapsed-check": 2}, false},
		{"spec by the wall clock", specification, map[string]int64{"clock": 2}, false},
		{"redsync one after the other", redsync, map[string]int64{"order": 2}, true},
		{"node v4 by the monotonic clock", nodeV4, map[string]int64{"clock": 1}, true},
	} {
		r := newClientRig(t, 1, c.client, c.params)
		r.OnStep(0, "acquire.reply", func() {
			r.Env.Clients[0].Pause(sim.Time(15 * second))
			r.Env.Clients[0].Clock.Step(-time.Hour)
		})
		u := try(r, 0, 0)
		r.Run(16 * second)
		if refused := len(r.Records(u.hold, history.Refuse)) > 0; refused != c.caught {
			t.Errorf("%s: noticed: %t, want %t", c.name, refused, c.caught)
		}
	}
}

// Who asks one after the other sees a server's reply before it asks the next.
func TestOrder(t *testing.T) {
	for order, want := range map[int64]sim.Time{1: sim.Time(2 * ms), 2: sim.Time(10 * ms)} {
		r := newClientRig(t, 1, specification, map[string]int64{"order": order})
		u := try(r, 0, 0)
		r.Run(second)
		equal(t, "acquired", u.got, want)
	}
	r := newClientRig(t, 1, specification, map[string]int64{"order": 2, "replies": 2})
	u := try(r, 0, 0)
	r.Run(second)
	equal(t, "acquired with three of five", u.got, sim.Time(6*ms))
	if n := r.System.(*system).of(u.hold).servers; n != 3 {
		t.Errorf("%d servers have been asked for a key, want 3", n)
	}
}

// A value for each call stays the same, so that keys of an earlier attempt count.
func TestValuePerCall(t *testing.T) {
	for client, perCall := range map[word]bool{specification: false, redlockRB: false, antirez: true, redsync: true, nodeV4: true, nodeV5: true} {
		r := newClientRig(t, 2, client, nil)
		try(r, 0, 0)
		var values []int64
		u := try(r, 1, second)
		r.At(second, func() {
			var look func()
			look = func() {
				values = append(values, r.System.(*system).of(u.hold).value)
				r.OnStep(1, "acquire.reply", look)
			}
			r.OnStep(1, "acquire.reply", look)
		})
		r.Run(6 * second)
		if same := len(slices.Compact(slices.Clone(values))) == 1; len(values) < 2 || same != perCall {
			t.Errorf("%s: values %v", clientParam.Choices[client], values)
		}
	}
}

// Release says what the library says: a majority that has deleted the key, a majority that
// has answered anything, or nothing at all. After 12 s there is no key of 10 s any more.
func TestOwnReleases(t *testing.T) {
	for client, fails := range map[word]bool{specification: true, redsync: true, antirez: false, nodeV4: false, redlockRB: false, redisson: false, nodeV5: true} {
		r := newClientRig(t, 1, client, nil)
		u := r.Lock(0, 0, 12*second)
		r.Run(20 * second)
		if got := errors.Is(u.Err, models.ErrNotHeld); got != fails || u.Released == 0 {
			t.Errorf("%s: released at %v with %v", clientParam.Choices[client], u.Released, u.Err)
		}
	}
	// node-redlock v4 is content with answers, but needs a majority of them.
	r := newClientRig(t, 1, nodeV4, map[string]int64{"timeout": int64(50 * ms)})
	r.At(second, func() { cutOff(r, 0, 0, 1, 2) })
	u := r.Lock(0, 0, 2*second)
	r.Run(20 * second)
	if !errors.Is(u.Err, models.ErrNotHeld) {
		t.Errorf("released without a majority: %v", u.Err)
	}
	// node-redlock v5 asks ten times more, about 200 ms apart (issue 313).
	r = newClientRig(t, 1, nodeV5, nil)
	u = r.Lock(0, 0, 12*second)
	r.Run(20 * second)
	within(t, "v5 has given up its release", u.Released, sim.Time(13*second), sim.Time(15100*ms))
	// redsync's Unlock has no timeout of its own: it waits as long as go-redis.
	r = newClientRig(t, 1, redsync, nil)
	r.At(second, func() { cutOff(r, 0, 4) })
	u = r.Lock(0, 0, 2*second)
	r.Run(20 * second)
	if u.Err != nil {
		t.Errorf("redsync released with %v", u.Err)
	}
	within(t, "redsync has released", u.Released, sim.Time(5*second), sim.Time(5*second+10*ms))
}

// Who cannot extend is no Renewer.
func TestWhoCanExtend(t *testing.T) {
	for client, can := range map[word]bool{specification: true, antirez: false, redsync: true, nodeV4: true, nodeV5: true, redlockRB: true, redisson: false} {
		r := newClientRig(t, 1, client, nil)
		if _, ok := r.Lockers[0].(models.Renewer); ok != can {
			t.Errorf("%s can extend: %t", clientParam.Choices[client], ok)
		}
	}
	r := newClientRig(t, 1, nodeV5, map[string]int64{"using": 1})
	if _, ok := r.Lockers[0].(models.Renewer); ok {
		t.Error("using() extends by itself")
	}
}

// Parameters that make no sense together are refused, with the names of both.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		params map[string]int64
		says   []string
	}{
		{nil, nil},
		{map[string]int64{"ttl": int64(ms)}, []string{"ttl", "10ms"}},
		{map[string]int64{"retry-jitter": 1}, []string{"retry-jitter", "retry-base"}},
		{map[string]int64{"retry-max": 1}, []string{"retry-max", "retry-base"}},
		{map[string]int64{"using": 1}, []string{"using", "spec", "node-v5"}},
		{map[string]int64{"using": 1, "client": int64(nodeV5), "ttl": int64(599 * ms)}, []string{"using", "600ms"}},
		{map[string]int64{"using": 1, "client": int64(nodeV5), "ttl": int64(600 * ms)}, nil},
		{map[string]int64{"extend-sets": 2, "client": int64(antirez)}, []string{"extend-sets", "antirez"}},
		{map[string]int64{"order": 1, "client": int64(redisson)}, []string{"order", "redisson"}},
		{map[string]int64{"attempts": 3, "client": int64(redisson)}, []string{"attempts", "redisson"}},
		{map[string]int64{"client": int64(redisson), "ttl": int64(second), "timeout": 1}, nil},
	} {
		p := models.Defaults(params())
		for name, v := range c.params {
			p[name] = v
		}
		err := validate(p)
		if (err == nil) != (c.says == nil) {
			t.Errorf("%v: %v", c.params, err)
			continue
		}
		for _, word := range c.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%v: %v does not say %s", c.params, err, word)
			}
		}
	}
}

// Whoever's client it is, after a crash of the holder somebody else gets in within the
// takeover, and nobody earlier than the promise allows.
func TestTakeoverOfEveryClient(t *testing.T) {
	for client, name := range clientParam.Choices {
		for seed := uint64(1); seed <= 5; seed++ {
			params := map[string]int64{"client": int64(client)}
			if word(client) != redisson {
				params["attempts"] = 1_000_000
			}
			r := newRig(t, 3, params)
			r.Reset(seed)
			takeover := New().Describe().Takeover(r.Env.Params)
			holder := r.Lock(0, 0, 0)
			one, other := r.Lock(1, second, 0), r.Lock(2, second+3*ms, 0)
			crash := sim.Time(2 * second)
			r.At(2*second, func() { r.Env.Clients[0].Crash(host.LoseMemory) })
			r.Run(100 * second)
			next := min(one.Acquired, other.Acquired)
			if next == 0 {
				next = max(one.Acquired, other.Acquired)
			}
			if until := r.Want(holder.Hold, history.Grant).Until; next < until || next > crash.Add(takeover) {
				t.Errorf("%s, seed %d: somebody got in at %v, promised until %v, takeover %v", name, seed, next, until, takeover)
			}
		}
	}
}

// The second trial in a world is the same as the first in a new one, whoever's client.
func TestResetOfEveryClient(t *testing.T) {
	run := func(r *modeltest.Rig) uint64 {
		r.Lock(0, 0, second)
		try(r, 1, 10*ms)
		r.At(500*ms, func() {
			r.Server("redis", 0).Crash(host.LoseMemory)
			r.Server("redis", 0).Restart(false)
		})
		r.Run(20 * second)
		return r.World.Digest().Sum()
	}
	for client, name := range clientParam.Choices {
		params := map[string]int64{"restart-delay": int64(second), "token": 1, "persistence": int64(redis.Always)}
		r := newClientRig(t, 2, word(client), params)
		first := run(r)
		r.Reset(1)
		if again := run(r); again != first {
			t.Errorf("%s: the second trial differs", name)
		}
	}
}
