package virtual

import (
	"testing"

	"fencepost/models"
)

// TestRedislock: redislock sends what the model sends, at the same instants, and tells its program the
// same, in every scenario. It is asked to try forty times; by itself it does not wait.
func TestRedislock(t *testing.T) {
	l := &library{
		model: "redis", real: NewRedislock,
		params: map[string]int64{"client": 1, "command-retries": -1, "attempts": 40},
		own: func(p models.Params) bool {
			return unset(p, "client", "acquire", "release", "extend", "watchdog", "mutex", "token", "refresh")
		},
		without: map[string]string{
			"bad-weather": onOtherClocks, "swarm": onOtherClocks, "suspend-during-acquire": onOtherClocks,
			"queued-lease-expires": whileItWaits, "own-clock-runs-fast": onOtherClocks,
		},
	}
	publish(t, "redislock", l.compare(t))
}
