package redis

import (
	"strings"
	"testing"
	"time"

	"fencepost/models"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		params map[string]int64
		says   string
	}{
		{nil, ""},
		{map[string]int64{"acquire": 1, "release": 1, "command-retries": 3}, ""},
		{map[string]int64{"client": redislockClient, "attempts": 9}, ""},
		{map[string]int64{"client": redissonClient, "token": 1, "watchdog": 1}, ""},
		{map[string]int64{"client": redislockClient, "acquire": 1}, "acquire"},
		{map[string]int64{"client": redissonClient, "release": 1}, "release"},
		{map[string]int64{"client": redislockClient, "release": releaseByGetDel}, "release: get-del"},
		{map[string]int64{"client": redissonClient, "extend": extendBySet}, "extend"},
		{map[string]int64{"extend": extendBySet, "release": releaseByGetDel}, ""},
		{map[string]int64{"token": 1}, "client: redisson"},
		{map[string]int64{"client": redislockClient, "token": 1}, "client: redisson"},
		{map[string]int64{"client": redissonClient, "attempts": 1}, "attempts"},
		{map[string]int64{"client": redissonClient, "ttl": int64(2 * ms)}, "watchdog"},
		{map[string]int64{"client": redissonClient, "ttl": int64(2 * ms), "watchdog": 1}, ""},
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

// A waiter of Redisson asks when the lease is over; the others ask after a delay.
func TestTakeover(t *testing.T) {
	for client, want := range map[int64]time.Duration{
		bareClient: 30*second + ms + 250*ms, redislockClient: 30*second + ms + 250*ms, redissonClient: 30*second + ms,
	} {
		p := models.Defaults(New().Describe().Params)
		p["client"] = client
		if got := New().Describe().Takeover(p); got != want {
			t.Errorf("client %d: %v, want %v", client, got, want)
		}
	}
}
