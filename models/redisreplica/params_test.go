package redisreplica

import (
	"strings"
	"testing"

	"fencepost/models"
	"fencepost/models/modeltest/script"
)

// TestStories runs the stories in testdata.
func TestStories(t *testing.T) { script.Run(t, New()) }

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		params map[string]int64
		says   string
	}{
		{nil, ""},
		{map[string]int64{"servers": 5, "quorum": 5, "wait-replicas": 4, "min-replicas": 4}, ""},
		{map[string]int64{"quorum": 4}, "quorum"},
		{map[string]int64{"wait-replicas": 3}, "wait-replicas"},
		{map[string]int64{"min-replicas": 3}, "min-replicas"},
		{map[string]int64{"token": 1}, "client: redisson"},
		{map[string]int64{"client": 1, "wait-replicas": 1}, "redislock"},
	} {
		d := New().Describe()
		p := models.Defaults(d.Params)
		for name, v := range c.params {
			p[name] = v
		}
		err := d.Validate(p)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.params, err, c.says)
		}
	}
}

// 30 s and 1 ms of lease, 250 ms of delay, 30 s until the master is down, 7 s of failover, 3 s
// until a client finds out.
func TestTakeover(t *testing.T) {
	d := New().Describe()
	if got, want := d.Takeover(models.Defaults(d.Params)), 30*second+ms+250*ms+30*second+7*second+3*second; got != want {
		t.Errorf("takeover %v, want %v", got, want)
	}
}

// The second trial of a seed in a world is the first.
func TestReset(t *testing.T) {
	digest := func(r *rig) uint64 {
		r.crash(10*second, 0)
		r.At(60*second, func() { r.server(0).Restart(false) })
		r.Lock(0, second, 5*second)
		r.Lock(1, 2*second, 0)
		r.Run(100 * second)
		return r.World.Digest().Sum()
	}
	r := newRig(t, 2, nil)
	first := digest(r)
	r.Reset(1)
	if again := digest(r); again != first {
		t.Errorf("digests %x and %x", first, again)
	}
}
