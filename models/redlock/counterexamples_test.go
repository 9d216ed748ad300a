package redlock

import (
	"fmt"
	"testing"
	"time"

	"fencepost/checker/monitor"
	"fencepost/models/modeltest"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/host"
)

// The counterexamples of M. Kleppmann, How to do distributed locking (2016), section "Making
// Redlock safe with good clock assumptions" and those after it, against every client. The
// cells were written from the clients' sources before the first run:
//
//   - Every client counts a server's word, so a majority that forgets breaks all of them.
//   - spec, redsync and the gem look at the time that has passed and measure it on the
//     monotonic clock: a pause is noticed whatever happens to the wall clock, a suspended
//     machine is not.
//   - antirez's client and node-redlock v4 look and measure on the wall clock: a step back
//     hides the pause, and a suspended machine finds its clock jumped ahead.
//   - node-redlock v5 and RedissonRedLock do not look at all.
//   - A pause after the last look is noticed by nobody.
//
// One cell turned out otherwise. When C votes again, node-redlock v5 has asked before: its
// own keys on D and E vote against it, so that it gets C alone (see TestOwnLeftovers).
//
// A lost request is given up after 50 ms here; with their own timeouts some clients get no
// lock at all, see TestUnreachableServers.
func TestCounterexamples(t *testing.T) {
	type cells [7]bool // broken, by word
	never, always := cells{}, cells{true, true, true, true, true, true, true}
	exceptV5 := always
	exceptV5[nodeV5] = false
	for _, c := range []struct {
		name   string
		params map[string]int64
		stage  func(r *modeltest.Rig)
		broken cells
	}{
		{"C's clock jumps", nil, clockJump, always},
		{"C's clock jumps, and keys expire by the monotonic one", map[string]int64{redis.ExpiryClockParam.Name: 1}, clockJump, never},
		{"C forgets and is back at once", nil, forgets, always},
		{"C does not forget, with fsync always", map[string]int64{"persistence": int64(redis.Always)}, forgets, never},
		{"C forgets and is back after more than a TTL", map[string]int64{"restart-delay": int64(11 * second)}, forgets, never},
		{"C forgets and is back too early", map[string]int64{"restart-delay": int64(3 * second)}, forgets, exceptV5},
		{"and its clock jumps over the time that it is to stay away", map[string]int64{"restart-delay": int64(11 * second), "restart-delay-clock": 1}, forgetsAndJumps, always},
		{"and a clock jumps that does not count", map[string]int64{"restart-delay": int64(11 * second)}, forgetsAndJumps, never},
		{"a pause before the replies are looked at", nil, pauseBefore(0), cells{nodeV5: true, redisson: true}},
		{"and the client's wall clock is set back", nil, pauseBefore(-time.Hour), cells{antirez: true, nodeV4: true, nodeV5: true, redisson: true}},
		{"a suspended machine before the replies are looked at", nil, suspendBefore, cells{specification: true, redsync: true, redlockRB: true, nodeV5: true, redisson: true}},
		{"a pause after all checks", nil, pauseAfter, always},
	} {
		for client, name := range clientParam.Choices {
			t.Run(fmt.Sprintf("%s/%s", c.name, name), func(t *testing.T) {
				params := map[string]int64{"client": int64(client), "ttl": int64(10 * second), "timeout": int64(50 * ms), "attempts": 1_000_000}
				for name, v := range c.params {
					params[name] = v
				}
				r := newRig(t, 2, params)
				exclusion := &monitor.Exclusion{}
				r.Recorder.Observers = append(r.Recorder.Observers, exclusion)
				c.stage(r)
				if got := exclusion.Violated(); got != c.broken[client] {
					t.Errorf("two holders: %t, want %t", got, c.broken[client])
				}
			})
		}
	}
}

// halves lets client 1 reach A, B and C, and client 2 C, D and E.
func halves(r *modeltest.Rig) {
	cutOff(r, 0, 3, 4)
	cutOff(r, 1, 0, 1)
}

// clockJump makes C's key expire while A's and B's are there.
func clockJump(r *modeltest.Rig) {
	halves(r)
	r.Lock(0, 0, 0)
	r.At(second, func() { r.Server("redis", 2).Clock.Step(11 * second) })
	r.Lock(1, 2*second, 0)
	r.Run(9 * second)
}

// forgets has C come back without its key.
func forgets(r *modeltest.Rig) {
	halves(r)
	r.Lock(0, 0, 0)
	r.At(second, func() {
		r.Server("redis", 2).Crash(host.LoseMemory)
		r.Server("redis", 2).Restart(false)
	})
	r.Lock(1, 2*second, 0)
	r.Run(9 * second)
}

// forgetsAndJumps is that, and C's wall clock is set forward when it is back.
func forgetsAndJumps(r *modeltest.Rig) {
	r.At(1500*ms, func() { r.Server("redis", 2).Clock.Step(11 * second) })
	forgets(r)
}

// pauseBefore stops client 1 for 15 s when the replies are in, and its wall clock is set
// meanwhile.
func pauseBefore(step time.Duration) func(r *modeltest.Rig) {
	return func(r *modeltest.Rig) {
		r.OnStep(0, "acquire.reply", func() {
			r.Env.Clients[0].Pause(sim.Time(15 * second))
			r.Env.Clients[0].Clock.Step(step)
		})
		takeTurns(r)
	}
}

// suspendBefore is the same with a closed lid.
func suspendBefore(r *modeltest.Rig) {
	r.OnStep(0, "acquire.reply", func() { r.Env.Clients[0].Suspend(sim.Time(15 * second)) })
	takeTurns(r)
}

// pauseAfter stops client 1 when it believes that it has the lock.
func pauseAfter(r *modeltest.Rig) {
	r.At(5*second, func() { r.Env.Clients[0].Pause(sim.Time(15 * second)) })
	takeTurns(r)
}

// takeTurns makes client 2 come when client 1's keys have expired, and stay.
func takeTurns(r *modeltest.Rig) {
	r.Lock(0, 0, 0)
	r.Lock(1, 11*second, 0)
	r.Run(20 * second)
}

// With a lease RedissonRedLock has a budget of time for its round, 7.5 to 10 s here, which is less than
// the keys live meanwhile: a pause in the round that is long enough for the keys to expire
// uses it up, although nobody compares anything with a lease (RedissonMultiLock.java,
// tryLock, remainTime). Three ways round that: the wall clock goes back, the round ends
// with a server that fails when a majority is locked, which skips the look at the budget, or
// the pause comes later, as in the table.
func TestRedissonsBudget(t *testing.T) {
	at := func(server int, do func(r *modeltest.Rig)) func(r *modeltest.Rig) {
		return func(r *modeltest.Rig) {
			seen := 0
			var count func()
			count = func() {
				if seen++; seen == server {
					do(r)
					return
				}
				r.OnStep(0, stepServer, count)
			}
			r.OnStep(0, stepServer, count)
		}
	}
	pause := func(r *modeltest.Rig) { r.Env.Clients[0].Pause(sim.Time(25 * second)) }
	for _, c := range []struct {
		name   string
		stage  func(r *modeltest.Rig)
		broken bool
	}{
		{"a pause at the third server", at(3, pause), false},
		{"a pause at the last server", at(5, pause), false},
		{"and the wall clock goes back", at(5, func(r *modeltest.Rig) { pause(r); r.Env.Clients[0].Clock.Step(-time.Hour) }), true},
		{"a pause while the fourth server does not answer", func(r *modeltest.Rig) {
			cutOff(r, 0, 3)
			r.At(20*ms, func() { pause(r) })
		}, true},
	} {
		r := newRig(t, 2, map[string]int64{"client": int64(redisson), "ttl": int64(10 * second), "watchdog": 1, "timeout": int64(50 * ms)})
		exclusion := &monitor.Exclusion{}
		r.Recorder.Observers = append(r.Recorder.Observers, exclusion)
		c.stage(r)
		r.Lock(0, 0, 0)
		r.Lock(1, 21*second, 0) // the keys lived for up to 20 s
		r.Run(30 * second)
		if got := exclusion.Violated(); got != c.broken {
			t.Errorf("%s: two holders: %t, want %t", c.name, got, c.broken)
		}
	}
}
