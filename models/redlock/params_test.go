package redlock

import (
	"strings"
	"testing"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

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
		{map[string]int64{"context-timeout": 1}, []string{"context-timeout", "spec", "redsync"}},
		{map[string]int64{"context-timeout": 1, "client": int64(redsync)}, nil},
		{map[string]int64{"valid": validByQuery}, []string{"valid: query", "spec", "redsync"}},
		{map[string]int64{"valid": validByQuery, "client": int64(redsync)}, nil},
		{map[string]int64{"command-retries": 1, "client": int64(nodeV4)}, []string{"command-retries", "node-v4"}},
		{map[string]int64{"command-retries": -1, "client": int64(nodeV4)}, nil},
		{map[string]int64{"command-retries": 1, "client": int64(redisson)}, nil},
		{map[string]int64{"watchdog": 1, "client": int64(redisson)}, nil},
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
			if clientLibrary(client) != redisson {
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
		r := newClientRig(t, 2, clientLibrary(client), params)
		first := run(r)
		r.Reset(1)
		if again := run(r); again != first {
			t.Errorf("%s: the second trial differs", name)
		}
	}
}
